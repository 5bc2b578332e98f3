//! Which features decide about a tag, and about the analysis under a tag.
//!
//! Fixed ones look at forms and classes only and can be had once for a sentence; the others look at
//! tags that were chosen before.
use super::forms::{Casing, Form};
use crate::features::hash::mix;

/// What stands before the first and behind the last word.
static OUTSIDE: Form = Form {
    exact: 3,
    lower: 3,
    prefixes: [0; 4],
    suffixes: [0; 5],
    shape: 3,
    looks: 3,
    class: 3,
    class_if_unseen: 3,
    known: true,
    casing: Casing::Lower,
};

/// The word `offset` words away.
#[inline]
fn near(forms: &[Form], at: usize, offset: isize) -> &Form {
    at.checked_add_signed(offset).and_then(|at| forms.get(at)).unwrap_or(&OUTSIDE)
}

#[inline]
fn pair(one: u32, other: u32) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

/// Collects features; every call of a method is a template of its own.
struct Templates<'a> {
    out: &'a mut Vec<u64>,
    template: u64,
}

impl Templates<'_> {
    fn new(out: &mut Vec<u64>, first: u64) -> Templates<'_> {
        Templates { out, template: first.wrapping_mul(0xD1B5_4A32_D192_ED03) }
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.template = self.template.wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.template
    }

    #[inline]
    fn one(&mut self, value: u32) {
        let template = self.next();
        if value != 0 {
            self.out.push(mix(template, u64::from(value)));
        }
    }

    #[inline]
    fn two(&mut self, one: u32, other: u32) {
        let template = self.next();
        if one != 0 && other != 0 {
            self.out.push(mix(template, pair(one, other)));
        }
    }

    #[inline]
    fn three(&mut self, one: u32, other: u32, third: u32) {
        let template = self.next();
        if one != 0 && other != 0 && third != 0 {
            self.out.push(mix(mix(template, pair(one, other)), u64::from(third)));
        }
    }
}

/// Features of a word that no tag takes part in; `unseen` looks at it as if it were not known.
pub fn fixed(forms: &[Form], at: usize, unseen: bool, out: &mut Vec<u64>) {
    let word = &forms[at];
    let [before2, before, after, after2] = [-2, -1, 1, 2].map(|offset| near(forms, at, offset));
    let class = if unseen { word.class_if_unseen } else { word.class };
    let (exact, lower) = if unseen { (0, 0) } else { (word.exact, word.lower) };
    let mut add = Templates::new(out, 1);
    add.one(1);
    add.one(exact);
    add.one(lower);
    for prefix in word.prefixes {
        add.one(prefix);
    }
    for suffix in word.suffixes {
        add.one(suffix);
    }
    add.one(word.shape);
    add.one(word.looks);
    add.two(word.suffixes[1], word.looks);
    add.two(word.suffixes[2], word.looks);
    add.two(word.shape, before.shape);
    add.three(word.looks, before.looks, after.looks);
    add.one(before.lower);
    add.one(before2.lower);
    add.one(after.lower);
    add.one(after2.lower);
    add.two(before.lower, lower);
    add.two(lower, after.lower);
    add.two(before.lower, after.lower);
    add.two(before2.lower, before.lower);
    add.two(after.lower, after2.lower);
    add.one(before.suffixes[2]);
    add.one(after.suffixes[2]);
    add.one(class);
    add.one(before.class);
    add.one(after.class);
    add.one(before2.class);
    add.one(after2.class);
    add.two(class, before.class);
    add.two(class, after.class);
    add.two(class, word.looks);
    add.two(class, word.suffixes[1]);
    add.two(before.class, after.class);
    add.two(after.class, after2.class);
    add.three(class, after.class, after2.class);
    add.three(before.class, class, after.class);
    add.three(before2.class, before.class, class);
    add.two(lower, after.class);
    add.two(lower, before.class);
    add.two(class, before.lower);
    add.two(class, after.lower);
    add.two(word.suffixes[2], after.class);
    add.two(word.suffixes[2], before.class);
}

/// Features with the tags before a word, 1 for none.
pub fn with_history(
    forms: &[Form],
    at: usize,
    unseen: bool,
    [before, before2]: [u32; 2],
    out: &mut Vec<u64>,
) {
    let word = &forms[at];
    let [previous, after] = [-1, 1].map(|offset| near(forms, at, offset));
    let class = if unseen { word.class_if_unseen } else { word.class };
    let lower = if unseen { 0 } else { word.lower };
    let mut add = Templates::new(out, 1000);
    add.one(before);
    add.two(before2, before);
    add.two(before, lower);
    add.two(before, class);
    add.two(before, after.class);
    add.two(before, after.lower);
    add.two(before, previous.lower);
    add.two(before, word.suffixes[2]);
    add.two(before, word.looks);
    add.three(before, class, after.class);
    add.three(before2, before, class);
    add.three(before2, before, lower);
}

/// Features of the analysis of a word with a tag; `tags` are those of all words plus 1, and
/// `before` is the analysis of the word before plus 1, or 0.
pub fn of_analysis(
    forms: &[Form],
    at: usize,
    unseen: bool,
    tags: &[u32],
    before: u32,
    out: &mut Vec<u64>,
) {
    let word = &forms[at];
    let [before2, previous, after] = [-2, -1, 1].map(|offset| near(forms, at, offset));
    let tag = |offset: isize| {
        at.checked_add_signed(offset).and_then(|at| tags.get(at)).copied().unwrap_or(1)
    };
    let lower = if unseen { 0 } else { word.lower };
    let own = tag(0);
    let mut add = Templates::new(out, 2000);
    add.one(own);
    add.two(own, if unseen { 0 } else { word.exact });
    add.two(own, lower);
    add.one(lower);
    for suffix in word.suffixes {
        add.one(suffix);
        add.two(own, suffix);
    }
    for prefix in &word.prefixes[..3] {
        add.two(own, *prefix);
    }
    add.two(own, word.shape);
    add.two(own, word.looks);
    add.two(own, previous.lower);
    add.two(own, after.lower);
    add.two(own, before2.lower);
    add.three(own, lower, previous.lower);
    add.three(own, lower, after.lower);
    add.two(own, tag(-1));
    add.two(own, tag(1));
    add.three(own, tag(-1), tag(-2));
    add.three(own, tag(1), tag(2));
    add.three(own, tag(-1), tag(1));
    add.three(lower, tag(-1), tag(1));
    add.two(lower, tag(-1));
    add.two(lower, tag(1));
    add.two(word.suffixes[2], tag(-1));
    add.two(word.suffixes[2], tag(1));
    add.two(own, before);
    add.one(before);
    add.two(lower, before);
    add.two(word.suffixes[2], before);
    add.two(word.suffixes[1], before);
    add.two(own, previous.suffixes[1]);
    add.two(own, previous.suffixes[2]);
    add.two(own, after.suffixes[1]);
    add.two(own, after.suffixes[2]);
    add.two(own, if unseen { word.class_if_unseen } else { word.class });
}
