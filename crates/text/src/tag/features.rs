//! Which features decide about a tag, and about the analysis under a tag.
//!
//! Tags and analyses are given as numbers plus 2; 1 stands for what is outside of the sentence.
use super::forms::{Casing, Form};
use crossarc_learn::features::hash::mix;

/// What stands before the first and behind the last word.
static OUTSIDE: Form = Form {
    exact: 3,
    lower: 3,
    prefixes: [0; 4],
    suffixes: [0; 5],
    shape: 3,
    looks: 3,
    style: 4,
    class: 3,
    class_if_unseen: 3,
    certain: 0,
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

/// Features for the first tag of a word, which is chosen from right to left: `after` are the tags
/// behind it. They are few and hold no pair of words, so that the tags of the training set are
/// about as good as those of other text.
pub fn of_first_tag(forms: &[Form], at: usize, after: [u32; 2], out: &mut Vec<u64>) {
    let word = &forms[at];
    let [before2, before, next] = [-2, -1, 1].map(|offset| near(forms, at, offset));
    let mut add = Templates::new(out, 3000);
    add.one(1);
    add.one(word.exact);
    add.one(word.lower);
    for suffix in word.suffixes {
        add.one(suffix);
    }
    add.one(word.prefixes[1]);
    add.one(word.prefixes[2]);
    add.one(word.shape);
    add.one(word.looks);
    add.two(word.suffixes[1], word.looks);
    add.one(word.class);
    add.one(before.class);
    add.one(before.lower);
    add.one(next.lower);
    add.two(word.class, word.looks);
    add.two(word.looks, word.style);
    add.three(word.class, word.looks, next.looks);
    add.two(before.class, word.class);
    add.two(before2.class, before.class);
    add.one(after[0]);
    add.two(after[0], after[1]);
    add.two(after[0], word.class);
    add.two(after[0], word.lower);
    add.two(after[0], word.suffixes[1]);
    add.two(after[0], before.class);
    add.three(before.class, word.class, after[0]);
    add.three(word.class, after[0], after[1]);
}

/// Features for the tag of a word, chosen from left to right: `before` are the tags before it,
/// `first` the tags of the first pass, of this word and of those behind it.
pub fn of_tag(
    forms: &[Form],
    at: usize,
    [before, before2]: [u32; 2],
    first: [u32; 3],
    out: &mut Vec<u64>,
) {
    let word = &forms[at];
    let [left2, left, right, right2] = [-2, -1, 1, 2].map(|offset| near(forms, at, offset));
    let (lower, class, suffix) = (word.lower, word.class, word.suffixes[2]);
    let mut add = Templates::new(out, 1);
    add.one(1);
    add.one(word.exact);
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
    add.two(suffix, word.looks);
    add.two(word.shape, left.shape);
    add.three(word.looks, left.looks, right.looks);
    add.two(word.looks, word.style);
    add.three(class, word.looks, word.style);
    add.three(class, word.looks, left.looks);
    add.three(class, word.looks, right.looks);
    add.one(left.lower);
    add.one(left2.lower);
    add.one(right.lower);
    add.one(right2.lower);
    add.two(left.lower, lower);
    add.two(lower, right.lower);
    add.two(left.lower, right.lower);
    add.two(left2.lower, left.lower);
    add.two(right.lower, right2.lower);
    add.one(left.suffixes[2]);
    add.one(right.suffixes[2]);
    add.one(class);
    add.one(left.class);
    add.one(right.class);
    add.two(class, left.class);
    add.two(class, right.class);
    add.two(class, word.looks);
    add.two(class, word.suffixes[1]);
    add.two(right.class, right2.class);
    add.three(class, right.class, right2.class);
    add.three(left.class, class, right.class);
    add.three(left2.class, left.class, class);
    add.two(lower, right.class);
    add.two(lower, left.class);
    add.two(class, left.lower);
    add.two(class, right.lower);
    let mut add = Templates::new(out, 1000);
    add.one(before);
    add.two(before2, before);
    add.two(before, lower);
    add.two(before, class);
    add.two(before, right.class);
    add.two(before, right.lower);
    add.two(before, left.lower);
    add.two(before, suffix);
    add.three(before, word.looks, right.looks);
    add.three(before, class, right.class);
    add.three(before2, before, class);
    add.three(before2, before, lower);
    let [own, after, after2] = first;
    add.one(own);
    add.two(own, class);
    add.two(own, before);
    add.three(own, before, after);
    add.one(after);
    add.two(after, after2);
    add.two(after, lower);
    add.two(after, class);
    add.two(after, suffix);
    add.two(before, after);
    add.two(after, left.lower);
    add.three(before, class, after);
    add.three(before, lower, after);
    add.three(before, suffix, after);
    add.three(class, after, after2);
    add.three(before2, before, after);
    add.three(before, after, after2);
}

/// Features of the analysis of a word with a tag; `tags` are those of all words, and `before` is
/// the analysis of the word before.
pub fn of_analysis(forms: &[Form], at: usize, tags: &[u32], before: u32, out: &mut Vec<u64>) {
    let word = &forms[at];
    let [before2, previous, after] = [-2, -1, 1].map(|offset| near(forms, at, offset));
    let tag = |offset: isize| {
        at.checked_add_signed(offset).and_then(|at| tags.get(at)).copied().unwrap_or(1)
    };
    let lower = word.lower;
    let own = tag(0);
    let mut add = Templates::new(out, 2000);
    add.one(own);
    add.two(own, word.exact);
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
    add.two(own, word.class);
}
