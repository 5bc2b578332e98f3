//! Markers on the labels of conjuncts and appositions (`_CO` and `_AP` of Prague-style treebanks)
//! disappear: conjuncts and their coordination change labels (the Czech step of Schiehlen and
//! Spranger 2007, where 46 labels became 34).
//!
//! The coordination gets the label its conjuncts have in common, and each conjunct says under what
//! kind of head it stands:
//!
//! ```text
//! 4 rozlišení  5  Atr_M    ->  -Apos
//! 5 ,          3  Apos     ->  Atr
//! 6 standard   7  ExD_M    ->  -Coord_M
//! 7 a          5  Coord_M  ->  -Apos:ExD
//! 8 jemně      7  ExD_M    ->  -Coord_M
//! ```
//!
//! Conjuncts can be unequal. Then the most frequent label counts as the common one, of two equally
//! frequent ones the one that is not `weak` (ellipsis), then the first; the others are written
//! behind a colon. Coordinations nest, both where the inner one carries the marker itself (Prague)
//! and where only its conjuncts do (Perseus: `OBJ_AP_CO`). Prepositions and subordinating
//! conjunctions between a coordination and the conjunct that carries the marker are looked through.
//! A marked word that stands under no coordination keeps its label.
use conll::Sentence;
use serde::{Deserialize, Serialize};

use super::ArcTransformation;
use super::arcs::{Arcs, with_arcs};

/// See the [module](self).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Markers {
    /// Which marker goes with which heads.
    pub markers: Vec<Marker>,
    /// Labels that yield when conjuncts are unequal.
    pub weak: Vec<String>,
    /// Labels that may stand between a coordination and its conjunct.
    pub transparent: Vec<String>,
}

/// A marker at the end of labels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Marker {
    /// The end of the label of a conjunct.
    pub marker: String,
    /// Labels of the heads under which conjuncts carry it.
    pub heads: Vec<String>,
}

impl Default for Markers {
    fn default() -> Markers {
        let marker = |marker: &str, heads: &[&str]| Marker {
            marker: marker.to_owned(),
            heads: heads.iter().map(|&head| head.to_owned()).collect(),
        };
        Markers {
            markers: vec![
                marker("_CO", &["COORD", "Coord"]),
                marker("_AP", &["APOS", "Apos"]),
                marker("_M", &["Coord", "Apos"]),
            ],
            weak: vec!["ExD".to_owned()],
            transparent: vec!["AuxP".to_owned(), "AuxC".to_owned()],
        }
    }
}

/// The label of a coordination, taken apart: `Coord_M` is `Coord` with the rest `_M`.
struct Own<'a> {
    all: &'a Markers,
    rest: &'a str,
    /// The markers its conjuncts may carry.
    markers: Vec<&'a str>,
}

impl Own<'_> {
    /// The label of a conjunct without the marker that its head asks for, and the marker.
    fn strip<'l>(&self, label: &'l str) -> Option<(&'l str, &'l str)> {
        let marker = self.markers.iter().find(|marker| label.ends_with(**marker))?;
        let (plain, marker) = label.split_at(label.len() - marker.len());
        // A coordination must not get a label that is looked through.
        (!plain.is_empty() && !self.all.is_transparent(plain)).then_some((plain, marker))
    }
}

impl Markers {
    fn own<'a>(&'a self, label: &'a str) -> Option<Own<'a>> {
        let mut found: Option<Own<'a>> = None;
        for Marker { marker, heads } in &self.markers {
            for head in heads {
                let Some(rest) = label.strip_prefix(head.as_str()) else { continue };
                if !self.is_markers(rest) || marker.is_empty() {
                    continue;
                }
                match &mut found {
                    Some(own) if own.rest.len() == rest.len() => own.markers.push(marker),
                    Some(own) if own.rest.len() < rest.len() => {}
                    _ => found = Some(Own { all: self, rest, markers: vec![marker] }),
                }
            }
        }
        found
    }

    /// The word a conjunct belongs to: the first one above it that is not looked through.
    fn governor(&self, arcs: &Arcs, word: usize) -> usize {
        let mut head = arcs.head(word);
        while head != 0 && self.is_transparent(arcs.label(head)) {
            head = arcs.head(head);
        }
        head
    }

    fn governors(&self, arcs: &Arcs) -> Vec<usize> {
        let governors = arcs.words().map(|word| self.governor(arcs, word));
        std::iter::once(0).chain(governors).collect()
    }

    fn is_transparent(&self, label: &str) -> bool {
        self.transparent.iter().any(|transparent| transparent == label)
    }

    fn is_markers(&self, mut rest: &str) -> bool {
        while !rest.is_empty() {
            let cut = self.markers.iter().find_map(|marker| {
                rest.strip_prefix(&marker.marker).filter(|left| left.len() < rest.len())
            });
            match cut {
                Some(left) => rest = left,
                None => return false,
            }
        }
        true
    }

    fn common(&self, labels: &[&str]) -> Option<String> {
        let rank = |label: &&str| {
            let count = labels.iter().filter(|other| *other == label).count();
            (count, !self.weak.iter().any(|weak| weak == label))
        };
        // Of equals `max_by_key` takes the last, so the first comes from the reversed list.
        labels.iter().rev().max_by_key(|label| rank(label)).map(|&label| label.to_owned())
    }

    fn encode_arcs(&self, arcs: &mut Arcs) {
        let order = arcs.top_down();
        let governors = self.governors(arcs);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); order.len() + 1];
        let mut effective: Vec<String> =
            (0..=order.len()).map(|word| arcs.label(word).to_owned()).collect();
        let mut common: Vec<Option<String>> = vec![None; order.len() + 1];
        for &word in order.iter().rev() {
            if let Some(own) = self.own(arcs.label(word)) {
                members[word].sort_unstable();
                let plain: Vec<&str> = members[word]
                    .iter()
                    .filter_map(|&member| Some(own.strip(&effective[member])?.0))
                    .collect();
                common[word] = self.common(&plain);
                if let Some(common) = &common[word] {
                    effective[word] = format!("{common}{}", own.rest);
                }
            }
            let head = governors[word];
            if let Some(own) = self.own(arcs.label(head))
                && own.strip(&effective[word]).is_some()
            {
                members[head].push(word);
            }
        }
        let originals: Vec<String> =
            (0..=order.len()).map(|word| arcs.label(word).to_owned()).collect();
        for &word in &order {
            let head = governors[word];
            let own = self.own(&originals[head]);
            let stripped = own.as_ref().and_then(|own| own.strip(&effective[word]));
            let written = match (stripped, &common[head]) {
                (Some((plain, marker)), Some(common)) => {
                    let first = own.as_ref().and_then(|own| own.markers.first());
                    let mut written = format!("-{}", originals[head]);
                    if plain != common || first != Some(&marker) {
                        written = format!("{written}:{plain}");
                    }
                    if first != Some(&marker) {
                        written = format!("{written}:{marker}");
                    }
                    written
                }
                _ => effective[word].clone(),
            };
            arcs.set_label(word, written);
        }
    }

    /// Takes `-own`, `-own:label` or `-own:label:marker` apart.
    fn read<'l>(&self, written: &'l str) -> Option<Membership<'l>> {
        let text = written.strip_prefix('-')?;
        let end =
            (0..=text.len()).rev().filter(|&end| text.is_char_boundary(end)).find(|&end| {
                (end == text.len() || text[end..].starts_with(':'))
                    && self.own(&text[..end]).is_some()
            })?;
        let own = &text[..end];
        let mut label = text[end..].strip_prefix(':').filter(|label| !label.is_empty());
        let mut marker = None;
        if let Some((plain, last)) = label.and_then(|label| label.rsplit_once(':'))
            && self.markers.iter().any(|marker| marker.marker == last)
        {
            (label, marker) = (Some(plain), Some(last));
        }
        Some(Membership { own, label, marker })
    }

    fn decode_arcs(&self, arcs: &mut Arcs) {
        let order = arcs.top_down();
        let written: Vec<String> =
            (0..=order.len()).map(|word| arcs.label(word).to_owned()).collect();
        let governors = self.governors(arcs);
        let mut own_label: Vec<Option<&str>> = vec![None; order.len() + 1];
        for word in arcs.words() {
            if let Some(membership) = self.read(&written[word])
                && governors[word] != 0
            {
                own_label[governors[word]].get_or_insert(membership.own);
            }
        }
        let mut effective: Vec<String> = vec![String::new(); order.len() + 1];
        for &word in &order {
            let head = governors[word];
            effective[word] = match self.read(&written[word]) {
                None => written[word].clone(),
                Some(membership) if head == 0 => {
                    membership.label.unwrap_or(membership.own).to_owned()
                }
                Some(membership) => {
                    let own = own_label[head].and_then(|own| self.own(own));
                    let rest = own.as_ref().map_or("", |own| own.rest);
                    let common = effective[head].strip_suffix(rest).unwrap_or(&effective[head]);
                    let first = own.as_ref().and_then(|own| own.markers.first().copied());
                    let marker = membership.marker.or(first).unwrap_or_default();
                    format!("{}{marker}", membership.label.unwrap_or(common))
                }
            };
            arcs.set_label(word, own_label[word].unwrap_or(&effective[word]));
        }
    }
}

struct Membership<'l> {
    own: &'l str,
    label: Option<&'l str>,
    marker: Option<&'l str>,
}

impl ArcTransformation for Markers {
    fn encode(&self, gold: &Sentence) -> Sentence {
        with_arcs(gold, |arcs| self.encode_arcs(arcs))
    }

    fn decode(&self, parsed: &Sentence) -> Sentence {
        with_arcs(parsed, |arcs| self.decode_arcs(arcs))
    }
}
