//! A parser at work as the guide of another: its tree becomes columns of the words.
use conll::Sentence;

use crate::annotate::{AnnotateOptions, Annotator, Model};
use crossarc_learn::features::{Guidance, hash};
use crossarc_model::{Container, ModelError};
use crossarc_tree::Node;

/// A model that guides another.
pub(crate) struct Guide {
    model: Model,
    /// The hash of each label.
    names: Vec<u32>,
}

/// The section of a guide in a model file, from 0.
pub(crate) fn section(guide: usize) -> String {
    format!("guide {}", guide + 1)
}

impl Guide {
    pub(crate) fn new(model: Model) -> Guide {
        let names = model.labels().iter().map(|(_, name)| hash::attribute(name)).collect();
        Guide { model, names }
    }

    /// The guides in a model file, which lies so many files deep in others.
    pub(crate) fn load_all(
        container: &Container,
        guides: usize,
        depth: usize,
    ) -> Result<Vec<Guide>, ModelError> {
        let load = |guide| {
            let name = section(guide);
            let part = container.nested(&name)?;
            let part =
                part.ok_or_else(|| container.damaged(&format!("section `{name}` is missing")))?;
            Ok(Guide::new(Model::load_nested(&part, 0, depth + 1)?))
        };
        (0..guides).map(load).collect()
    }

    /// Memory for one thread.
    pub(crate) fn worker(&self, keep_heads: bool) -> GuideWorker<'_> {
        let options = AnnotateOptions { keep_heads, ..AnnotateOptions::default() };
        GuideWorker { annotator: self.model.annotator(options), names: &self.names }
    }
}

/// One thread of a guide.
pub(crate) struct GuideWorker<'m> {
    annotator: Annotator<'m>,
    names: &'m [u32],
}

impl GuideWorker<'_> {
    /// Adds the guide's tree to what others have said about the sentence.
    pub(crate) fn advise(
        &mut self,
        sentence: &Sentence,
        given: Option<&[Option<Node>]>,
        guidance: &mut Guidance,
    ) {
        let (analysis, names) = self.annotator.analyse_whole(sentence, given);
        let tree = &analysis.tree;
        guidance.add(tree, |word| match &names {
            Some(names) => hash::attribute(names.name(tree.label(word))),
            None => self.names.get(tree.label(word).index()).copied().unwrap_or(0),
        });
    }
}
