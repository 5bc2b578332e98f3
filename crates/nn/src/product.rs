//! Matrix products, all of them: the only place that knows which library computes them.
//!
//! A [`Matrix`] is a look at numbers in memory, row by row, or turned. The library is `gemm`, on
//! one thread: threads work on sentences, not on products. Its sums run over the inner dimension in
//! one order while that is at most [`MOST_INNER`], so a row of a product with a matrix that is not
//! turned is the same to the bit whatever rows stand beside it. One row alone would take another
//! way, so it is computed as two.
//!
//! ```
//! use nn::product::{Matrix, multiply};
//! let (a, b) = ([1.0, 2.0], [3.0, 4.0]);
//! let mut c = [0.0];
//! multiply(&mut c, Matrix::new(&a, 1, 2), Matrix::new(&b, 2, 1), false);
//! assert_eq!(c, [11.0]);
//! ```

/// Rows of a product are independent of each other up to this inner dimension.
pub const MOST_INNER: usize = 512;

/// A matrix in memory that belongs to others.
#[derive(Copy, Clone, Debug)]
pub struct Matrix<'a> {
    data: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// Rows one after the other.
    pub fn new(data: &'a [f32], rows: usize, columns: usize) -> Matrix<'a> {
        Matrix::strided(data, rows, columns, columns)
    }

    /// Rows that begin `stride` numbers apart.
    pub fn strided(data: &'a [f32], rows: usize, columns: usize, stride: usize) -> Matrix<'a> {
        let matrix = Matrix { data, rows, columns, row_stride: stride, column_stride: 1 };
        assert!(matrix.fits(), "a matrix of {rows} x {columns} in {} numbers", data.len());
        matrix
    }

    /// Rows as columns.
    #[must_use]
    pub fn turned(self) -> Matrix<'a> {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    fn fits(&self) -> bool {
        // Sizes that no memory has must not wrap around and seem to fit.
        let last = |count: usize, stride: usize| (count - 1).checked_mul(stride);
        self.rows == 0
            || self.columns == 0
            || last(self.rows, self.row_stride)
                .zip(last(self.columns, self.column_stride))
                .and_then(|(row, column)| row.checked_add(column))
                .is_some_and(|last| last < self.data.len())
    }
}

/// `out = a b`, or `out += a b`; `out` has its rows one after the other.
pub fn multiply(out: &mut [f32], a: Matrix<'_>, b: Matrix<'_>, add: bool) {
    assert_eq!(a.columns, b.rows, "inner dimensions");
    let (rows, columns, inner) = (a.rows, b.columns, a.columns);
    assert_eq!(Some(out.len()), rows.checked_mul(columns), "size of the product");
    if rows == 0 || columns == 0 {
        return;
    }
    if inner == 0 {
        if !add {
            out.fill(0.0);
        }
        return;
    }
    if rows == 1 && columns > 1 && inner <= MOST_INNER {
        return multiply_row(out, a, b, add);
    }
    run(out, (rows, columns, inner), a, a.row_stride, b, add);
}

/// One row, computed as two equal ones.
fn multiply_row(out: &mut [f32], a: Matrix<'_>, b: Matrix<'_>, add: bool) {
    thread_local! {
        static ROWS: std::cell::RefCell<Vec<f32>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    ROWS.with_borrow_mut(|both| {
        let columns = out.len();
        both.clear();
        both.extend_from_slice(out);
        both.extend_from_slice(out);
        run(both, (2, columns, a.columns), a, 0, b, add);
        out.copy_from_slice(&both[..columns]);
    });
}

fn run(
    out: &mut [f32],
    (rows, columns, inner): (usize, usize, usize),
    a: Matrix<'_>,
    a_row_stride: usize,
    b: Matrix<'_>,
    add: bool,
) {
    debug_assert!(a.fits() && b.fits() && out.len() >= rows * columns);
    // SAFETY: `out` holds `rows * columns` numbers, and both operands were checked to hold all that
    // their strides lead to; `a` is read with its own row stride or, as two equal rows, with none.
    #[allow(unsafe_code, reason = "the library takes pointers")]
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            out.as_mut_ptr(),
            1,
            columns as isize,
            add,
            a.data.as_ptr(),
            a.column_stride as isize,
            a_row_stride as isize,
            b.data.as_ptr(),
            b.column_stride as isize,
            b.row_stride as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Rng;

    fn numbers(rng: &mut Rng, count: usize) -> Vec<f32> {
        (0..count).map(|_| rng.normal()).collect()
    }

    #[test]
    fn products_are_those_of_the_definition() {
        let mut rng = Rng::new(1);
        for (rows, inner, columns) in [(1, 3, 1), (1, 5, 7), (4, 1, 3), (7, 20, 5), (33, 17, 65)] {
            let a = numbers(&mut rng, rows * inner);
            let b = numbers(&mut rng, inner * columns);
            let mut out = vec![1.0; rows * columns];
            multiply(&mut out, Matrix::new(&a, rows, inner), Matrix::new(&b, inner, columns), true);
            let mut turned = vec![9.0; rows * columns];
            let (at, bt) = (Matrix::new(&a, rows, inner), Matrix::new(&b, inner, columns));
            multiply(&mut turned, bt.turned(), at.turned(), false);
            for row in 0..rows {
                for column in 0..columns {
                    let sum: f32 =
                        (0..inner).map(|k| a[row * inner + k] * b[k * columns + column]).sum();
                    assert!((out[row * columns + column] - sum - 1.0).abs() < 1e-4);
                    assert!((turned[column * rows + row] - sum).abs() < 1e-4);
                }
            }
        }
    }

    #[test]
    fn a_row_is_the_same_whatever_stands_beside_it() {
        let mut rng = Rng::new(2);
        for inner in [8, 100, 101, 200, 300, 400, MOST_INNER] {
            for columns in [2, 33, 100, 101, 200, 400, 800] {
                let a = numbers(&mut rng, 70 * inner);
                let b = numbers(&mut rng, inner * columns);
                let b = Matrix::new(&b, inner, columns);
                let mut whole = vec![0.5; 70 * columns];
                multiply(&mut whole, Matrix::new(&a, 70, inner), b, true);
                for rows in [1, 2, 3, 5, 8, 16, 31, 64] {
                    let mut part = vec![0.5; rows * columns];
                    multiply(&mut part, Matrix::new(&a, rows, inner), b, true);
                    let same = part == whole[..part.len()];
                    assert!(same, "{rows} rows, inner {inner}, {columns} columns");
                }
            }
        }
    }
}
