//! Languages that people write.
use std::sync::OnceLock;

use conll::{ReadOptions, Sentence};
use crossarc::graph::features as graph;
use crossarc::learn::templates;
use crossarc::train::Choices;
use crossarc::tree::codec::CodecChain;
use crossarc::tree::treebank::crossing::Rules;
use crossarc_lab::compare::recipe::Recipe;
use crossarc_query::Query;

fn sentences() -> &'static [Sentence] {
    static SENTENCES: OnceLock<Vec<Sentence>> = OnceLock::new();
    SENTENCES.get_or_init(|| {
        conll::read_str(include_str!("../../examples/hearing.conllu"), ReadOptions::default())
            .expect("the example")
    })
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Matches are words of the sentence.
pub fn query(bytes: &[u8]) {
    let text = text(bytes);
    let query = match Query::parse(&text) {
        Ok(query) => query,
        Err(error) => {
            assert!(error.column() <= text.chars().count() + 1, "{error}");
            return;
        }
    };
    let names = query.names().count();
    let mut matcher = query.matcher();
    for sentence in sentences() {
        let Ok(found) = matcher.find(sentence) else { continue };
        for words in found {
            assert_eq!(words.len(), names);
            assert!(words.iter().all(|&word| word as usize <= sentence.len()), "{words:?}");
        }
    }
}

/// Templates are compiled or refused.
pub fn templates(bytes: &[u8]) {
    let text = text(bytes);
    if let Ok(read) = templates::Templates::parse(&text) {
        let _ = templates::Program::compile(&read.moves);
        let _ = templates::Program::compile(&read.labels);
    }
    if let Ok(read) = graph::Templates::parse(&text) {
        let _ = graph::Program::compile(&read);
    }
}

/// Rules for the causes of crossing arcs.
pub fn rules(bytes: &[u8]) {
    if let Ok(rules) = Rules::parse(&text(bytes)) {
        for sentence in sentences() {
            let known = rules.names();
            assert!(rules.causes(sentence).iter().all(|(_, cause)| known.contains(cause)));
        }
    }
}

/// Recipes of grids.
pub fn recipe(bytes: &[u8]) {
    if let Ok(mut recipe) = Recipe::parse(&text(bytes)) {
        let _ = recipe.treebanks();
        recipe.make_small();
    }
}

/// Options of training.
pub fn options(bytes: &[u8]) {
    if let Ok(choices) = Choices::parse(&text(bytes)) {
        let said = choices.describe();
        let _ = choices.options_alone(std::path::Path::new("nowhere"));
        assert_eq!(choices.describe(), said);
    }
}

/// A configuration of codecs is written as it was read.
pub fn codec(bytes: &[u8]) {
    if let Ok(chain) = CodecChain::from_toml(&text(bytes)) {
        let again = CodecChain::from_toml(&chain.to_toml()).expect("what was written is read");
        assert_eq!(again.to_toml(), chain.to_toml());
        for sentence in sentences() {
            let parts = chain.prepare(sentence);
            let restored = chain.restore(sentence, &parts);
            assert_eq!(restored.len(), sentence.len());
        }
    }
}
