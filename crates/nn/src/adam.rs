//! Adam (Kingma and Ba 2015) with bias correction, lazy for tables: a row that was not met is left as
//! it is, with its moments. The rate warms up and then falls to nothing along a line.
use crate::curves::widely;
use crate::parameters::Parameters;
use crate::table::{Table, TableGradient};

/// How a net is changed.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Schedule {
    /// The highest rate.
    pub rate: f32,
    /// All steps of training.
    pub steps: usize,
    /// The share of them in which the rate rises.
    pub warm_up: f32,
    /// Gradients longer than this are shortened to it.
    pub clip: f32,
}

impl Schedule {
    /// The rate at a step, counted from zero.
    pub fn rate_at(&self, step: usize) -> f32 {
        let rising = (self.warm_up * self.steps as f32).max(1.0);
        let step = step as f32;
        let falling = (self.steps as f32 - step) / (self.steps as f32 - rising).max(1.0);
        self.rate * ((step + 1.0) / rising).min(falling).clamp(0.0, 1.0)
    }
}

/// Training went wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the gradient of step {step} is not a number: training cannot go on; try a lower learning rate"
)]
pub struct NotANumber {
    /// The step, counted from one.
    pub step: usize,
}

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.95;
const SMALLEST: f32 = 1e-8;

/// The moments of all weights of a net.
#[derive(Clone, Debug)]
pub struct Adam {
    schedule: Schedule,
    step: usize,
    dense: [Vec<f32>; 2],
    tables: Vec<[Vec<f32>; 2]>,
}

impl Adam {
    /// For a net that has not been trained.
    pub fn new(schedule: Schedule, parameters: &Parameters, tables: &[Table]) -> Adam {
        let moments = |len: usize| [vec![0.0; len], vec![0.0; len]];
        Adam {
            schedule,
            step: 0,
            dense: moments(parameters.values().len()),
            tables: tables.iter().map(|table| moments(table.values().len())).collect(),
        }
    }

    /// The steps done and all moments, in an order of their own.
    pub fn state(&self) -> (usize, Vec<&[f32]>) {
        let moments = std::iter::once(&self.dense).chain(&self.tables).flatten();
        (self.step, moments.map(Vec::as_slice).collect())
    }

    /// Goes on from a state; false if it is not one of such a net.
    pub fn restore(&mut self, step: usize, moments: Vec<Vec<f32>>) -> bool {
        let sizes = self.state().1.into_iter().map(<[f32]>::len);
        if !sizes.eq(moments.iter().map(Vec::len)) {
            return false;
        }
        self.step = step;
        let places = std::iter::once(&mut self.dense).chain(&mut self.tables).flatten();
        places.zip(moments).for_each(|(place, moments)| *place = moments);
        true
    }

    /// One step down the gradient.
    pub fn step(
        &mut self,
        parameters: &mut Parameters,
        gradient: &[f32],
        tables: &mut [Table],
        of_tables: &[TableGradient],
    ) -> Result<(), NotANumber> {
        let mut square = sum_of_squares(gradient);
        for one in of_tables {
            square += one.touched().map(|(_, row)| sum_of_squares(row)).sum::<f64>();
        }
        let length = square.sqrt() as f32;
        if !length.is_finite() {
            return Err(NotANumber { step: self.step + 1 });
        }
        let shorten = if length > self.schedule.clip { self.schedule.clip / length } else { 1.0 };
        let rate = self.schedule.rate_at(self.step);
        self.step += 1;
        let power = i32::try_from(self.step).unwrap_or(i32::MAX);
        let rule = Rule {
            shorten,
            rate: rate / (1.0 - MEAN.powi(power)),
            correction: 1.0 / (1.0 - SQUARE.powi(power)),
        };
        let [means, squares] = &mut self.dense;
        rule.apply(parameters.values_mut(), gradient, means, squares);
        for ((table, gradient), moments) in tables.iter_mut().zip(of_tables).zip(&mut self.tables) {
            let width = table.width();
            let [means, squares] = moments;
            for (row, gradient) in gradient.touched() {
                let place = row * width..(row + 1) * width;
                rule.apply(
                    &mut table.values_mut()[place.clone()],
                    gradient,
                    &mut means[place.clone()],
                    &mut squares[place],
                );
            }
        }
        Ok(())
    }
}

/// The sum of the squares, in eight sums side by side.
fn sum_of_squares(numbers: &[f32]) -> f64 {
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0_f64; 8];
    for eight in eights {
        sums.iter_mut().zip(eight).for_each(|(sum, &x)| *sum += f64::from(x) * f64::from(x));
    }
    sums.iter().sum::<f64>() + rest.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>()
}

#[derive(Copy, Clone)]
struct Rule {
    shorten: f32,
    rate: f32,
    correction: f32,
}

impl Rule {
    fn apply(self, values: &mut [f32], gradient: &[f32], means: &mut [f32], squares: &mut [f32]) {
        widely(
            #[inline(always)]
            || {
                let places = values.iter_mut().zip(gradient).zip(means).zip(squares);
                for (((value, &slope), mean), square) in places {
                    let slope = slope * self.shorten;
                    *mean = MEAN * *mean + (1.0 - MEAN) * slope;
                    *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
                    *value -= self.rate * *mean / ((*square * self.correction).sqrt() + SMALLEST);
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(clip: f32) -> Schedule {
        Schedule { rate: 0.1, steps: 100, warm_up: 0.05, clip }
    }

    #[test]
    fn the_rate_rises_and_falls_to_nothing() {
        let schedule = schedule(1.0);
        let rates: Vec<f32> = (0..=100).map(|step| schedule.rate_at(step)).collect();
        assert!(rates[..5].is_sorted() && rates[5..].is_sorted_by(|a, b| a >= b));
        assert_eq!((rates[4], rates[100]), (0.1, 0.0));
        assert!(rates[0] > 0.0 && rates[99] > 0.0);
    }

    #[test]
    fn the_first_step_is_as_long_as_the_rate_and_rows_that_were_not_met_stay() {
        let mut parameters = Parameters::default();
        parameters.add("x", 2);
        let mut tables = vec![Table::new(1, vec![0.0; 3])];
        let mut gradient = TableGradient::new(&tables[0]);
        gradient.add((&[1], 1.0), &[-4.0]);
        let mut adam = Adam::new(schedule(5.0), &parameters, &tables);
        adam.step(&mut parameters, &[3.0, 0.0], &mut tables, &[gradient.clone()]).unwrap();
        let rate = schedule(5.0).rate_at(0);
        assert!((parameters.values()[0] + rate).abs() < 1e-6);
        assert_eq!(parameters.values()[1], 0.0);
        assert!((tables[0].values()[1] - rate).abs() < 1e-6);
        assert_eq!((tables[0].values()[0], tables[0].values()[2]), (0.0, 0.0));
        let error = adam.step(&mut parameters, &[f32::NAN, 0.0], &mut tables, &[gradient]);
        assert_eq!(error, Err(NotANumber { step: 2 }));
        assert!(parameters.values()[0].is_finite());
    }
}
