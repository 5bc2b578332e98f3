//! Learning to tokenize from a treebank: an averaged perceptron over the decisions of its text.
use conll::Sentence;

use super::abbreviations::Abbreviations;
use super::characters::Class;
use super::decision::{Decision, History, features};
use super::multiword::MultiwordRules;
use super::paragraph::Paragraph;
use super::segmenter::{Choice, Habits, Sentences, best};
use super::treebank_text::{GoldParagraph, paragraphs};
use super::units::Units;
use super::{Facts, Tokenizer};
use crossarc_learn::packed::PackedMoves;
use crossarc_learn::perceptron::{DenseWeights, MOST_DENSE};
use crossarc_tree::seed::{Rng, Seed};

/// What may be chosen about training.
#[derive(Clone, Debug)]
pub struct TokenizerOptions {
    /// Epochs.
    pub epochs: usize,
    /// By how much the right decision should be better.
    pub margin: f32,
    /// Chance that a feature is not seen, so that none is relied on alone.
    pub dropout: f64,
    /// Chance that what has been decided so far is what the model decided, not what is right.
    pub exploration: f64,
    /// Weights below this are dropped.
    pub prune: f32,
    /// At most this many features are kept.
    pub most_features: usize,
    /// Abbreviations to know besides those of the treebank.
    pub abbreviations: Abbreviations,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for TokenizerOptions {
    fn default() -> TokenizerOptions {
        TokenizerOptions {
            epochs: 8,
            margin: 4.0,
            dropout: 0.3,
            exploration: 0.2,
            prune: 0.05,
            most_features: 100_000,
            abbreviations: Abbreviations::default(),
            seed: 1,
        }
    }
}

/// How often words and sentences were found where they are.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct SegmentationScore {
    /// F1 of tokens, in percent.
    pub tokens: f64,
    /// F1 of sentences, in percent.
    pub sentences: f64,
}

/// A paragraph with the decision behind each cell.
struct Lesson {
    paragraph: Paragraph,
    /// Behind each cell; gaps have none.
    gold: Vec<Decision>,
    plain_blank: Vec<bool>,
}

/// A sentence of a lesson: the cells from `start` to `end`.
#[derive(Copy, Clone)]
struct Stretch {
    lesson: usize,
    start: usize,
    end: usize,
}

impl Lesson {
    fn new(gold: &GoldParagraph) -> Lesson {
        let mut paragraph = Paragraph::default();
        paragraph.fill(&gold.text);
        let offsets = &paragraph.offsets;
        let bytes = gold.text.as_bytes();
        let plain_blank = (0..paragraph.len())
            .map(|cell| &bytes[offsets[cell] as usize..offsets[cell + 1] as usize] == b" ")
            .collect();
        let mut decisions = vec![Decision::Inside; paragraph.len()];
        let mut cell = 0;
        for &(_, end, ends_sentence) in &gold.tokens {
            while cell < paragraph.len() && (offsets[cell + 1] as usize) < end {
                cell += 1;
            }
            if let Some(decision) = decisions.get_mut(cell) {
                *decision = if ends_sentence { Decision::Sentence } else { Decision::Token };
            }
        }
        Lesson { paragraph, gold: decisions, plain_blank }
    }

    fn stretches(&self, lesson: usize, out: &mut Vec<Stretch>) {
        let mut start = 0;
        for (cell, &decision) in self.gold.iter().enumerate() {
            if decision == Decision::Sentence {
                out.push(Stretch { lesson, start, end: cell + 1 });
                let gap = self.paragraph.classes.get(cell + 1) == Some(&Class::Gap);
                start = cell + 1 + usize::from(gap);
            }
        }
    }
}

/// Rarer than this, what a treebank does between letters or with blanks is taken for a slip.
const RARE: f64 = 5e-4;

fn habits(lessons: &[Lesson]) -> Habits {
    let (mut within, mut cut, mut gaps, mut joined) = (0.0, 0.0, 0.0, 0.0);
    for Lesson { paragraph, gold, .. } in lessons {
        for (cell, pair) in paragraph.classes.windows(2).enumerate() {
            if pair[0].is_word() && pair[1].is_word() {
                within += 1.0;
                cut += f64::from(u8::from(gold[cell] != Decision::Inside));
            } else if pair[1] == Class::Gap {
                gaps += 1.0;
                joined += f64::from(u8::from(gold[cell] == Decision::Inside));
            }
        }
    }
    Habits {
        splits_words: cut > within * RARE,
        joins_blanks: joined > gaps * RARE,
        breaks_units: breaks_units(lessons),
    }
}

/// More broken addresses and numbers than this part of them are no slip.
const BROKEN: f64 = 0.05;

/// Whether a treebank ends tokens within addresses and numbers.
fn breaks_units(lessons: &[Lesson]) -> bool {
    let mut units = Units::default();
    let (mut all, mut broken) = (0.0, 0.0);
    for Lesson { paragraph, gold, .. } in lessons {
        units.find(paragraph, &Abbreviations::default(), true);
        for (_, &decision) in gold.iter().enumerate().filter(|&(cell, _)| units.is_within(cell)) {
            all += 1.0;
            broken += f64::from(u8::from(decision != Decision::Inside));
        }
    }
    broken > all * BROKEN
}

/// Learns from the text of a treebank; `dev` may be empty.
pub fn train(
    sentences: &[Sentence],
    dev: &[Sentence],
    options: &TokenizerOptions,
    mut observe: impl FnMut(usize, SegmentationScore),
) -> Tokenizer {
    let given = paragraphs(sentences);
    let mut lessons: Vec<Lesson> = given.iter().map(Lesson::new).collect();
    if given.len() > 1 {
        lessons.push(Lesson::new(&joined(&given)));
    }
    let mut dev = paragraphs(dev);
    if dev.len() > 1 {
        dev.push(joined(&dev));
    }
    let habits = habits(&lessons);
    let mut stretches = Vec::new();
    for (number, lesson) in lessons.iter().enumerate() {
        lesson.stretches(number, &mut stretches);
    }
    let multiword = MultiwordRules::learn(sentences);
    let mut weights = DenseWeights::default();
    let mut list = Vec::new();
    let mut kept: Option<(SegmentationScore, Tokenizer)> = None;
    for epoch in 1..=options.epochs.max(1) {
        Seed(options.seed).fork("tokenizer", epoch as u64).rng().shuffle(&mut stretches);
        let mut rng = Seed(options.seed).fork("tokenizer dropout", epoch as u64).rng();
        for &stretch in &stretches {
            let lesson = &lessons[stretch.lesson];
            study(lesson, stretch, habits, options, &mut rng, &mut weights, &mut list);
        }
        if epoch < options.epochs && dev.is_empty() {
            continue;
        }
        let tokenizer = pack(&weights, habits, &multiword, options);
        if dev.is_empty() {
            return tokenizer;
        }
        let (tokenizer, score) = with_best_bias(tokenizer, &dev);
        observe(epoch, score);
        let sum = |score: SegmentationScore| score.tokens * 5.0 + score.sentences;
        if kept.as_ref().is_none_or(|(best, _)| sum(score) > sum(*best)) {
            kept = Some((score, tokenizer));
        }
    }
    kept.map_or_else(|| pack(&weights, habits, &multiword, options), |(_, tokenizer)| tokenizer)
}

/// All paragraphs in one, so that ends of sentences are also learned where no paragraph ends.
fn joined(paragraphs: &[GoldParagraph]) -> GoldParagraph {
    let mut all = GoldParagraph::default();
    for paragraph in paragraphs {
        let shift = all.text.len();
        all.text.push_str(&paragraph.text);
        all.text.push(' ');
        let tokens = paragraph.tokens.iter();
        all.tokens.extend(tokens.map(|&(start, end, last)| (start + shift, end + shift, last)));
    }
    all
}

fn study(
    lesson: &Lesson,
    stretch: Stretch,
    habits: Habits,
    options: &TokenizerOptions,
    rng: &mut Rng,
    weights: &mut DenseWeights,
    list: &mut Vec<u64>,
) {
    let Lesson { paragraph, gold, plain_blank } = lesson;
    let mut history = History::at(stretch.start);
    let mut cell = stretch.start;
    while cell < stretch.end {
        history.read(paragraph, cell);
        let choice = Choice::at(paragraph, habits, cell, |cell| plain_blank[cell]);
        let right = gold[cell];
        let mut done = right;
        if choice.is_free() && choice.allowed[right as usize] {
            features(paragraph, &history, cell, list);
            list.retain(|_| !rng.chance(options.dropout));
            let mut scores = [0.0; MOST_DENSE];
            weights.add_scores(list, &mut scores);
            weights.tick();
            if rng.chance(options.exploration) {
                let found = best(&scores, choice.allowed);
                if found != Decision::Sentence && right != Decision::Sentence {
                    done = found;
                }
            }
            let mut others = choice.allowed;
            others[right as usize] = false;
            let rival = best(&scores, others);
            if scores[right as usize] - scores[rival as usize] < options.margin {
                weights.update(list, &[(right as u16, 1.0), (rival as u16, -1.0)]);
            }
        }
        if done == Decision::Inside && choice.next == cell + 2 {
            history.read(paragraph, cell + 1);
        }
        history.decide(done, choice.next);
        cell = choice.next;
    }
}

fn pack(
    weights: &DenseWeights,
    habits: Habits,
    multiword: &MultiwordRules,
    options: &TokenizerOptions,
) -> Tokenizer {
    let top = |row: [f32; MOST_DENSE]| row.iter().fold(0f32, |top, w| top.max(w.abs()));
    let mut tops: Vec<f32> = weights.averaged().map(|(_, row)| top(row)).collect();
    tops.sort_by(|one, other| other.total_cmp(one));
    let limit = tops.get(options.most_features).copied().unwrap_or(0.0);
    let weights =
        PackedMoves::pack(weights, Decision::ALL.len(), options.prune.max(limit.next_up()));
    let facts = Facts { habits, sentence_bias: 0.0, weights: weights.facts() };
    let abbreviations = options.abbreviations.clone();
    Tokenizer { facts, weights, multiword: multiword.clone(), abbreviations }
}

/// Finds how much to favour ends of sentences, which few training texts are balanced for.
fn with_best_bias(
    mut tokenizer: Tokenizer,
    dev: &[GoldParagraph],
) -> (Tokenizer, SegmentationScore) {
    let mut best = (0.0, score(&tokenizer, dev));
    for step in [-20.0, -15.0, -10.0, -7.5, -5.0, -2.5, 2.5, 5.0, 7.5, 10.0] {
        tokenizer.facts.sentence_bias = step;
        let found = score(&tokenizer, dev);
        if found.sentences > best.1.sentences {
            best = (step, found);
        }
    }
    tokenizer.facts.sentence_bias = best.0;
    (tokenizer, best.1)
}

/// Compares with the tokens and sentences of paragraphs.
pub fn score(tokenizer: &Tokenizer, gold: &[GoldParagraph]) -> SegmentationScore {
    let mut segmenter = tokenizer.segmenter();
    let mut spans = Vec::new();
    let mut counts = [[0usize; 3]; 2];
    for paragraph in gold {
        segmenter.segment(&paragraph.text, Sentences::Found, &mut spans);
        let found: Vec<_> = spans.iter().map(|s| (s.start, s.end, s.ends_sentence)).collect();
        let pairs = |list: &[(usize, usize, bool)]| -> Vec<(usize, usize)> {
            list.iter().map(|&(start, end, _)| (start, end)).collect()
        };
        count(&pairs(&paragraph.tokens), &pairs(&found), &mut counts[0]);
        count(&sentences_of(&paragraph.tokens), &sentences_of(&found), &mut counts[1]);
    }
    let [tokens, sentences] =
        counts.map(|[gold, found, both]| 200.0 * both as f64 / (gold + found).max(1) as f64);
    SegmentationScore { tokens, sentences }
}

fn sentences_of(tokens: &[(usize, usize, bool)]) -> Vec<(usize, usize)> {
    let mut sentences = Vec::new();
    let mut first = None;
    for &(start, end, ends) in tokens {
        let start = *first.get_or_insert(start);
        if ends {
            sentences.push((start, end));
            first = None;
        }
    }
    sentences
}

fn count(gold: &[(usize, usize)], found: &[(usize, usize)], counts: &mut [usize; 3]) {
    counts[0] += gold.len();
    counts[1] += found.len();
    let mut found = found.iter().peekable();
    for span in gold {
        while found.next_if(|other| *other < span).is_some() {}
        counts[2] += usize::from(found.peek() == Some(&span));
    }
}
