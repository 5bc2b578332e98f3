//! A tagger at work.
use conll::{Column, Sentence};
use serde::{Deserialize, Serialize};

use super::features;
use super::forms::{Form, Forms};
use super::inventory::{Choices, Inventory};
use super::lexicon::Lexicon;
use super::net::{NetWeights, TagNet};
use crossarc_learn::composite::{Class, PackedParts};
use crossarc_learn::packed::{PackedMap, TableFacts};
use crossarc_model::{Container, ModelError, SectionBytes};
use encoder::Reference;
use neural::{Outside, WordMemory, WordModel};

const LEXICON: &str = "tagger lexicon";
/// For each direction, the sections of first tags and of tags.
const READERS: [[[&str; 2]; 2]; 2] = [
    [["tagger first tags", "tagger first tag lists"], ["tagger tags", "tagger tag lists"]],
    [
        ["tagger mirrored first tags", "tagger mirrored first tag lists"],
        ["tagger mirrored tags", "tagger mirrored tag lists"],
    ],
];
const ANALYSES: [&str; 2] = ["tagger analyses", "tagger analysis lists"];

/// Part of the header of a model: what a tagger is, but for its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaggerHeader {
    /// Tags and analyses.
    pub inventory: Inventory,
    /// Table of weights of the first tags.
    pub first_table: TableFacts,
    /// Table of weights of tags.
    pub tag_table: TableFacts,
    /// The same two of the reader of mirrored sentences, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirrored_tables: Option<[TableFacts; 2]>,
    /// Table of weights of analyses.
    pub analysis_table: TableFacts,
    /// How much a net counts, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<NetWeights>,
    /// How it came about.
    pub training: TaggerTraining,
}

/// How a tagger came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaggerTraining {
    /// Sentences trained on.
    pub sentences: usize,
    /// Words trained on.
    pub words: usize,
    /// Seed.
    pub seed: u64,
    /// Runs that were averaged.
    pub runs: usize,
    /// Accuracy on the development set, in percent.
    pub dev: Option<TagAccuracy>,
}

/// Words with the right tag, in percent.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TagAccuracy {
    /// UPOS.
    pub upos: f64,
    /// XPOS.
    pub xpos: f64,
    /// FEATS.
    pub feats: f64,
    /// All three.
    pub all: f64,
}

/// Predicts UPOS, XPOS and FEATS.
#[derive(Clone, Debug)]
pub struct Tagger {
    pub(super) inventory: Inventory,
    pub(super) choices: Choices,
    pub(super) lexicon: Lexicon,
    /// One that reads sentences as they are, and perhaps one that reads them mirrored: of their
    /// scores the sum counts.
    pub(super) readers: Vec<Reader>,
    pub(super) analyses: PackedParts,
    pub(super) net: Option<TagNet>,
    pub(super) training: TaggerTraining,
}

/// Chooses the tags of a sentence in two passes.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub first: PackedParts,
    pub tags: PackedParts,
}

/// Working memory of a tagger, one per thread.
#[derive(Clone, Debug, Default)]
pub struct TaggerMemory {
    forms: Forms,
    mirrored: Vec<Form>,
    features: Vec<u64>,
    scores: Vec<f32>,
    /// For each word the scores of all parts of tags, of all readers together.
    totals: Vec<f32>,
    sums: Vec<i32>,
    /// Tags of the first pass.
    first: Vec<u32>,
    tags: Vec<u32>,
    analyses: Vec<Class>,
    net: WordMemory,
    /// What the net says about the words of the sentence.
    said: Vec<f32>,
}

/// Tags from right to left; `choose` is told the word, and asked only where there is doubt.
pub(super) fn first_pass(
    forms: &[Form],
    tags: &mut Vec<u32>,
    features: &mut Vec<u64>,
    mut choose: impl FnMut(usize, &mut Vec<u64>) -> u32,
) {
    tags.clear();
    tags.resize(forms.len(), 1);
    let mut after = [1, 1];
    for at in (0..forms.len()).rev() {
        tags[at] = forms[at].certain;
        if tags[at] == 0 {
            features.clear();
            features::of_first_tag(forms, at, after, features);
            tags[at] = choose(at, features);
        }
        after = [tags[at], after[0]];
    }
}

/// Tags from left to right, with those of the first pass in view; `choose` as in the first pass.
pub(super) fn second_pass(
    forms: &[Form],
    first: &[u32],
    tags: &mut Vec<u32>,
    features: &mut Vec<u64>,
    mut choose: impl FnMut(usize, &mut Vec<u64>) -> u32,
) {
    tags.clear();
    let mut before = [1, 1];
    for at in 0..forms.len() {
        let mut tag = forms[at].certain;
        if tag == 0 {
            let first = [at, at + 1, at + 2].map(|at| first.get(at).copied().unwrap_or(1));
            features.clear();
            features::of_tag(forms, at, before, first, features);
            tag = choose(at, features);
        }
        tags.push(tag);
        before = [tag, before[0]];
    }
}

impl Tagger {
    /// Writes UPOS, XPOS and FEATS of every word.
    pub fn tag(&self, sentence: &mut Sentence, memory: &mut TaggerMemory) {
        self.tag_all(&mut [sentence], memory);
    }

    /// Tags sentences as [`Tagger::tag`] does each of them; a net is faster that way.
    pub fn tag_all(&self, sentences: &mut [&mut Sentence], memory: &mut TaggerMemory) {
        let read: Vec<&Sentence> = sentences.iter().map(|sentence| &**sentence).collect();
        let said = self.net.as_ref().map(|net| net.score(&read, &mut memory.net));
        let mut said = said.unwrap_or_default().into_iter();
        for sentence in sentences {
            memory.said = said.next().unwrap_or_default();
            self.tag_alone(sentence, memory);
        }
    }

    /// Tags a sentence when the net has said its part.
    fn tag_alone(&self, sentence: &mut Sentence, memory: &mut TaggerMemory) {
        self.predict(sentence.words().map(|word| word.form()), memory);
        for (id, &analysis) in (1..).zip(&memory.analyses) {
            let Some(analysis) = self.inventory.analyses.get(usize::from(analysis)) else {
                continue;
            };
            let tag = &self.inventory.tags[usize::from(analysis.tag)];
            sentence.set(id, Column::Upos, &tag.upos);
            sentence.set(id, Column::Xpos, &analysis.xpos);
            sentence.set(id, Column::Feats, &analysis.feats);
        }
    }

    /// Predicts, and leaves the analyses in the memory.
    fn predict<'a>(&self, forms: impl IntoIterator<Item = &'a str>, memory: &mut TaggerMemory) {
        memory.forms.fill(forms, &self.lexicon);
        self.choose_tags(memory);
        let TaggerMemory { forms: words, features, scores, sums, tags, analyses, said, .. } =
            memory;
        let forms = words.as_slice();
        analyses.clear();
        let mut before = 1;
        for at in 0..forms.len() {
            let tag = (tags[at] as usize).saturating_sub(2);
            let candidates = self.choices.of_tag.get(tag).map_or(&[][..], |list| list);
            let best = if let [only] = candidates[..] {
                only
            } else {
                features.clear();
                features::of_analysis(forms, at, tags, before, features);
                scores.clear();
                scores.resize(self.choices.analyses.part_count(), 0.0);
                self.analyses.add_scores(features, sums, scores);
                if let Some(net) = &self.net {
                    net.add_analyses(said, at, scores);
                }
                self.choices.analyses.best(candidates, scores).unwrap_or_default()
            };
            before = u32::from(best) + 2;
            analyses.push(best);
        }
    }

    /// Leaves the tags of the words in the memory.
    fn choose_tags(&self, memory: &mut TaggerMemory) {
        let TaggerMemory {
            forms, mirrored, features, scores, totals, sums, first, tags, said, ..
        } = memory;
        let forms = forms.as_slice();
        let (classes, all) = (&self.choices.tags, &self.choices.all_tags);
        let parts = classes.part_count();
        let mut choose = |weights: &PackedParts, features: &[u64], total: &mut [f32]| {
            scores.clear();
            scores.resize(parts, 0.0);
            weights.add_scores(features, sums, scores);
            total.iter_mut().zip(&*scores).for_each(|(total, score)| *total += score);
            u32::from(classes.best(all, scores).unwrap_or_default()) + 2
        };
        totals.clear();
        mirrored.clear();
        let several = self.readers.len() > 1 || self.net.is_some();
        if several {
            totals.resize(parts * forms.len(), 0.0);
            mirrored.extend(forms.iter().rev());
        }
        for (number, reader) in self.readers.iter().enumerate() {
            let is_mirrored = number > 0;
            let forms = if is_mirrored { &mirrored[..] } else { forms };
            let place = |at: usize| if is_mirrored { forms.len() - 1 - at } else { at };
            first_pass(forms, first, features, |_, features| {
                choose(&reader.first, features, &mut [])
            });
            second_pass(forms, first, tags, features, |at, features| {
                let start = place(at) * parts;
                let total = totals.get_mut(start..start + parts).unwrap_or_default();
                choose(&reader.tags, features, total)
            });
        }
        if several {
            tags.clear();
            tags.extend(forms.iter().enumerate().map(|(at, form)| {
                let total = &mut totals[at * parts..(at + 1) * parts];
                if let Some(net) = &self.net {
                    net.add_tags(said, at, total);
                }
                let best = || u32::from(classes.best(all, total).unwrap_or_default()) + 2;
                if form.certain == 0 { best() } else { form.certain }
            }));
        }
    }

    /// How often the tagger is right about sentences that have tags.
    pub fn accuracy(&self, sentences: &[Sentence]) -> TagAccuracy {
        let mut memory = TaggerMemory::default();
        let (mut words, mut right) = (0usize, [0usize; 4]);
        for sentence in sentences {
            if let Some(net) = &self.net {
                memory.said = net.score(&[sentence], &mut memory.net).pop().unwrap_or_default();
            }
            self.predict(sentence.words().map(|word| word.form()), &mut memory);
            for (word, &analysis) in sentence.words().zip(&memory.analyses) {
                let Some(analysis) = self.inventory.analyses.get(usize::from(analysis)) else {
                    continue;
                };
                let upos = self.inventory.tags[usize::from(analysis.tag)].upos == word.upos();
                let xpos = analysis.xpos == word.xpos();
                let feats = analysis.feats == word.feats();
                let all = upos && xpos && feats;
                for (sum, is) in right.iter_mut().zip([upos, xpos, feats, all]) {
                    *sum += usize::from(is);
                }
            }
            words += sentence.len();
        }
        let [upos, xpos, feats, all] =
            right.map(|count| count as f64 * 100.0 / words.max(1) as f64);
        TagAccuracy { upos, xpos, feats, all }
    }

    /// Size of the weights in bytes.
    pub fn size(&self) -> usize {
        self.sizes().iter().sum()
    }

    /// True if training has seen the word, whatever its capitals.
    pub fn knows(&self, word: &str) -> bool {
        self.lexicon.knows(word)
    }

    /// Sizes of lexicon, first tags, tags and analyses in bytes.
    pub fn sizes(&self) -> [usize; 4] {
        let Tagger { lexicon, readers, analyses, .. } = self;
        let first = readers.iter().map(|reader| reader.first.size()).sum();
        let tags = readers.iter().map(|reader| reader.tags.size()).sum();
        [lexicon.map().size(), first, tags, analyses.size()]
    }

    /// How it came about.
    pub fn training(&self) -> &TaggerTraining {
        &self.training
    }

    /// Its part of the header of a model.
    pub fn header(&self) -> TaggerHeader {
        let tables = |reader: &Reader| [reader.first.facts(), reader.tags.facts()];
        let [first_table, tag_table] = tables(&self.readers[0]);
        TaggerHeader {
            inventory: self.inventory.clone(),
            first_table,
            tag_table,
            mirrored_tables: self.readers.get(1).map(tables),
            analysis_table: self.analyses.facts(),
            net: self.net.as_ref().map(|net| net.weights),
            training: self.training.clone(),
        }
    }

    /// Its sections of a model.
    pub fn sections(&self) -> Vec<SectionBytes<'_>> {
        let mut sections = vec![self.lexicon.map().section(LEXICON)];
        for (reader, [first, tags]) in self.readers.iter().zip(READERS) {
            sections.extend(reader.first.sections_named(first));
            sections.extend(reader.tags.sections_named(tags));
        }
        sections.extend(self.analyses.sections_named(ANALYSES));
        sections
    }

    /// The sections of its net, if it has one.
    pub fn net_sections(&self) -> Vec<(String, Vec<u8>)> {
        self.net.as_ref().map(TagNet::sections).unwrap_or_default()
    }

    /// The bytes of a model with nothing else in it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let of_net = self.net_sections();
        let mut sections = self.sections();
        sections.extend(of_net.iter().map(|(name, bytes)| SectionBytes { name, bytes }));
        Container::to_bytes(&self.header(), &sections)
    }

    /// The tagger in a model.
    pub fn load(container: &Container, header: TaggerHeader) -> Result<Tagger, ModelError> {
        let TaggerHeader { inventory, first_table, tag_table, mirrored_tables, .. } = header;
        let (analysis_table, training) = (header.analysis_table, header.training);
        inventory.check(container)?;
        let choices = inventory.choices();
        let table = |names, facts, parts| PackedParts::load_named(container, names, facts, parts);
        let tables = std::iter::once([first_table, tag_table]).chain(mirrored_tables);
        let reader =
            |([first, tags], [of_first, of_tags]): ([[&'static str; 2]; 2], [TableFacts; 2])| {
                Ok(Reader {
                    first: table(first, of_first, choices.tags.part_count())?,
                    tags: table(tags, of_tags, choices.tags.part_count())?,
                })
            };
        let net = match header.net {
            None => None,
            Some(weights) => {
                let section = |name: &str| container.section(name).ok().map(|bytes| &**bytes);
                let encoder = Reference::load(container)?;
                let of_encoder = encoder.as_ref().map(|reference| reference.encoder.clone());
                let outside = Outside { encoder: of_encoder, ..Outside::default() };
                let model = WordModel::read(section, &outside)
                    .map_err(|error| container.damaged(&error.to_string()))?;
                let net = TagNet::new(model, weights, encoder, &choices);
                Some(net.ok_or_else(|| container.damaged("the net does not fit the tagger"))?)
            }
        };
        Ok(Tagger {
            net,
            lexicon: Lexicon::new(PackedMap::load(container, LEXICON)?),
            readers: READERS.into_iter().zip(tables).map(reader).collect::<Result<_, _>>()?,
            analyses: table(ANALYSES, analysis_table, choices.analyses.part_count())?,
            inventory,
            choices,
            training,
        })
    }
}
