//! Guides and members: which parsers work together, and how.
use std::path::Path;

use super::{ChoiceError, Choices};
use crate::combine::training::MOST_FOLDS;
use crossarc_train::combination::{Combination, MOST_TREES, VOTE, VoteOptions};

impl Choices {
    /// Guides, or members of a vote.
    pub(super) fn combination(
        &self,
        parser: &str,
        folder: &Path,
    ) -> Result<Option<Box<Combination>>, ChoiceError> {
        let votes = parser == VOTE;
        let of_vote = self.weights.is_some() || self.confidences || self.k_best.is_some();
        if !votes && (!self.member.is_empty() || of_vote) {
            return Err(ChoiceError::Apart(
                "--member and how votes are counted go with `--parser vote`",
            ));
        }
        if self.cross_fitting.is_some() && self.guide.is_empty() {
            return Err(ChoiceError::Apart("--cross-fitting goes with --guide"));
        }
        if !votes && self.guide.is_empty() {
            return Ok(None);
        }
        let part = |text: &String| {
            let inside = |error| ChoiceError::Part { text: text.clone(), source: Box::new(error) };
            let mut choices = Choices::parse(text).map_err(inside)?;
            choices.seed = choices.seed.or(self.seed);
            choices.options(folder).map_err(inside)
        };
        Ok(Some(Box::new(Combination {
            guides: self.guide.iter().map(part).collect::<Result<_, _>>()?,
            members: self.member.iter().map(part).collect::<Result<_, _>>()?,
            ..self.how_to_combine()?
        })))
    }

    /// How guides and members work together, without them.
    pub fn how_to_combine(&self) -> Result<Combination, ChoiceError> {
        let plain = Combination::default();
        let folds = self.cross_fitting.unwrap_or(plain.folds);
        if !(2..=MOST_FOLDS).contains(&folds) {
            return Err(ChoiceError::Unknown(format!(
                "cross-fitting is 2 to {MOST_FOLDS}, not {folds}"
            )));
        }
        let k_best = self.k_best.unwrap_or(plain.vote.k_best);
        if !(1..=MOST_TREES).contains(&k_best) {
            return Err(ChoiceError::Unknown(format!("k-best is 1 to {MOST_TREES}, not {k_best}")));
        }
        let vote = VoteOptions {
            weighing: self.weights.unwrap_or(plain.vote.weighing),
            confidences: self.confidences,
            k_best,
            ..plain.vote
        };
        Ok(Combination { folds, vote, ..plain })
    }
}
