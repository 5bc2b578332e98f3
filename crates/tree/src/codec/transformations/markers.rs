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
//! 6 standard   7  ExD_M    ->  -Coord
//! 7 a          5  Coord_M  ->  -Apos:ExD
//! 8 jemně      7  ExD_M    ->  -Coord
//! ```
//!
//! Conjuncts can be unequal. Then the most frequent label counts as the common one, of two equally
//! frequent ones the one that is not `weak` (ellipsis), then the first. Of the others the weak ones are
//! written behind a colon, as in the paper, and the rest is lost; `all-unequal` writes them all.
//! Coordinations nest, both where the inner one carries the marker itself (Prague) and where only its
//! conjuncts do (Perseus: `OBJ_AP_CO`); which of the two is usual, and which markers there are, is learned
//! from the treebank, and only what is unusual is written. Prepositions and subordinating
//! conjunctions between a coordination and the conjunct that carries the marker are looked through.
//! A marked word that stands under no coordination keeps its label.
use conll::Sentence;
use serde::{Deserialize, Serialize};

use super::ArcTransformation;
use super::arcs::{Arcs, with_arcs};

/// Markers on the labels of conjuncts and appositions (`_CO` and `_AP` of Prague-style treebanks) disappear:
/// conjuncts and their coordination change labels (the Czech step of Schiehlen and Spranger 2007, where 46
/// labels became 34).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Markers {
    /// Which marker goes with which heads.
    pub markers: Vec<Marker>,
    /// Labels that yield when conjuncts are unequal.
    pub weak: Vec<String>,
    /// Labels that may stand between a coordination and its conjunct.
    pub transparent: Vec<String>,
    /// Write the labels of all unequal conjuncts, not of the weak ones only.
    pub all_unequal: bool,
    /// Coordinations that are conjuncts carry the marker themselves.
    pub carried: bool,
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
            all_unequal: false,
            carried: true,
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
        let mut member_by: Vec<Option<&str>> = vec![None; order.len() + 1];
        for &word in &order {
            let head = governors[word];
            let own = self.own(&originals[head]);
            let stripped = own.as_ref().and_then(|own| own.strip(&effective[word]));
            let (Some(own), Some((plain, marker)), Some(common)) = (own, stripped, &common[head])
            else {
                arcs.set_label(word, effective[word].clone());
                continue;
            };
            member_by[word] = Some(marker);
            let mut written = format!("-{}", self.write(&originals[head], &own, member_by[head]));
            let is_weak = self.weak.iter().any(|weak| weak == plain);
            let is_usual = own.markers.first() == Some(&marker);
            if plain != common && (self.all_unequal || is_weak) {
                written = format!("{written}:{plain}");
            }
            if !is_usual {
                written = format!("{written}:{marker}");
            }
            arcs.set_label(word, written);
        }
    }

    /// The label of a coordination as its conjuncts write it. Of one that is a conjunct itself only what
    /// is unusual is told: its marker, or with `!` that it has none.
    fn write(&self, label: &str, own: &Own<'_>, member_by: Option<&str>) -> String {
        match member_by {
            Some(marker) if self.carried && own.rest == marker => {
                label[..label.len() - own.rest.len()].to_owned()
            }
            Some(_) if self.carried && own.rest.is_empty() => format!("{label}!"),
            _ => label.to_owned(),
        }
    }

    /// Takes `-own`, `-own:label` or `-own:label:marker` apart.
    fn read<'l>(&self, written: &'l str) -> Option<Membership<'l>> {
        let text = written.strip_prefix('-')?;
        let whole = |own: &'l str| (own.strip_suffix('!').unwrap_or(own), own.ends_with('!'));
        let end =
            (0..=text.len()).rev().filter(|&end| text.is_char_boundary(end)).find(|&end| {
                (end == text.len() || text[end..].starts_with(':'))
                    && self.own(whole(&text[..end]).0).is_some()
            })?;
        let (own, exact) = whole(&text[..end]);
        let mut label = text[end..].strip_prefix(':').filter(|label| !label.is_empty());
        let mut marker = None;
        let known = |last: &str| self.markers.iter().any(|marker| marker.marker == last);
        if label.is_some_and(known) {
            (label, marker) = (None, label);
        } else if let Some((plain, last)) = label.and_then(|label| label.rsplit_once(':'))
            && known(last)
        {
            (label, marker) = (Some(plain), Some(last));
        }
        Some(Membership { own, exact, label, marker })
    }

    fn decode_arcs(&self, arcs: &mut Arcs) {
        let order = arcs.top_down();
        let written: Vec<String> =
            (0..=order.len()).map(|word| arcs.label(word).to_owned()).collect();
        let governors = self.governors(arcs);
        let mut named: Vec<Option<(&str, bool)>> = vec![None; order.len() + 1];
        for word in arcs.words() {
            if let Some(membership) = self.read(&written[word])
                && governors[word] != 0
            {
                named[governors[word]].get_or_insert((membership.own, membership.exact));
            }
        }
        let mut own_label: Vec<Option<String>> = vec![None; order.len() + 1];
        let mut effective: Vec<String> = vec![String::new(); order.len() + 1];
        for &word in &order {
            let head = governors[word];
            let mut member_by = None;
            effective[word] = match self.read(&written[word]) {
                None => written[word].clone(),
                Some(membership) if head == 0 => {
                    membership.label.unwrap_or(membership.own).to_owned()
                }
                Some(membership) => {
                    let own = own_label[head].as_deref().and_then(|own| self.own(own));
                    let rest = own.as_ref().map_or("", |own| own.rest);
                    let common = effective[head].strip_suffix(rest).unwrap_or(&effective[head]);
                    let first = own.as_ref().and_then(|own| own.markers.first().copied());
                    let marker = membership.marker.or(first).unwrap_or_default();
                    member_by = Some(marker.to_owned());
                    format!("{}{marker}", membership.label.unwrap_or(common))
                }
            };
            own_label[word] = named[word].map(|(name, exact)| {
                let is_bare = self.own(name).is_some_and(|own| own.rest.is_empty());
                match member_by {
                    Some(marker) if self.carried && is_bare && !exact => format!("{name}{marker}"),
                    _ => name.to_owned(),
                }
            });
            arcs.set_label(word, own_label[word].as_deref().unwrap_or(&effective[word]));
        }
    }

    /// Which markers conjuncts carry, and whether inner coordinations do.
    fn count(&self, arcs: &Arcs, used: &mut [usize], inner: &mut [usize; 2]) {
        let governors = self.governors(arcs);
        for word in arcs.words() {
            let Some(above) = self.own(arcs.label(governors[word])) else { continue };
            let label = arcs.label(word);
            if let Some((_, marker)) = above.strip(label) {
                let place = self.markers.iter().position(|known| known.marker == marker);
                if let Some(place) = place {
                    used[place] += 1;
                }
            }
            if let Some(own) = self.own(label) {
                inner[usize::from(above.markers.contains(&own.rest))] += 1;
            }
        }
    }
}

struct Membership<'l> {
    own: &'l str,
    /// True if nothing is to be added to it.
    exact: bool,
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

    fn fit(&mut self, gold: &[Sentence]) {
        let mut used = vec![0; self.markers.len()];
        let mut inner = [0; 2];
        for sentence in gold {
            with_arcs(sentence, |arcs| self.count(arcs, &mut used, &mut inner));
        }
        if used.iter().any(|&count| count > 0) {
            let mut counted: Vec<(usize, Marker)> =
                used.into_iter().zip(self.markers.clone()).collect();
            counted.retain(|(count, _)| *count > 0);
            counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
            self.markers = counted.into_iter().map(|(_, marker)| marker).collect();
        }
        if inner != [0; 2] {
            self.carried = inner[1] >= inner[0];
        }
    }
}
