//! A small engine for neural networks on a CPU: layers with a forward and a backward pass written
//! out, over flat memory, trained by Adam.
//!
//! A layer knows its shape and where its weights stand in the [`Parameters`](parameters::Parameters)
//! of the net; weights, gradients and what a layer remembers between its passes belong to the
//! caller. There is no graph of operations and no type for tensors. Embeddings live in
//! [`Table`](table::Table)s, whose gradients are sparse.
//!
//! - Rows of a batch are independent to the bit: what a net says about a sentence does not depend
//!   on the sentences beside it (see [`product`]).
//! - Nothing here starts a thread. A batch is cut into parts by the caller, and
//!   gradients of the parts are added in their order: the same bytes at any number of threads.
//!
//! ```
//! use nn::affine::Affine;
//! use nn::parameters::Parameters;
//! let mut parameters = Parameters::default();
//! let layer = Affine::new(&mut parameters, "double", 1, 1);
//! parameters.values_mut().copy_from_slice(&[2.0, 1.0]);
//! let mut out = Vec::new();
//! layer.forward(parameters.values(), &[3.0], 1, &mut out);
//! assert_eq!(out, [7.0]);
//! ```
pub mod adam;
pub mod affine;
pub mod curves;
pub mod dropout;
pub mod lstm;
pub mod packing;
pub mod parameters;
pub mod product;
pub mod row;
pub mod seed;
pub mod table;
#[cfg(test)]
mod testing;
pub mod transformer;
