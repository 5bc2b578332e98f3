//! The decoders, one paper's algorithm in each file.
//!
//! | name | trees | factors | time |
//! |---|---|---|---|
//! | [`eisner`] | projective | arcs | O(n³) |
//! | [`eisner-sibling`](eisner_sibling) | projective | arcs, adjacent siblings | O(n³) |
//! | [`carreras`] | projective | arcs, adjacent siblings, outermost grandchildren | O(n⁴) |
//! | [`mst`](chu_liu_edmonds) | all | arcs | O(n²) |
//! | [`one-endpoint-crossing`](one_endpoint_crossing) | arcs that cross an arc share an end | arcs | O(n⁴) |
//! | [`dual-decomposition`](dual_decomposition) | all | as `carreras` | O(n²) a round; tells whether the tree is proved to be the best |
//!
//! n counts words; second-order times grow by the number of labels of an arc if factors know the
//! label ([`super::LabelSharing::PerLabel`]).
pub mod carreras;
pub mod chu_liu_edmonds;
pub mod dual_decomposition;
pub mod eisner;
pub mod eisner_sibling;
pub mod one_endpoint_crossing;

pub use carreras::Carreras;
pub use chu_liu_edmonds::ChuLiuEdmonds;
pub use dual_decomposition::DualDecomposition;
pub use eisner::Eisner;
pub use eisner_sibling::EisnerSibling;
pub use one_endpoint_crossing::OneEndpointCrossing;

use super::decoder::Marginals;

/// Static dispatch from names to types: the visitor is compiled once for each decoder.
///
/// ```
/// use crossarc_graph::decoders::{DECODERS, DecoderVisitor, with_decoder};
/// use crossarc_graph::Marginals;
/// struct IsProjective;
/// impl DecoderVisitor for IsProjective {
///     type Output = bool;
///     fn visit<D: Marginals + Default + 'static>(self) -> bool {
///         D::PROJECTIVE
///     }
/// }
/// assert_eq!(with_decoder("mst", IsProjective), Some(false));
/// assert_eq!(with_decoder("oracle", IsProjective), None);
/// assert!(DECODERS.contains(&"carreras"));
/// ```
pub trait DecoderVisitor {
    /// What the visit results in.
    type Output;
    /// Visits a decoder.
    fn visit<D: Marginals + Default + 'static>(self) -> Self::Output;
}

macro_rules! decoders {
    ($($decoder:ty),+ $(,)?) => {
        /// The names of all decoders, cheapest first.
        pub const DECODERS: &[&str] = &[$(<$decoder as super::Decoder>::NAME),+];

        /// Calls the visitor with the decoder of this name, if it exists.
        pub fn with_decoder<V: DecoderVisitor>(name: &str, visitor: V) -> Option<V::Output> {
            $(if name == <$decoder as super::Decoder>::NAME {
                return Some(visitor.visit::<$decoder>());
            })+
            None
        }
    };
}

decoders![ChuLiuEdmonds, Eisner, EisnerSibling, Carreras, OneEndpointCrossing, DualDecomposition];
