//! Transition parsers in model files.
use super::certain::CertainLabels;
use super::nets::NetScorer;
use super::oracle::Oracle;
use super::parser::TransitionParser;
use super::scorer::{Extractors, Linear, LinearContext, Scorer};
use super::searches::MOST_BEAM;
use super::stored::{StoredLabels, StoredMoves};
use super::system::{MoveSet, SystemOptions, TransitionSystem};
use super::systems::{SystemVisitor, with_system};
use crossarc_learn::features::Words;
use crossarc_learn::packed::{MoveScores, PackedLabels, PackedMoves};
use crossarc_learn::state::Arc;
use crossarc_learn::svm::{LABEL_SECTIONS, MOVE_SECTIONS, PackedMachines};
use crossarc_learn::templates::{Program, TemplateError, Templates};
use crossarc_learn::weights::best_label;
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::course::Weights;
use crossarc_train::header::{Header, MoveScorerHeader, TransitionHeader};
use crossarc_train::parser::Parser;
use crossarc_tree::{Label, Labels};
use neural::ChooserMemory;

/// A scorer as it is stored.
pub type PackedScorer = Linear<StoredMoves, StoredLabels>;

/// The scorer of a model, whatever it has learned with. One type for all keeps the searches compiled
/// once for each system.
#[derive(Clone, Debug)]
pub enum StoredScorer {
    /// Weights or support vector machines over features.
    Linear(Box<PackedScorer>),
    /// A net.
    Net(NetScorer),
    /// Both.
    Both(Box<BothScorers>),
}

/// Weights and a net whose scores are added.
#[derive(Clone, Debug)]
pub struct BothScorers {
    /// Weights over features.
    pub linear: PackedScorer,
    /// The net.
    pub net: NetScorer,
    /// How much its scores count.
    pub scale: f32,
}

/// Working memory of any scorer.
#[derive(Clone, Debug, Default)]
pub struct StoredContext {
    /// That of weights over features.
    pub linear: LinearContext,
    /// That of nets.
    pub net: ChooserMemory,
    /// Scores of labels by a net, before they are added.
    label_scores: Vec<f32>,
}

impl StoredScorer {
    /// The scorer in a model file.
    pub fn load(
        container: &Container,
        header: &Header,
        extractors: impl FnOnce() -> Result<Extractors, ModelError>,
    ) -> Result<StoredScorer, ModelError> {
        let transition = header.transition().ok_or_else(|| not_a_transition_parser(container))?;
        let (moves, labels) = (transition.moves.len(), header.labels.len());
        let scorer = match &transition.scorer {
            MoveScorerHeader::Net(name) if NETS.contains(&name.as_str()) => {
                return NetScorer::load(container, moves, labels).map(StoredScorer::Net);
            }
            MoveScorerHeader::Net(name) => {
                return Err(container.damaged(&format!("its net `{name}` is unknown")));
            }
            MoveScorerHeader::Linear { move_table, label_table, .. } => PackedScorer {
                extractors: extractors()?,
                moves: StoredMoves::Weights(PackedMoves::load(container, *move_table)?),
                labels: StoredLabels::Weights(PackedLabels::load(container, *label_table, labels)?),
                label_count: labels,
            },
            MoveScorerHeader::Machines { .. } => PackedScorer {
                extractors: extractors()?,
                moves: StoredMoves::Machines(PackedMachines::load(
                    container,
                    MOVE_SECTIONS,
                    moves,
                )?),
                labels: StoredLabels::Machines(PackedMachines::load(
                    container,
                    LABEL_SECTIONS,
                    labels,
                )?),
                label_count: labels,
            },
        };
        let MoveScorerHeader::Linear { net_scale: Some(scale), .. } = transition.scorer else {
            return Ok(StoredScorer::Linear(Box::new(scorer)));
        };
        if !scale.is_finite() {
            return Err(container.damaged("its net counts in no way"));
        }
        let net = NetScorer::load(container, moves, labels)?;
        Ok(StoredScorer::Both(Box::new(BothScorers { linear: scorer, net, scale })))
    }

    fn linear(&self) -> Option<&PackedScorer> {
        match self {
            StoredScorer::Linear(linear) => Some(linear),
            StoredScorer::Both(both) => Some(&both.linear),
            StoredScorer::Net(_) => None,
        }
    }

    /// Labels that need no weights.
    pub fn certain(&self) -> Option<&CertainLabels> {
        self.linear().and_then(|linear| linear.extractors.certain.as_ref())
    }
}

/// The learners of models with nets: words alone, words in context, whole states.
pub const NETS: [&str; 3] = ["feed-forward", "bilstm", "stack-lstm"];

impl Weights for StoredScorer {
    fn sections(&self) -> Vec<SectionBytes<'_>> {
        let certain = self.certain().map(CertainLabels::section);
        let linear = self.linear().into_iter();
        let linear =
            linear.flat_map(|one| one.moves.sections().into_iter().chain(one.labels.sections()));
        let net = match self {
            StoredScorer::Linear(_) => Vec::new(),
            StoredScorer::Net(net) => net.sections(),
            StoredScorer::Both(both) => both.net.sections(),
        };
        linear.chain(certain).chain(net).collect()
    }
}

impl<S: TransitionSystem> Scorer<S> for StoredScorer {
    type Context = StoredContext;

    fn labels(&self) -> usize {
        match self {
            StoredScorer::Linear(linear) => linear.label_count,
            StoredScorer::Net(net) => Scorer::<S>::labels(net),
            StoredScorer::Both(both) => both.linear.label_count,
        }
    }

    fn begin(&self, words: &Words, context: &mut StoredContext) {
        match self {
            StoredScorer::Linear(linear) => {
                Scorer::<S>::begin(&**linear, words, &mut context.linear);
            }
            StoredScorer::Net(net) => Scorer::<S>::begin(net, words, &mut context.net),
            StoredScorer::Both(both) => {
                Scorer::<S>::begin(&both.linear, words, &mut context.linear);
                Scorer::<S>::begin(&both.net, words, &mut context.net);
            }
        }
    }

    #[inline]
    fn score_moves(
        &self,
        words: &Words,
        state: &S::State,
        context: &mut StoredContext,
        scores: &mut MoveScores,
    ) {
        match self {
            StoredScorer::Linear(linear) => {
                Scorer::<S>::score_moves(&**linear, words, state, &mut context.linear, scores);
            }
            StoredScorer::Net(net) => {
                Scorer::<S>::score_moves(net, words, state, &mut context.net, scores);
            }
            StoredScorer::Both(both) => {
                let mut by_net = MoveScores::default();
                Scorer::<S>::score_moves(&both.net, words, state, &mut context.net, &mut by_net);
                let linear = &both.linear;
                Scorer::<S>::score_moves(linear, words, state, &mut context.linear, scores);
                scores.iter_mut().zip(by_net).for_each(|(sum, one)| *sum += both.scale * one);
            }
        }
    }

    #[inline]
    fn score_labels(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut StoredContext,
        scores: &mut [f32],
    ) {
        match self {
            StoredScorer::Linear(linear) => {
                let context = &mut context.linear;
                Scorer::<S>::score_labels(&**linear, words, state, arc, context, scores);
            }
            StoredScorer::Net(net) => {
                Scorer::<S>::score_labels(net, words, state, arc, &mut context.net, scores);
            }
            StoredScorer::Both(both) => {
                let StoredContext { linear, net, label_scores } = context;
                label_scores.clear();
                label_scores.resize(scores.len(), 0.0);
                Scorer::<S>::score_labels(&both.net, words, state, arc, net, label_scores);
                Scorer::<S>::score_labels(&both.linear, words, state, arc, linear, scores);
                let sums = scores.iter_mut().zip(label_scores);
                sums.for_each(|(sum, one)| *sum += both.scale * *one);
            }
        }
    }

    #[inline]
    fn best_label(
        &self,
        words: &Words,
        state: &S::State,
        arc: Arc,
        context: &mut StoredContext,
        scores: &mut [f32],
    ) -> (Label, f32) {
        match self {
            StoredScorer::Linear(linear) => {
                let context = &mut context.linear;
                Scorer::<S>::best_label(&**linear, words, state, arc, context, scores)
            }
            StoredScorer::Net(net) => {
                Scorer::<S>::best_label(net, words, state, arc, &mut context.net, scores)
            }
            StoredScorer::Both(_) => {
                Scorer::<S>::score_labels(self, words, state, arc, context, scores);
                let label = best_label(scores);
                (label, scores[label.index()])
            }
        }
    }
}

/// The template by whose value machines are chosen.
pub(super) fn split_template(text: &str) -> Result<Templates, TemplateError> {
    Templates::parse(&format!("[moves]\n{text}"))
}

fn not_a_transition_parser(container: &Container) -> ModelError {
    container.damaged("it is no transition parser")
}

/// By how much a hypothesis may be behind the best one before a beam drops it.
pub(crate) fn beam_margin(header: &Header) -> f32 {
    header.transition().and_then(|header| header.beam_margin).unwrap_or(f32::INFINITY)
}

/// The parser in a model file.
pub fn load(container: &Container, header: &Header) -> Result<Box<dyn Parser>, ModelError> {
    let transition = header.transition().ok_or_else(|| not_a_transition_parser(container))?;
    let oracle = &transition.oracle;
    let unknown = format!("unknown parser `{}` with oracle `{oracle}`", header.parser);
    with_system(&header.parser, oracle, Load { container, header, transition })
        .unwrap_or_else(|| Err(container.damaged(&unknown)))
}

struct Load<'a> {
    container: &'a Container,
    header: &'a Header,
    transition: &'a TransitionHeader,
}

impl SystemVisitor for Load<'_> {
    type Output = Result<Box<dyn Parser>, ModelError>;

    fn visit<S: TransitionSystem, O: Oracle<S>>(self) -> Self::Output {
        let Load { container, header, transition } = self;
        if !S::Move::ALL.iter().map(|mv| mv.name()).eq(transition.moves.iter().map(String::as_str))
        {
            return Err(container.damaged("its moves are not those of its parser"));
        }
        if transition.beam > MOST_BEAM {
            return Err(container.damaged("its beam is too wide"));
        }
        let mut labels = Labels::default();
        for (index, name) in header.labels.iter().enumerate() {
            if labels.intern(name).is_none_or(|label| label.index() != index) {
                return Err(container.damaged("its list of labels is wrong"));
            }
        }
        let compile = |templates: &[_]| {
            Program::compile(templates).ok_or_else(|| container.damaged("too many features"))
        };
        let extractors = || {
            let (features, certain, split_by) = match &transition.scorer {
                MoveScorerHeader::Linear { features, certain, .. } => (features, certain, None),
                MoveScorerHeader::Machines { features, machines } => {
                    (features, &None, machines.split_by.as_ref())
                }
                MoveScorerHeader::Net(_) => return Err(container.damaged("nets have no features")),
            };
            let templates = Templates::parse(&features.templates)
                .map_err(|error| container.damaged(&error.to_string()))?;
            Ok(Extractors {
                moves: compile(&templates.moves)?,
                labels: compile(&templates.labels)?,
                certain: match certain {
                    Some(facts) => Some(CertainLabels::load(container, facts)?),
                    None => None,
                },
                split: compile(&match split_by {
                    None => Vec::new(),
                    Some(template) => {
                        split_template(template)
                            .map_err(|error| container.damaged(&error.to_string()))?
                            .moves
                    }
                })?,
            })
        };
        let scorer = StoredScorer::load(container, header, extractors)?;
        let Some(root_label) = labels.get(&header.root_label) else {
            return Err(container.damaged("its label for the root is unknown"));
        };
        let roots = header.roots.into();
        Ok(Box::new(TransitionParser {
            system: S::new(SystemOptions { roots, partial: transition.partial }),
            scorer,
            labels,
            root_label,
            roots,
            beam: transition.beam,
            beam_margin: beam_margin(header),
            right_to_left: transition.right_to_left,
            temperature: header.temperature,
        }))
    }
}
