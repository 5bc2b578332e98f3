//! Transition parsers in model files.
use super::certain::CertainLabels;
use super::oracle::Oracle;
use super::parser::TransitionParser;
use super::scorer::{Extractors, Linear};
use super::searches::MOST_BEAM;
use super::stored::{StoredLabels, StoredMoves};
use super::system::{MoveSet, SystemOptions, TransitionSystem};
use super::systems::{SystemVisitor, with_system};
use crossarc_learn::templates::{Program, TemplateError, Templates};
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::course::Weights;
use crossarc_train::header::Header;
use crossarc_train::parser::Parser;
use crossarc_tree::Labels;

/// A scorer as it is stored.
pub type PackedScorer = Linear<StoredMoves, StoredLabels>;

impl Weights for PackedScorer {
    fn sections(&self) -> Vec<SectionBytes<'_>> {
        let certain = self.extractors.certain.as_ref().map(CertainLabels::section);
        self.moves.sections().into_iter().chain(self.labels.sections()).chain(certain).collect()
    }
}

/// The template by whose value machines are chosen.
pub(super) fn split_template(text: &str) -> Result<Templates, TemplateError> {
    Templates::parse(&format!("[moves]\n{text}"))
}

/// The parser in a model file.
pub fn load(container: &Container, header: &Header) -> Result<Box<dyn Parser>, ModelError> {
    let unknown = format!("unknown parser `{}` with oracle `{}`", header.parser, header.oracle);
    with_system(&header.parser, &header.oracle, Load { container, header })
        .unwrap_or_else(|| Err(container.damaged(&unknown)))
}

struct Load<'a> {
    container: &'a Container,
    header: &'a Header,
}

impl SystemVisitor for Load<'_> {
    type Output = Result<Box<dyn Parser>, ModelError>;

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> Self::Output {
        let Load { container, header } = self;
        if !S::Move::ALL.iter().map(|mv| mv.name()).eq(header.moves.iter().map(String::as_str)) {
            return Err(container.damaged("its moves are not those of its parser"));
        }
        if header.beam > MOST_BEAM {
            return Err(container.damaged("its beam is too wide"));
        }
        let mut labels = Labels::default();
        for (index, name) in header.labels.iter().enumerate() {
            if labels.intern(name).is_none_or(|label| label.index() != index) {
                return Err(container.damaged("its list of labels is wrong"));
            }
        }
        let templates = Templates::parse(&header.features)
            .map_err(|error| container.damaged(&error.to_string()))?;
        let compile = |templates| {
            Program::compile(templates).ok_or_else(|| container.damaged("too many features"))
        };
        let scorer = PackedScorer {
            extractors: Extractors {
                moves: compile(&templates.moves)?,
                labels: compile(&templates.labels)?,
                certain: match &header.certain {
                    Some(facts) => Some(CertainLabels::load(container, facts)?),
                    None => None,
                },
                split: compile(&match header.svm.as_ref().and_then(|svm| svm.split_by.as_ref()) {
                    None => Vec::new(),
                    Some(template) => {
                        split_template(template)
                            .map_err(|error| container.damaged(&error.to_string()))?
                            .moves
                    }
                })?,
            },
            moves: StoredMoves::load(container, header)?,
            labels: StoredLabels::load(container, header)?,
            label_count: labels.len(),
        };
        let Some(root_label) = labels.get(&header.root_label) else {
            return Err(container.damaged("its label for the root is unknown"));
        };
        let roots = header.roots.into();
        Ok(Box::new(TransitionParser {
            system: S::new(SystemOptions { roots, partial: header.partial }),
            scorer,
            labels,
            root_label,
            roots,
            beam: header.beam,
            lag: header.lag.unwrap_or(f32::INFINITY),
            right_to_left: header.right_to_left,
            temperature: header.temperature,
        }))
    }
}
