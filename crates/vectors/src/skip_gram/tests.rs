//! Steps against finite differences, threads against each other, words against words.
use super::*;

fn corpus(text: &str) -> Corpus {
    let mut corpus = Corpus::default();
    corpus.read(text.as_bytes()).unwrap();
    corpus
}

/// Sentences of animals that do what animals do, and of cars that do what cars do.
fn small_text() -> String {
    let mut rng = Rng::new(5);
    let mut text = String::new();
    for _ in 0..3_000 {
        let of = |words: &[&'static str], rng: &mut Rng| words[rng.below(words.len())];
        let (who, does) = if rng.below(2) == 0 {
            (["cat", "dog", "horse"], ["sleeps", "eats", "runs"])
        } else {
            (["car", "truck", "tram"], ["rusts", "stops", "drives"])
        };
        text += of(&["the", "a", "this"], &mut rng);
        text += " ";
        text += of(&who, &mut rng);
        text += " ";
        text += of(&does, &mut rng);
        text += "\n\n";
    }
    text
}

fn small() -> Options {
    let frequent = 1.0;
    Options { width: 20, epochs: 8, window: 2, buckets: 500, frequent, ..Options::default() }
}

fn cosine(vectors: &WordVectors, one: &str, other: &str) -> f32 {
    let of = |word: &str| {
        vectors.vector(vectors.words().iter().position(|known| known == word).unwrap())
    };
    let (one, other) = (of(one), of(other));
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

#[test]
fn words_among_the_same_words_are_alike() {
    let text = small_text();
    for buckets in [0, 500] {
        let vectors = learn(corpus(&text), &Options { buckets, ..small() }, &|_| false).unwrap();
        assert_eq!(vectors.words().len(), 15);
        for (one, like, unlike) in [
            ("cat", "dog", "truck"),
            ("horse", "cat", "tram"),
            ("tram", "truck", "dog"),
            ("sleeps", "eats", "rusts"),
            ("drives", "stops", "runs"),
        ] {
            let (near, far) = (cosine(&vectors, one, like), cosine(&vectors, one, unlike));
            assert!(near > far + 0.1, "{one}: {like} {near}, {unlike} {far}, {buckets} buckets");
        }
    }
}

/// A rare word with the letters of a frequent one is near it.
#[test]
fn letters_help_rare_words() {
    let text = small_text().replacen("the cat sleeps", "the catlike one", 1);
    let options = Options { least_count: 1, ..small() };
    let vectors = learn(corpus(&text), &options, &|_| false).unwrap();
    let (near, far) = (cosine(&vectors, "catlike", "cat"), cosine(&vectors, "catlike", "truck"));
    assert!(near > far, "{near} {far}");
}

#[test]
fn threads_change_nothing() {
    let text = small_text();
    let learned = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = Options { epochs: 1, ..small() };
        pool.install(|| learn(corpus(&text), &options, &|_| false).unwrap())
    };
    let one = learned(1);
    assert_eq!(one, learned(3));
    let other = Options { epochs: 1, seed: 2, ..small() };
    assert_ne!(one, learn(corpus(&text), &other, &|_| false).unwrap());
}

/// A step goes where the loss falls fastest: its change is the slope that small differences find.
#[test]
fn steps_follow_the_slope_of_the_loss() {
    let options = Options { width: 3, buckets: 97, least_count: 1, ..Options::default() };
    let course = Course::new(corpus("aba ab b aba").ranked(1), &options);
    let (words, width) = (course.corpus.words.len(), options.width);
    let mut rng = Rng::new(3);
    let mut random =
        |rows: usize| -> Vec<f32> { (0..rows * width).map(|_| rng.unit() * 2.0 - 1.0).collect() };
    let (input, output) = (random(words + options.buckets), random(words));
    let targets = vec![(1, 1.0), (2, 0.0), (0, 0.0)];
    let loss = |input: &[f32], output: &[f32]| -> f64 {
        let mut mean = vec![0.0; width];
        course.mean(0, input, &mut mean);
        let of = |&(target, right): &(u32, f32)| {
            let start = target as usize * width;
            let score = f64::from(product(&mean, &output[start..start + width]));
            let sign = if right > 0.5 { 1.0 } else { -1.0 };
            (1.0 + (-sign * score).exp()).ln()
        };
        targets.iter().map(of).sum()
    };
    let mut part = Part {
        input: Copies::new(words + options.buckets),
        output: Copies::new(words),
        kept: Vec::new(),
        mean: vec![0.0; width],
        change: vec![0.0; width],
        targets: targets.clone(),
        places: Vec::new(),
        scores: Vec::new(),
    };
    course.step(&mut part, 0, (&input, &output), 1.0);
    part.input.subtract(&input, width);
    part.output.subtract(&output, width);
    let (mut new_input, mut new_output) = (input.clone(), output.clone());
    part.input.give(&mut new_input, width, &[1; 100]);
    part.output.give(&mut new_output, width, &[1; 3]);
    let small = 1e-3;
    let slope = |numbers: &[f32], at: usize, loss: &dyn Fn(&[f32]) -> f64| {
        let mut moved = numbers.to_vec();
        moved[at] += small;
        let above = loss(&moved);
        moved[at] -= 2.0 * small;
        (above - loss(&moved)) / (2.0 * f64::from(small))
    };
    for at in 0..output.len() {
        let expected = -slope(&output, at, &|output| loss(&input, output));
        let found = f64::from(new_output[at] - output[at]);
        assert!((found - expected).abs() < 1e-2, "output {at}: {found} {expected}");
    }
    // Rows share what their mean should be changed by; each gets all of it, as in fastText.
    let rows = course.rows_of(0);
    for number in 0..width {
        let all: f64 = rows
            .iter()
            .map(|&row| {
                -slope(&input, row as usize * width + number, &|input| loss(input, &output))
            })
            .sum();
        let mut different: Vec<u32> = rows.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), rows.len(), "the test needs rows without collisions");
        for &row in rows {
            let at = row as usize * width + number;
            let found = f64::from(new_input[at] - input[at]);
            assert!((found - all).abs() < 1e-2, "row {row}: {found} {all}");
        }
    }
}

#[test]
fn what_cannot_be_learned_is_told() {
    let told = |text: &str, options: &Options| {
        learn(corpus(text), options, &|_| false).unwrap_err().to_string()
    };
    assert!(told("a b c", &Options::default()).contains("--least-count"));
    assert!(told("a", &Options { width: 0, ..Options::default() }).contains("1 to 1024"));
    let alone = Options { least_count: 1, ..small() };
    assert_eq!(learn(corpus("a"), &alone, &|_| false).unwrap().words(), ["a"]);
    let text = small_text().repeat(3);
    assert!(matches!(learn(corpus(&text), &small(), &|_| true), Err(LearnError::Interrupted(_))));
}
