//! Gradients against finite differences, and that nothing depends on what was asked before.
use super::*;
use crate::inputs::{Inputs, Outside, Vocabulary};

fn shape(layers: usize, curve: Curve) -> ChooserShape {
    let facts = || vec![2, 3];
    let choice = |classes| ChoiceShape { tokens: 3, nodes: 2, facts: facts(), hidden: 4, classes };
    ChooserShape {
        context: ContextShape {
            embedding: 3,
            layers,
            hidden: 2,
            rows: [4, 6, 3],
            vectors: 0,
            encoder: [0; 2],
        },
        choices: vec![choice(3), choice(5)],
        curve,
        stack: None,
    }
}

fn with_stack(layers: usize) -> ChooserShape {
    let stack = Some(StackShape { element: 3, hidden: 4, relations: 4 });
    ChooserShape { stack, ..shape(layers, Curve::Rectifier) }
}

/// States as a sentence of three tokens at least may show them.
fn show(time: usize, memory: &mut ChooserMemory) {
    let seen = memory.show();
    let (lists, arcs): ([&[u32]; 3], &[[u32; 3]]) = match time {
        0 => ([&[0, 1], &[2], &[]], &[]),
        1 => ([&[0, 1], &[2], &[]], &[[1, 2, 3]]),
        2 => ([&[0], &[2, 1], &[1]], &[[2, 1, 0]]),
        _ => ([&[0, 1], &[], &[1]], &[[1, 2, 3], [0, 1, 2]]),
    };
    for (list, tokens) in seen.lists.iter_mut().zip(lists) {
        list.extend(tokens);
    }
    seen.arcs.extend(arcs);
}

fn encoded(tokens: u32) -> Encoded {
    let mut encoded = Encoded::default();
    for token in 0..tokens {
        encoded.bags[0].push([token % 4], 1.0);
        encoded.bags[1].push([token % 6, (token + 2) % 6], 0.7);
        encoded.bags[2].push([token % 3], 1.0);
        encoded.vectors.push(None);
    }
    encoded
}

/// The sum of some products of scores, and its gradient.
fn run(net: &Chooser, gradients: &mut ChooserGradients) -> f64 {
    let mut memory = ChooserMemory::default();
    let lesson = Lesson { dropout: 0.2, seed: 4, step: 1, weight: 0.5 };
    let sentences = vec![(encoded(3), 7), (encoded(5), 8)];
    net.open(sentences, lesson, &mut memory, gradients);
    let mut sum = 0.0;
    for (sentence, tokens) in [[0, NO_TOKEN, 2], [4, 1, 1]].into_iter().enumerate() {
        net.turn_to(sentence, &mut memory);
        for time in 0..6 {
            let kind = time % 2;
            show((time + sentence) % 4, &mut memory);
            let asked = memory.ask(kind);
            asked.tokens.extend(tokens);
            asked.nodes.extend([1, [NO_TOKEN, 2][sentence]]);
            asked.facts.extend([1, 5]);
            let mut scores = vec![0.0; 3 + 2 * kind];
            net.score(kind, &mut memory, &mut scores);
            let steps = [(0_u16, -0.7_f32), (2, 1.1)];
            for (class, step) in steps {
                sum -= 0.5 * f64::from(step) * f64::from(scores[usize::from(class)]);
            }
            net.change(kind, &steps, &mut memory, gradients);
        }
    }
    net.close(&mut memory, gradients);
    sum
}

/// What is said about a sentence does not depend on those before it.
#[test]
fn products_that_are_kept_change_nothing() {
    let word = |form, upos| Columns { form, lemma: "_", upos, xpos: "_", feats: "_" };
    let one = [word("a", "X"), word("b", "Y"), word("a", "X")];
    let two = [word("c", "X"), word("b", "Y"), word("a", "Y"), word("d", "X")];
    let all = one.iter().chain(&two).copied();
    let vocabulary = Vocabulary::of(all, Inputs::default(), 1);
    let encoder = Encoder::new(Inputs::default(), vocabulary, 20, Outside::default());
    for layers in [0, 1] {
        let mut shape = shape(layers, Curve::Rectifier);
        shape.context.rows = encoder.rows();
        let net = Chooser::new(shape, 5);
        let scores = |memory: &mut ChooserMemory, words: &[Columns<'_>]| {
            net.begin(&encoder, words.iter().copied(), memory);
            let mut scores = vec![0.0; 5];
            let asked = memory.ask(1);
            asked.tokens.extend([0, 2, 3]);
            asked.facts.extend([0, 1]);
            net.score(1, memory, &mut scores);
            scores
        };
        let mut memory = ChooserMemory::default();
        for words in [&one[..], &two, &one, &two] {
            let alone = scores(&mut ChooserMemory::default(), words);
            assert_eq!(scores(&mut memory, words), alone, "{layers} layers");
        }
    }
}

/// What is said about a state depends on nothing that was looked at before.
#[test]
fn states_are_what_they_show() {
    let mut shape = with_stack(1);
    let word = |form| Columns { form, lemma: "_", upos: "_", xpos: "_", feats: "_" };
    let words = [word("a"), word("b"), word("c")];
    let vocabulary = Vocabulary::of(words.into_iter(), Inputs::default(), 1);
    let encoder = Encoder::new(Inputs::default(), vocabulary, 20, Outside::default());
    shape.context.rows = encoder.rows();
    let net = Chooser::new(shape, 5);
    let scores = |time: usize, memory: &mut ChooserMemory| {
        show(time, memory);
        let asked = memory.ask(0);
        asked.tokens.extend([0, 2, 3]);
        asked.nodes.extend([1, 2]);
        asked.facts.extend([0, 1]);
        let mut scores = vec![0.0; 3];
        net.score(0, memory, &mut scores);
        scores
    };
    let mut memory = ChooserMemory::default();
    net.begin(&encoder, words.into_iter(), &mut memory);
    for time in [0, 1, 3, 2, 0, 3, 1, 2] {
        let mut fresh = ChooserMemory::default();
        net.begin(&encoder, words.into_iter(), &mut fresh);
        assert_eq!(scores(time, &mut fresh), scores(time, &mut memory));
    }
    assert!(scores(0, &mut memory) != scores(1, &mut memory));
}

#[test]
fn gradients_are_slopes() {
    let shapes = [
        shape(0, Curve::Rectifier),
        shape(0, Curve::Cube),
        shape(2, Curve::Rectifier),
        with_stack(0),
        with_stack(1),
    ];
    for shape in shapes {
        let mut net = Chooser::new(shape, 3);
        let mut rng = Rng::new(9);
        for weight in net.parameters.values_mut() {
            *weight += 0.3 * rng.normal();
        }
        let mut gradients = net.gradients();
        run(&net, &mut gradients);
        let check = |slope: f64, claimed: f32, what: &str| {
            let error = (slope - f64::from(claimed)).abs();
            assert!(error < 4e-3 * (1.0 + slope.abs()), "{what}: {claimed}, slope {slope}");
        };
        for at in 0..gradients.dense.len() {
            let slope = [1e-3_f32, -1e-3].map(|step| {
                let mut moved = net.clone();
                moved.parameters.values_mut()[at] += step;
                run(&moved, &mut moved.gradients())
            });
            check((slope[0] - slope[1]) / 2e-3, gradients.dense[at], "weight");
        }
        for table in 0..gradients.tables.len() {
            for (row, gradient) in gradients.tables[table].touched() {
                for (at, &claimed) in gradient.iter().enumerate() {
                    let slope = [1e-3_f32, -1e-3].map(|step| {
                        let mut moved = net.clone();
                        moved.context.tables[table].values_mut()[row * 3 + at] += step;
                        run(&moved, &mut moved.gradients())
                    });
                    check((slope[0] - slope[1]) / 2e-3, claimed, "vector");
                }
            }
        }
    }
}
