//! Small encoders with random weights: against the formulas written out, in batches and windows, and
//! damaged in many ways.
use std::sync::Arc;

use crossarc_model::{Bytes, Container, SectionBytes};
use encoder::testing::{
    HEADS, LAYERS, PIECES, PLACES, WIDE, WIDTH, Weights, config, files, safetensors, tokenizer,
    weights,
};
use encoder::{Encoder, EncoderError, Outputs, Reference, TransformerMemory};
use nn::seed::Rng;
use serde_json::{Value, json};

fn open(files: &[Vec<u8>; 3]) -> Result<Arc<Encoder>, EncoderError> {
    Encoder::from_files(files.each_ref().map(|bytes| Bytes::copy(bytes)))
}

fn numbers(outputs: &Outputs) -> Vec<f32> {
    (0..outputs.tokens()).flat_map(|token| outputs.of(token)).collect()
}

#[test]
fn words_are_cut_into_the_longest_pieces() {
    let encoder = open(&files(1)).unwrap();
    let words = ["abc", "aabc", "É!a", "abd", "", "\u{ad}", "aaaaaaaaaaaaa", "[CLS]"];
    let pieces = encoder.tokenizer().pieces(words.into_iter());
    let told = |word: usize| -> Vec<&str> {
        pieces.of_word(word).iter().map(|&id| PIECES[id as usize]).collect()
    };
    assert_eq!(told(0), ["ab", "##c"]);
    assert_eq!(told(1), ["a", "##abc"]);
    assert_eq!(told(2), ["é", "!", "a"]);
    for unknown in [3, 4, 5, 6] {
        assert_eq!(told(unknown), ["[UNK]"], "word {unknown}");
    }
    assert_eq!(told(7), ["[UNK]", "[UNK]", "[UNK]"]);
    let long = "!".repeat(100_000);
    let pieces = encoder.tokenizer().pieces([long.as_str(), "b"].into_iter());
    assert_eq!(pieces.of_word(0).len(), encoder::MOST_PIECES_OF_WORD);
    assert_eq!(pieces.of_word(1), [5]);
}

/// The net by its formulas, in double precision, one number at a time.
fn by_formula(weights: &Weights, ids: &[u32]) -> Vec<Vec<f64>> {
    let row = |name: &str, at: usize| -> Vec<f64> {
        weights[name].1[at * WIDTH..][..WIDTH].iter().map(|&x| f64::from(x)).collect()
    };
    let add = |one: &[f64], other: &[f64]| -> Vec<f64> {
        one.iter().zip(other).map(|(a, b)| a + b).collect()
    };
    let affine = |name: &str, x: &[f64]| -> Vec<f64> {
        let (matrix, bias) =
            (&weights[&format!("{name}.weight")].1, &weights[&format!("{name}.bias")].1);
        let rows = matrix.chunks_exact(x.len()).zip(bias);
        rows.map(|(row, &bias)| {
            f64::from(bias) + row.iter().zip(x).map(|(&w, x)| f64::from(w) * x).sum::<f64>()
        })
        .collect()
    };
    let norm = |name: &str, x: &[f64]| -> Vec<f64> {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
        let normal: Vec<f64> = x.iter().map(|x| (x - mean) / (variance + 1e-12).sqrt()).collect();
        let (scale, bias) = (row(&format!("{name}.weight"), 0), row(&format!("{name}.bias"), 0));
        normal.iter().zip(scale.iter().zip(&bias)).map(|(x, (a, b))| x * a + b).collect()
    };
    // The integral of the bell curve, by the rule of Simpson.
    let gelu = |x: f64| {
        let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let step = x / 200.0;
        let inner = (0..100).map(|at| {
            let from = 2.0 * f64::from(at) * step;
            density(from) + 4.0 * density(from + step) + density(from + 2.0 * step)
        });
        x * (0.5 + inner.sum::<f64>() * step / 3.0)
    };
    let mut x: Vec<Vec<f64>> = ids
        .iter()
        .enumerate()
        .map(|(place, &id)| {
            let sum = add(
                &row("embeddings.word_embeddings.weight", id as usize),
                &row("embeddings.position_embeddings.weight", place),
            );
            let sum = add(&sum, &row("embeddings.token_type_embeddings.weight", 0));
            norm("embeddings.LayerNorm", &sum)
        })
        .collect();
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let of = |part: &str| -> Vec<Vec<f64>> {
            x.iter().map(|x| affine(&name(&format!("attention.self.{part}")), x)).collect()
        };
        let (queries, keys, values) = (of("query"), of("key"), of("value"));
        let size = WIDTH / HEADS;
        let attend = |at: usize| -> Vec<f64> {
            let mut read = vec![0.0; WIDTH];
            for head in (0..WIDTH).step_by(size) {
                let score = |key: &Vec<f64>| {
                    let products = (head..head + size).map(|i| queries[at][i] * key[i]);
                    (products.sum::<f64>() / (size as f64).sqrt()).exp()
                };
                let scores: Vec<f64> = keys.iter().map(score).collect();
                let all: f64 = scores.iter().sum();
                for (score, value) in scores.iter().zip(&values) {
                    for i in head..head + size {
                        read[i] += score / all * value[i];
                    }
                }
            }
            read
        };
        let attended: Vec<Vec<f64>> = (0..x.len()).map(attend).collect();
        for (x, attended) in x.iter_mut().zip(&attended) {
            let sum = add(x, &affine(&name("attention.output.dense"), attended));
            let middle = norm(&name("attention.output.LayerNorm"), &sum);
            let wide: Vec<f64> =
                affine(&name("intermediate.dense"), &middle).into_iter().map(gelu).collect();
            let sum = add(&middle, &affine(&name("output.dense"), &wide));
            *x = norm(&name("output.LayerNorm"), &sum);
        }
    }
    x
}

#[test]
fn numbers_are_those_of_the_formulas() {
    let encoder = open(&files(2)).unwrap();
    let mut rng = Rng::new(5);
    for length in [1, 2, 7, PLACES] {
        let ids: Vec<u32> = (0..length).map(|_| rng.below(PIECES.len()) as u32).collect();
        let exact = by_formula(&weights(2), &ids);
        let mut met = Vec::new();
        let mut memory = TransformerMemory::default();
        encoder.transformer().run(&ids, &[length], &mut memory, |layer, x| {
            met.push(layer);
            if layer == LAYERS {
                for (found, exact) in x.iter().zip(exact.iter().flatten()) {
                    assert!((f64::from(*found) - exact).abs() < 1e-4, "{found} {exact}");
                }
            }
        });
        assert_eq!(met, [0, 1, 2]);
    }
}

fn sentence(rng: &mut Rng, words: usize) -> Vec<String> {
    let mut word = || {
        let letters = 1 + rng.below(6);
        (0..letters).map(|_| ["a", "b", "c", "é", "!"][rng.below(5)]).collect()
    };
    (0..words).map(|_| word()).collect()
}

#[test]
fn a_sentence_gets_the_same_numbers_whatever_stands_beside_it() {
    let encoder = open(&files(3)).unwrap();
    encoder.remember(0);
    let mut rng = Rng::new(6);
    let lengths = [3, 1, 0, 200, 9, 2, 2, 30, 1, 15, 700, 4];
    let sentences: Vec<Vec<String>> = lengths.map(|words| sentence(&mut rng, words)).into();
    let words: Vec<Vec<&str>> =
        sentences.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
    let together = encoder.outputs(&words);
    for (words, outputs) in words.iter().zip(&together) {
        assert_eq!(outputs.tokens(), words.len() + 1);
        let alone = encoder.outputs(std::slice::from_ref(words));
        assert!(alone[0] == *outputs, "{} words", words.len());
    }
    let backwards: Vec<Vec<&str>> = words.iter().rev().cloned().collect();
    let backwards = encoder.outputs(&backwards);
    assert!(backwards.iter().rev().eq(&together));
    std::thread::scope(|scope| {
        for part in words.chunks(3).zip(together.chunks(3)) {
            let encoder = &encoder;
            scope.spawn(move || assert!(encoder.outputs(part.0) == part.1));
        }
    });
}

#[test]
fn a_word_is_the_mean_of_its_pieces_in_its_window() {
    let encoder = open(&files(4)).unwrap();
    let words = vec!["abc", "b", "!!"];
    let outputs = encoder.outputs(std::slice::from_ref(&words));
    let found = numbers(&outputs[0]);
    let ids = [2, 11, 9, 5, 10, 10, 3];
    let exact = by_formula(&weights(4), &ids);
    for (token, rows) in [0..1, 1..3, 3..4, 4..6].into_iter().enumerate() {
        for at in 0..WIDTH {
            let mean =
                exact[rows.clone()].iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64;
            // The last layer stands behind the first.
            let found = found[(token * LAYERS + 1) * WIDTH + at];
            assert!((f64::from(found) - mean).abs() < 2e-3, "half precision");
        }
    }
    // Thirty pieces do not fit in twenty places: the middle of the second window is that of a text of its own.
    let many: Vec<&str> = ["a", "b", "c"].into_iter().cycle().take(30).collect();
    let long = numbers(&encoder.outputs(std::slice::from_ref(&many))[0]);
    let window = numbers(&encoder.outputs(&[many[9..27].to_vec()])[0]);
    let size = LAYERS * WIDTH;
    assert_eq!(long[(15 + 1) * size..][..size], window[(15 - 9 + 1) * size..][..size]);
}

#[test]
fn what_was_said_is_remembered_and_encoders_are_shared() {
    let encoder = open(&files(7)).unwrap();
    let words = [vec!["ab"], vec!["a", "b"]];
    let (one, other) = (encoder.outputs(&words), encoder.outputs(&words));
    assert!(one.iter().zip(&other).all(|(one, other)| Arc::ptr_eq(one, other)));
    // Blanks and line ends within words do not make words equal.
    assert_eq!(encoder.outputs(&[vec!["a\nb"]])[0].tokens(), 2);
    assert!(Arc::ptr_eq(&encoder, &open(&files(7)).unwrap()));
    assert!(Encoder::in_use(encoder.fingerprints()).is_some());
    let other = open(&files(8)).unwrap();
    assert!(!Arc::ptr_eq(&encoder, &other) && encoder.fingerprints() != other.fingerprints());
    let fingerprints = other.fingerprints().to_vec();
    drop(other);
    assert!(Encoder::in_use(&fingerprints).is_none());
}

#[test]
fn halves_are_read_too() {
    let words = [vec!["abc", "b"]];
    let exact = numbers(&open(&files(9)).unwrap().outputs(&words)[0]);
    for (kind, tolerance) in [("F16", 0.02), ("BF16", 0.15)] {
        let mut files = files(9);
        files[2] = safetensors(&weights(9), kind);
        let found = numbers(&open(&files).unwrap().outputs(&words)[0]);
        assert!(found.iter().zip(&exact).all(|(a, b)| (a - b).abs() < tolerance), "{kind}");
    }
}

#[test]
fn wrong_files_are_refused_with_a_reason() {
    let good = files(10);
    let told = |file: usize, bytes: Vec<u8>, told: &str| {
        let mut files = good.clone();
        files[file] = bytes;
        let error = open(&files).unwrap_err().to_string();
        assert!(error.starts_with(encoder::FILES[file]) && error.contains(told), "{error}");
    };
    let with = |mut value: Value, path: &str, to: Value| {
        *value.pointer_mut(path).unwrap() = to;
        serde_json::to_vec(&value).unwrap()
    };
    for (path, to, what) in [
        ("/model_type", json!("roberta"), "type `roberta`, but only encoders of the type `bert`"),
        ("/hidden_act", json!("swish"), "the curve `swish` is not known"),
        ("/hidden_size", json!(0), "`hidden_size` is 0, possible are 1 to"),
        ("/hidden_size", json!(-3), "no encoder is described"),
        ("/num_attention_heads", json!(5), "cannot be shared by 5 heads"),
        ("/num_hidden_layers", json!(1_000_000_000), "possible are 1 to"),
        ("/max_position_embeddings", json!(1_u64 << 60), "possible are 1 to"),
        ("/layer_norm_eps", json!(7), "no small number"),
    ] {
        told(0, with(config(), path, to), what);
    }
    told(0, b"{\"model_type\":".to_vec(), "no encoder is described: EOF");
    let mut few = files(10);
    few[0] = with(config(), "/num_hidden_layers", json!(3));
    let error = open(&few).unwrap_err().to_string();
    assert!(
        error.contains("`encoder.layer.2.attention.self.query.weight`: it is missing"),
        "{error}"
    );
    few[0] = with(config(), "/intermediate_size", json!(WIDE + 1));
    let error = open(&few).unwrap_err().to_string();
    assert!(
        error.contains("its sizes are 1100 x 48, by config.json they should be 1101 x 48"),
        "{error}"
    );
    for (path, to, what) in [
        ("/model/type", json!("Unigram"), "kind `Unigram`, but only WordPiece"),
        ("/model/vocab", json!([1]), "`model`: invalid type"),
        ("/model/vocab", json!({"a": 0}), "the unknown piece `[UNK]` is not in the vocabulary"),
        ("/model/vocab", json!({"[UNK]": 99}), "number 99, but the weights are for 14 pieces"),
        ("/model/vocab", json!({"[UNK]": 1, "x".repeat(2000): 2}), "is longer than 1024 bytes"),
        ("/model/max_input_chars_per_word", json!(1_000_000), "at most 1000 is possible"),
        ("/pre_tokenizer", json!({"type": "ByteLevel"}), "`pre_tokenizer`: unknown variant"),
        ("/pre_tokenizer", json!(null), "`pre_tokenizer` is missing"),
        ("/normalizer", json!({"type": "Precompiled"}), "`normalizer`: unknown variant"),
        ("/post_processor/sep", json!(["[SEP]", 70]), "number 70, but the weights are for 14"),
        (
            "/post_processor",
            json!({"type": "TemplateProcessing", "special_tokens": {}, "single": [{"SpecialToken": {"id": "[X]", "type_id": 0}}]}),
            "`[X]` is not described",
        ),
        (
            "/post_processor",
            json!({"type": "TemplateProcessing", "special_tokens": {}, "single": []}),
            "expected one sentence",
        ),
        ("/added_tokens/0/special", json!(false), "is not a special one"),
    ] {
        told(1, with(tokenizer(), path, to), what);
    }
    let deep = format!("{}1{}", "{\"model\":".repeat(10_000), "}".repeat(10_000));
    told(1, deep.into_bytes(), "this is no tokenizer: recursion limit");
    let rules = |depth: usize| {
        (0..depth).fold(
            json!({"type": "NFC"}),
            |rule, _| json!({"type": "Sequence", "normalizers": [rule]}),
        )
    };
    let mut deep = good.clone();
    deep[1] = with(tokenizer(), "/normalizer", rules(50));
    open(&deep).unwrap();
    let changed = |change: &dyn Fn(&mut Weights)| {
        let mut weights = weights(10);
        change(&mut weights);
        safetensors(&weights, "F32")
    };
    let name = "encoder.layer.1.output.dense.bias";
    let bytes = changed(&|weights| weights.get_mut(name).unwrap().1[3] = f32::NAN);
    told(2, bytes, "holds something that is not a number");
    told(2, changed(&|weights| drop(weights.remove(name))), "dense.bias`: it is missing");
    let huge = changed(&|weights| {
        weights.get_mut("embeddings.LayerNorm.weight").unwrap().1.fill(f32::MAX);
    });
    let error = open(&[good[0].clone(), good[1].clone(), huge]).unwrap_err().to_string();
    assert!(error.contains("what comes out of the encoder is not a number"), "{error}");
    told(2, good[2][..good[2].len() - 1].to_vec(), "it was cut off");
    told(2, Vec::new(), "it ends within the length of its header");
    let missing = Encoder::open("no/such/folder".as_ref()).unwrap_err().to_string();
    assert!(missing.contains("config.json"), "{missing}");
}

/// Files with a few bytes changed, cut or doubled are refused or work: no panic, no number that is none.
#[test]
fn damaged_files_never_break_anything() {
    let good = files(11);
    let mut rng = Rng::new(12);
    let mut opened = 0;
    for round in 0..600 {
        let mut files = good.clone();
        let file = [0, 1, 1, 2][round % 4];
        // Of the weights only what stands before the numbers, and a little of these.
        let reach = files[file].len().min(8_000);
        for _ in 0..=rng.below(3) {
            let at = rng.below(reach.min(files[file].len()).max(1));
            let end = (at + 1 + rng.below(20)).min(files[file].len());
            match rng.below(5) {
                0 => files[file].truncate(at),
                1 => drop(files[file].drain(at..end)),
                2 => {
                    let copy = files[file][at..end].to_vec();
                    drop(files[file].splice(at..at, copy));
                }
                3 => files[file][at] = b"0189-{}[]\",:eE.ntf\\"[rng.below(19)],
                _ => files[file][at] ^= 1 << rng.below(8),
            }
            if files[file].is_empty() {
                break;
            }
        }
        let Ok(encoder) = open(&files) else { continue };
        opened += 1;
        let outputs = encoder.outputs(&[vec!["abc", "[CLS]", "é!"], vec![]]);
        assert!(outputs.iter().all(|outputs| numbers(outputs).iter().all(|x| x.is_finite())));
    }
    assert!(opened > 10, "{opened}");
}

#[test]
fn a_model_finds_its_encoder_or_tells_what_to_do() {
    let folder = std::env::temp_dir().join(format!("crossarc-encoder-{}", std::process::id()));
    let own = folder.join("small");
    std::fs::create_dir_all(&own).unwrap();
    let put = |seed: u64| {
        for (name, bytes) in encoder::FILES.iter().zip(files(seed)) {
            // Not in place: files that are mapped must not change.
            let _ = std::fs::remove_file(own.join(name));
            std::fs::write(own.join(name), bytes).unwrap();
        }
    };
    put(20);
    let model = |inside: bool| {
        let encoder = Encoder::open(&own).unwrap();
        let reference = Reference { encoder, folder: "elsewhere/small".into(), inside };
        let sections = reference.sections();
        let sections = sections.iter().map(|(name, bytes)| SectionBytes { name, bytes });
        Container::to_bytes(&(), &sections.collect::<Vec<_>>())
    };
    let load = |bytes: &[u8]| {
        let path = folder.join("model.crossarc");
        Reference::load(&Container::from_bytes(&path, &Bytes::copy(bytes)).unwrap())
    };
    let (outside, inside) = (model(false), model(true));
    assert!(inside.len() > outside.len() + 100_000);
    // Beside the model, under the name it had.
    let found = load(&outside).unwrap().unwrap();
    let again = found.sections();
    let again = again.iter().map(|(name, bytes)| SectionBytes { name, bytes });
    assert_eq!(Container::to_bytes(&(), &again.collect::<Vec<_>>()), outside);
    drop(found);
    put(21);
    let error = load(&outside).unwrap_err().to_string();
    assert!(
        error.contains("model.safetensors is not the file that the model was trained with"),
        "{error}"
    );
    std::fs::remove_dir_all(&own).unwrap();
    let error = load(&outside).unwrap_err().to_string();
    assert!(error.contains("the model needs its encoder"), "{error}");
    assert!(error.contains("CROSSARC_ENCODER=FOLDER, or train with --encoder-inside"), "{error}");
    let found = load(&inside).unwrap().unwrap();
    assert_eq!(found.encoder.outputs(&[vec!["a"]])[0].tokens(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}
