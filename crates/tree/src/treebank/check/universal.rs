//! The rules of Universal Dependencies that can be decided without lists of a language (levels 2 and 3
//! of the official validator), under the names that the validator gives them.
//!
//! Where one mistake breaks several rules, the rule that names the cause is told: no rule about labels
//! looks at a word whose tag or label is unknown.
use std::collections::HashSet;

use conll::{Sentence, Word};

use super::UNIVERSAL_TAGS;
use crate::Node;
use crate::projectivity::nonprojective_arcs;
use crate::treebank::unlabelled_tree_of;

/// Labels that the head of an orphan may have.
const WITH_ORPHANS: [&str; 8] =
    ["conj", "parataxis", "root", "csubj", "ccomp", "advcl", "acl", "reparandum"];

/// The labels of Universal Dependencies, version 2, without subtypes.
pub const UNIVERSAL_LABELS: [&str; 37] = [
    "acl",
    "advcl",
    "advmod",
    "amod",
    "appos",
    "aux",
    "case",
    "cc",
    "ccomp",
    "clf",
    "compound",
    "conj",
    "cop",
    "csubj",
    "dep",
    "det",
    "discourse",
    "dislocated",
    "expl",
    "fixed",
    "flat",
    "goeswith",
    "iobj",
    "list",
    "mark",
    "nmod",
    "nsubj",
    "nummod",
    "obj",
    "obl",
    "orphan",
    "parataxis",
    "punct",
    "reparandum",
    "root",
    "vocative",
    "xcomp",
];

/// A rule that is broken.
pub(super) struct Breach {
    pub line: usize,
    /// The name of the rule in the official validator.
    pub rule: &'static str,
    /// True if it is an error there, false if it is a warning.
    pub is_error: bool,
    pub message: String,
}

/// Collects breaches of one sentence.
struct Found<'s> {
    sentence: &'s Sentence,
    children: Vec<Vec<usize>>,
    breaches: Vec<Breach>,
}

/// The label without its subtype.
fn base(label: &str) -> &str {
    label.split(':').next().unwrap_or(label)
}

fn feature<'w>(word: &Word<'w>, name: &str) -> Option<&'w str> {
    let of = |part: &'w str| part.split_once('=').filter(|(key, _)| *key == name);
    word.feats().split('|').find_map(of).map(|(_, value)| value)
}

/// All rules that a sentence breaks. `with_features`: the treebank has morphological features.
pub(super) fn breaches(sentence: &Sentence, with_features: bool) -> Vec<Breach> {
    let mut children = vec![Vec::new(); sentence.len() + 1];
    for (at, word) in (1..).zip(sentence.words()) {
        if let Some(of_head) = word.head().and_then(|head| children.get_mut(head as usize)) {
            of_head.push(at);
        }
    }
    let mut found = Found { sentence, children, breaches: Vec::new() };
    for at in 1..=sentence.len() {
        found.features(at);
        found.miscellany(at);
        found.enhanced(at);
        if found.label(at) && found.knows_tag(at) {
            found.tag_and_label(at);
            found.direction(at);
            found.arguments(at);
            found.expressions(at, with_features);
            found.expected_features(at, with_features);
        }
    }
    found.tree();
    found.breaches
}

impl<'s> Found<'s> {
    fn word(&self, at: usize) -> Word<'s> {
        self.sentence.word(at)
    }

    fn add(&mut self, at: usize, rule: &'static str, is_error: bool, message: String) {
        let line = self.word(at).line();
        self.breaches.push(Breach { line, rule, is_error, message });
    }

    fn error(&mut self, at: usize, rule: &'static str, message: String) {
        self.add(at, rule, true, message);
    }

    fn warn(&mut self, at: usize, rule: &'static str, message: String) {
        self.add(at, rule, false, message);
    }

    fn label_of(&self, at: usize) -> &'s str {
        base(self.word(at).deprel())
    }

    fn head_of(&self, at: usize) -> Option<usize> {
        self.word(at).head().map(|head| head as usize).filter(|&head| head <= self.sentence.len())
    }

    fn has_child(&self, at: usize, label: &str) -> bool {
        self.children[at].iter().any(|&child| self.label_of(child) == label)
    }

    fn features(&mut self, at: usize) {
        let feats = self.word(at).feats();
        if feats == "_" {
            return;
        }
        let lower: Vec<String> = feats.split('|').map(str::to_lowercase).collect();
        let mut names = HashSet::new();
        let mut repeated = false;
        for part in feats.split('|') {
            let Some((name, values)) = part.split_once('=').filter(|(name, _)| is_name(name))
            else {
                let told = format!("`{part}` is no feature such as `Case=Nom`");
                self.error(at, "invalid-feature", told);
                return;
            };
            repeated |= !names.insert(name);
            let values: Vec<&str> = values.split(',').collect();
            if !values.iter().all(|value| is_value(value)) {
                let told = format!("`{part}` is no feature such as `Case=Nom`");
                self.error(at, "invalid-feature", told);
                return;
            }
            let lower: Vec<String> = values.iter().map(|value| value.to_lowercase()).collect();
            if values.iter().collect::<HashSet<_>>().len() < values.len() {
                let told = format!("`{part}` has a value twice");
                self.error(at, "repeated-feature-value", told);
            } else if !lower.is_sorted() {
                let told = format!("the values of `{part}` are not sorted");
                self.error(at, "unsorted-feature-values", told);
            }
        }
        if repeated {
            self.error(at, "repeated-feature", format!("`{feats}` has a feature twice"));
        } else if !lower.is_sorted() {
            self.error(at, "unsorted-features", format!("the features `{feats}` are not sorted"));
        }
    }

    fn miscellany(&mut self, at: usize) {
        const KNOWN: [&str; 8] =
            ["SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref"];
        let misc = self.word(at).misc();
        if misc == "_" {
            return;
        }
        let mut seen = HashSet::new();
        for part in misc.split('|') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let trimmed = name.trim();
            if part.is_empty() {
                self.warn(at, "empty-misc", "an empty part in MISC; one `|` too many?".to_owned());
            } else if name.is_empty() {
                self.warn(at, "empty-misc-key", format!("`{part}` in MISC has no name"));
            } else if KNOWN.contains(&name) {
                if !seen.insert(name) {
                    self.error(at, "repeated-misc", format!("`{name}` stands in MISC twice"));
                }
                if name == "SpaceAfter" && value != "No" {
                    let told = format!("`{part}`: it is `SpaceAfter=No` or nothing");
                    self.error(at, "spaceafter-value", told);
                }
            } else if KNOWN.iter().any(|known| known.eq_ignore_ascii_case(trimmed)) {
                self.warn(at, "misc-attr-typo", format!("`{part}` in MISC: a misspelt name?"));
            } else if name != trimmed || value != value.trim() {
                self.warn(
                    at,
                    "misc-extra-space",
                    format!("a blank around a name or value: `{part}`"),
                );
            }
            if part == "NoSpaceAfter=Yes" {
                self.error(
                    at,
                    "nospaceafter-yes",
                    "`NoSpaceAfter=Yes`: write `SpaceAfter=No`".to_owned(),
                );
            }
        }
    }

    fn enhanced(&mut self, at: usize) {
        let deps = self.word(at).deps();
        if deps == "_" {
            return;
        }
        let id = |text: &str| -> Option<(u32, u32)> {
            let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
            Some((whole.parse().ok()?, part.parse().ok()?))
        };
        let arcs: Option<Vec<((u32, u32), &str)>> = deps
            .split('|')
            .map(|part| part.split_once(':').and_then(|(head, label)| Some((id(head)?, label))))
            .collect();
        let Some(arcs) = arcs else {
            self.error(at, "invalid-deps", format!("`{deps}` is no list such as `3:nsubj|5:conj`"));
            return;
        };
        if !arcs.is_sorted_by_key(|(head, _)| *head) {
            self.error(at, "unsorted-deps", format!("DEPS `{deps}` are not sorted by head"));
        } else if arcs.windows(2).any(|pair| pair[0] == pair[1]) {
            self.error(at, "repeated-deps", format!("DEPS `{deps}` have an arc twice"));
        } else if !arcs.is_sorted() {
            self.error(at, "unsorted-deps-2", format!("DEPS `{deps}` are not sorted by label"));
        }
        if arcs.iter().any(|(head, _)| *head == (self.word(at).id(), 0)) {
            self.error(at, "deps-self-loop", format!("DEPS `{deps}` lead from the word to itself"));
        }
        for (head, label) in arcs {
            if (head == (0, 0)) != (base(label) == "root") {
                let rule = if head == (0, 0) {
                    "enhanced-0-is-not-root"
                } else {
                    "enhanced-root-is-not-0"
                };
                self.error(at, rule, format!("DEPS `{deps}`: `root` and head 0 go together"));
            }
        }
    }

    /// Whether the label is one of Universal Dependencies.
    fn label(&mut self, at: usize) -> bool {
        let label = self.word(at).deprel();
        if label == "_" {
            return false;
        }
        let letters = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
        let parts: Vec<&str> = label.split(':').collect();
        if parts.len() > 2 || !parts.iter().all(|part| letters(part)) {
            let told = format!("the label `{label}` is not made of small letters and one colon");
            self.error(at, "invalid-deprel", told);
            return false;
        }
        if !UNIVERSAL_LABELS.contains(&base(label)) {
            self.error(
                at,
                "unknown-udeprel",
                format!("`{label}` is no label of Universal Dependencies"),
            );
            return false;
        }
        true
    }

    fn knows_tag(&self, at: usize) -> bool {
        UNIVERSAL_TAGS.contains(&self.word(at).upos())
    }

    fn tag_and_label(&mut self, at: usize) {
        let word = self.word(at);
        let label = self.label_of(at);
        let tag = feature(&word, "ExtPos").unwrap_or(word.upos());
        let one_of = |tags: &[&str]| tags.contains(&tag);
        let goes_with = self.has_child(at, "goeswith");
        let fixed = self.has_child(at, "fixed");
        if fixed && feature(&word, "ExtPos").is_none() {
            let told =
                format!("the fixed expression that begins with `{}` has no ExtPos", word.form());
            self.warn(at, "fixed-without-extpos", told);
        }
        let (rule, wrong) = match label {
            "det" => ("rel-upos-det", !one_of(&["DET", "PRON"])),
            "nummod" => ("rel-upos-nummod", !one_of(&["NUM", "NOUN", "SYM"])),
            "advmod" => (
                "rel-upos-advmod",
                !one_of(&["ADV", "ADJ", "CCONJ", "DET", "PART", "SYM"]) && !goes_with,
            ),
            "expl" => ("rel-upos-expl", !one_of(&["PRON", "DET", "PART"])),
            "aux" => ("rel-upos-aux", tag != "AUX"),
            "cop" => ("rel-upos-cop", !one_of(&["AUX", "PRON", "DET", "SYM"])),
            "case" => ("rel-upos-case", one_of(&["PROPN", "ADJ", "PRON", "DET", "NUM", "AUX"])),
            "mark" => (
                "rel-upos-mark",
                one_of(&["NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "AUX", "INTJ"]),
            ),
            "cc" => (
                "rel-upos-cc",
                one_of(&["NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "VERB", "AUX", "INTJ"]),
            ),
            "punct" => ("rel-upos-punct", tag != "PUNCT"),
            _ => ("upos-rel-punct", tag == "PUNCT" && label != "root"),
        };
        if wrong {
            let told =
                format!("`{}` is {tag}, which does not go with the label `{label}`", word.form());
            self.error(at, rule, told);
        }
        if tag == "PROPN" && (label == "fixed" || fixed) {
            let told = format!("`{}`: proper nouns are `flat`, not `fixed`", word.form());
            self.error(at, "rel-upos-fixed", told);
        }
    }

    fn direction(&mut self, at: usize) {
        let rule = match self.label_of(at) {
            "conj" => "right-to-left-conj",
            "fixed" => "right-to-left-fixed",
            "flat" => "right-to-left-flat",
            "goeswith" => "right-to-left-goeswith",
            "appos" => "right-to-left-appos",
            _ => return,
        };
        if self.head_of(at).is_some_and(|head| head > at) {
            let (form, label) = (self.word(at).form(), self.label_of(at));
            self.error(at, rule, format!("`{form}` is {label} of a word behind it"));
        }
    }

    fn arguments(&mut self, at: usize) {
        let is_subject = |&&child: &&usize| {
            let word = self.word(child);
            let label = word.deprel();
            self.label_of(child).contains("subj")
                && !["nsubj:outer", "csubj:outer"].contains(&label)
                && !word.misc().split('|').any(|part| part == "Subject=Outer")
        };
        let subjects = self.children[at].iter().filter(is_subject).count();
        let objects =
            self.children[at].iter().filter(|&&child| self.label_of(child) == "obj").count();
        let form = self.word(at).form();
        if subjects > 1 {
            self.error(at, "too-many-subjects", format!("`{form}` has {subjects} subjects"));
        }
        if objects > 1 {
            self.error(at, "too-many-objects", format!("`{form}` has {objects} direct objects"));
        }
        let Some(head) = self.head_of(at).filter(|&head| head > 0) else { return };
        let above = self.label_of(head);
        if self.label_of(at) == "obl" && ["NOUN", "PROPN", "PRON"].contains(&self.word(head).upos())
        {
            const NOMINAL: [&str; 8] =
                ["nsubj", "obj", "iobj", "obl", "vocative", "dislocated", "expl", "nmod"];
            let clause = ["cop", "nsubj", "csubj"].iter().any(|label| self.has_child(head, label));
            if NOMINAL.contains(&above) && !clause {
                let told = format!("`{form}` is obl of a noun that is no predicate: nmod?");
                self.error(at, "obl-should-be-nmod", told);
            }
        }
        if self.label_of(at) == "orphan" && !WITH_ORPHANS.contains(&above) {
            let told =
                format!("the head of the orphan `{form}` is `{above}`, usually it is `conj`");
            self.warn(at, "orphan-parent", told);
        }
    }

    /// Fixed expressions and words that were torn apart.
    fn expressions(&mut self, at: usize, with_features: bool) {
        for (label, rule, is_error) in
            [("fixed", "fixed-gap", false), ("goeswith", "goeswith-gap", true)]
        {
            let own: Vec<usize> = self.children[at]
                .iter()
                .copied()
                .filter(|&child| self.label_of(child) == label)
                .collect();
            let Some(&last) = own.last().filter(|&&last| last > at) else { continue };
            let skipped = |&between: &usize| {
                !own.contains(&between) && (is_error || self.label_of(between) != "punct")
            };
            if (at + 1..last).any(|between| skipped(&between)) {
                let told = format!("the parts of `{}` are not side by side", self.word(at).form());
                self.add(at, rule, is_error, told);
            }
            if label == "fixed" {
                continue;
            }
            let glued =
                |part: usize| self.word(part).misc().split('|').any(|one| one == "SpaceAfter=No");
            let mut parts =
                std::iter::once(at).chain(own.iter().copied().filter(|&part| part != last));
            if parts.any(glued) {
                let told = "goeswith joins parts with blanks between them".to_owned();
                self.error(at, "goeswith-nospace", told);
            }
            if with_features && feature(&self.word(at), "Typo") != Some("Yes") {
                let told = format!("`{}` was torn apart and lacks Typo=Yes", self.word(at).form());
                self.error(at, "goeswith-missing-typo", told);
            }
        }
        let word = self.word(at);
        if self.label_of(at) != "goeswith" {
            return;
        }
        let rule = if word.lemma() != "_" {
            "goeswith-lemma"
        } else if word.upos() != "X" {
            "goeswith-upos"
        } else if word.feats() != "_" {
            "goeswith-feats"
        } else {
            return;
        };
        let told = format!(
            "`{}` is a part of another word, which has lemma, tag and features",
            word.form()
        );
        self.error(at, rule, told);
    }

    fn expected_features(&mut self, at: usize, with_features: bool) {
        let word = self.word(at);
        if with_features
            && ["PRON", "DET"].contains(&word.upos())
            && feature(&word, "PronType").is_none()
        {
            let told = format!("`{}` is {} and has no PronType", word.form(), word.upos());
            self.warn(at, "pron-det-without-prontype", told);
        }
        if feature(&word, "VerbForm") == Some("Fin") && feature(&word, "Mood").is_none() {
            let told = format!("the finite verb `{}` has no Mood", word.form());
            self.warn(at, "verbform-fin-without-mood", told);
        }
        if word.deprel() == "flat:foreign" {
            let alien = |word: &Word| word.upos() == "X" && word.feats() == "Foreign=Yes";
            let head = self.head_of(at).filter(|&head| head > 0).map(|head| self.word(head));
            if !alien(&word) || head.is_some_and(|head| !alien(&head)) {
                let told =
                    format!("`{}`: words of flat:foreign are X with Foreign=Yes", word.form());
                self.warn(at, "flat-foreign-upos-feats", told);
            }
        }
    }

    /// Rules that need the whole tree.
    fn tree(&mut self) {
        let Ok(tree) = unlabelled_tree_of(self.sentence) else { return };
        let crossing: HashSet<usize> =
            nonprojective_arcs(&tree).into_iter().map(Node::index).collect();
        for at in 1..=self.sentence.len() {
            self.function_words(at, crossing.contains(&at));
            if self.label_of(at) != "punct" {
                continue;
            }
            if crossing.contains(&at) {
                let told = format!("the arc of `{}` crosses others", self.word(at).form());
                self.error(at, "punct-is-nonproj", told);
            } else if !crossing.is_empty() && self.tears_apart(at) {
                let told =
                    format!("`{}` stands between parts of another phrase", self.word(at).form());
                self.error(at, "punct-causes-nonproj", told);
            }
        }
    }

    /// True if a word that is no ancestor of the mark, nor below one but for the mark's own side of its
    /// head, has its head on the other side of the mark.
    fn tears_apart(&self, at: usize) -> bool {
        let Some(head) = self.head_of(at) else { return false };
        let mut ancestors = HashSet::new();
        let mut above = head;
        while above != 0 && ancestors.insert(above) {
            above = self.head_of(above).unwrap_or(0);
        }
        ancestors.insert(0);
        let end = self.sentence.len() + 1;
        let (left, right) =
            if head < at { (head + 1..at, at + 1..end) } else { (1..at, at + 1..head) };
        let outside = |word: usize| self.head_of(word).filter(|other| !ancestors.contains(other));
        let from_left =
            left.filter_map(outside).any(|other| other > at && (head < at || other < head));
        let from_right =
            right.filter_map(outside).any(|other| other < at && (head > at || other > head));
        from_left || from_right
    }

    fn function_words(&mut self, at: usize, crosses: bool) {
        let label = self.label_of(at);
        let (rule, allowed): (_, &[&str]) = match label {
            "mark" | "case" => (
                "leaf-mark-case",
                &["advmod", "obl", "goeswith", "fixed", "reparandum", "conj", "cc", "punct"],
            ),
            "aux" | "cop" => {
                ("leaf-aux-cop", &["goeswith", "fixed", "reparandum", "conj", "cc", "punct"])
            }
            "det" => (
                "leaf-det",
                &[
                    "det",
                    "case",
                    "advmod",
                    "obl",
                    "clf",
                    "goeswith",
                    "fixed",
                    "flat",
                    "compound",
                    "reparandum",
                    "discourse",
                    "parataxis",
                    "conj",
                    "cc",
                    "punct",
                ],
            ),
            "clf" => (
                "leaf-clf",
                &["advmod", "obl", "goeswith", "fixed", "reparandum", "conj", "cc", "punct"],
            ),
            "cc" => ("leaf-cc", &["goeswith", "fixed", "reparandum", "conj", "punct"]),
            "fixed" => ("leaf-fixed", &["goeswith", "reparandum", "conj", "punct"]),
            "goeswith" => ("leaf-goeswith", &[]),
            "punct" => ("leaf-punct", &["punct"]),
            _ => return,
        };
        let word = self.word(at);
        let possessive = label == "det" && feature(&word, "Poss") == Some("Yes");
        for child in self.children[at].clone() {
            let below = self.label_of(child);
            let of = self.word(child);
            let negation = label != "punct"
                && below == "advmod"
                && ["PART", "ADV"].contains(&of.upos())
                && feature(&of, "Polarity") == Some("Neg");
            let may = allowed.contains(&below)
                || negation
                || crosses && below == "punct"
                || possessive && ["appos", "acl", "nmod"].contains(&below);
            if !may {
                let told =
                    format!("`{}` is {below} of `{}`, which is {label}", of.form(), word.form());
                self.error(child, rule, told);
            }
        }
    }
}

/// `Name` or `Name[layer]`.
fn is_name(name: &str) -> bool {
    let (name, layer) = match name.split_once('[') {
        Some((name, layer)) => (name, layer.strip_suffix(']')),
        None => (name, Some("a")),
    };
    let small = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric())
        && layer.is_some_and(|layer| !layer.is_empty() && layer.bytes().all(small))
}

fn is_value(value: &str) -> bool {
    value.starts_with(|first: char| first.is_ascii_uppercase() || first.is_ascii_digit())
        && value.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words as `TAG/FEATS/head/label`.
    fn rules(words: &[&str]) -> Vec<&'static str> {
        let row = |(id, word): (usize, &&str)| {
            let parts: Vec<&str> = word.split('/').collect();
            let [tag, feats, head, label] = parts[..] else { panic!("{word}") };
            format!("{}\tw\tw\t{tag}\t_\t{feats}\t{head}\t{label}\t_\t_\n", id + 1)
        };
        let text: String = words.iter().enumerate().map(row).collect();
        let sentence =
            conll::read_str(&(text + "\n"), conll::ReadOptions::default()).unwrap().remove(0);
        breaches(&sentence, false).into_iter().map(|breach| breach.rule).collect()
    }

    #[test]
    fn each_mistake_is_one_finding() {
        let fine = [
            "DET/_/2/det",
            "NOUN/Case=Nom|Number=Sing/3/nsubj",
            "VERB/_/0/root",
            "PUNCT/_/3/punct",
        ];
        assert_eq!(rules(&fine), [""; 0]);
        for (at, changed, rule) in [
            (0, "VERB/_/2/det", "rel-upos-det"),
            (0, "DET/_/2/dett", "unknown-udeprel"),
            (0, "DET/_/2/Det", "invalid-deprel"),
            (1, "NOUN/Number=Sing|Case=Nom/3/nsubj", "unsorted-features"),
            (1, "NOUN/Case=Nom|Case=Nom/3/nsubj", "repeated-feature"),
            (1, "NOUN/Case=Nom,Acc/3/nsubj", "unsorted-feature-values"),
            (1, "NOUN/Case=Acc,Acc/3/nsubj", "repeated-feature-value"),
            (1, "NOUN/case=Nom/3/nsubj", "invalid-feature"),
            (0, "DET/_/4/det", "leaf-punct"),
            (3, "PUNCT/_/3/obl", "upos-rel-punct"),
            (3, "NOUN/_/3/punct", "rel-upos-punct"),
            (3, "NOUN/_/3/nsubj", "too-many-subjects"),
            (1, "NOUN/_/3/conj", "right-to-left-conj"),
            (3, "NOUN/_/2/obl", "obl-should-be-nmod"),
            (3, "NOUN/_/1/nmod", "leaf-det"),
            (3, "NOUN/_/2/orphan", "orphan-parent"),
        ] {
            let mut words = fine;
            words[at] = changed;
            assert_eq!(rules(&words), [rule], "{changed}");
        }
    }

    #[test]
    fn punctuation_does_not_tear_phrases_apart() {
        let torn = ["NOUN/_/4/nsubj", "PUNCT/_/4/punct", "ADJ/_/1/amod", "VERB/_/0/root"];
        assert_eq!(rules(&torn), ["punct-causes-nonproj"]);
        let inside = ["NOUN/_/4/nsubj", "PUNCT/_/1/punct", "ADJ/_/1/amod", "VERB/_/0/root"];
        assert_eq!(rules(&inside), [""; 0]);
    }

    #[test]
    fn names_and_values_of_features() {
        assert!(is_name("Case") && is_name("Number[psor]") && is_value("3") && is_value("Nom"));
        assert!(
            !is_name("case") && !is_name("Number[]") && !is_name("Number[psor") && !is_value("nom")
        );
    }
}
