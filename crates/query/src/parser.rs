//! From text to a query, in one pass from left to right.
//!
//! Whatever is wrong is told with the character where it stands and what would be right there.
mod blocks;
mod values;

use conll::Column;

use crate::condition::{Attribute, Comparison, Conditions, Test, Values};
use crate::error::QueryError;
use crate::key::{Key, Kind};
use crate::query::{MOST_NODES, Query, QueryNode};
use crate::relation::{Constraint, Place, Quantity, Relation, Term};

/// Words that are no names of nodes.
const RESERVED: [&str; 7] =
    ["pattern", "without", "length", "projective", "nonprojective", "crossing", "meta"];

/// The artificial root.
const ROOT: &str = "ROOT";

type Parsed<T> = Result<T, QueryError>;

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// Every node with the block in which it was first named: 0 is the query itself.
    nodes: Vec<(usize, QueryNode)>,
    /// Constraints with their block.
    constraints: Vec<(usize, Constraint)>,
    /// Blocks that were begun.
    blocks: usize,
    /// The block that is being read.
    block: usize,
}

/// Reads a query.
pub(crate) fn query(text: &str) -> Parsed<Query> {
    let mut parser = Parser::new(text);
    parser.items()?;
    Ok(parser.finish())
}

/// Reads a key of a query.
pub(crate) fn key(text: &str, query: &Query) -> Parsed<Key> {
    let mut parser = Parser::new(text);
    parser.nodes = query.nodes[..query.width].iter().map(|node| (0, node.clone())).collect();
    parser.blanks();
    let start = parser.at;
    let kind = if parser.comment_key()? {
        Kind::Comment(parser.name("the key of a comment")?)
    } else if parser.peeks_term() {
        let term = parser.term()?;
        match term {
            Term { quantity: Quantity::Attribute(place, attribute), offset: 0.0 } => {
                Kind::Attribute(place, attribute)
            }
            term => Kind::Number(term),
        }
    } else {
        let place = parser.named_node()?;
        Kind::Attribute(place, Attribute::Column(Column::Form))
    };
    parser.blanks();
    if parser.at < text.len() {
        return Err(
            parser.error("expected nothing more: a key is like `S.lemma` or `distance(V, S)`")
        );
    }
    if parser.nodes.len() > query.width {
        let name = &parser.nodes[query.width].1.name;
        let known: Vec<&str> = query.names().filter(|name| !name.is_empty()).collect();
        let known = if known.is_empty() {
            "none of its words has a name".to_owned()
        } else {
            format!("it has {}", known.join(", "))
        };
        return Err(parser.error_at(start, format!("the query has no word `{name}`: {known}")));
    }
    Ok(Key { text: text.trim().to_owned(), kind })
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        let (nodes, constraints) = (Vec::new(), Vec::new());
        Parser { text, at: 0, nodes, constraints, blocks: 1, block: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn error(&self, message: impl Into<String>) -> QueryError {
        self.error_at(self.at, message)
    }

    fn error_at(&self, at: usize, message: impl Into<String>) -> QueryError {
        QueryError::new(self.text, at, message)
    }

    /// Passes blanks, and comments from `#` to the end of the line.
    fn blanks(&mut self) {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Passes a sign if it stands here.
    fn takes(&mut self, sign: &str) -> bool {
        let here = self.rest().starts_with(sign);
        self.at += if here { sign.len() } else { 0 };
        here
    }

    fn needs(&mut self, sign: &str, message: &str) -> Parsed<()> {
        self.blanks();
        if self.takes(sign) { Ok(()) } else { Err(self.error(message)) }
    }

    /// The name that stands here, not yet passed.
    fn peeks_name(&self) -> &'t str {
        let rest = self.rest();
        let starts = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if starts { &rest[..end] } else { "" }
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        let name = self.peeks_name();
        if name.is_empty() {
            return Err(self.error(format!("expected {what}")));
        }
        self.at += name.len();
        Ok(name.to_owned())
    }

    /// Passes a word that has a meaning of its own.
    fn takes_word(&mut self, word: &str) -> bool {
        self.peeks_name() == word && self.takes(word)
    }

    fn items(&mut self) -> Parsed<()> {
        loop {
            self.blanks();
            if self.at == self.text.len() {
                return Ok(());
            }
            if self.takes_word("without") {
                (self.block, self.blocks) = (self.blocks, self.blocks + 1);
                self.blanks();
                if self.rest().starts_with('{') {
                    self.braces()?;
                } else {
                    self.clause()?;
                }
                self.block = 0;
            } else if self.takes_word("pattern") {
                self.blanks();
                self.braces()?;
            } else {
                self.clause()?;
                self.blanks();
                if self.at < self.text.len() && self.peeks_name() != "without" {
                    self.separator("`,`, an arc such as `->`, or an order such as `<<`")?;
                }
                continue;
            }
            self.blanks();
            if !self.takes(",") {
                self.takes(";");
            }
        }
    }

    /// Clauses between `{` and `}`.
    fn braces(&mut self) -> Parsed<()> {
        let open = self.at;
        self.needs("{", "expected `{`")?;
        loop {
            self.blanks();
            if self.takes("}") {
                return Ok(());
            }
            if self.at == self.text.len() {
                return Err(self.error_at(open, "this `{` has no `}`"));
            }
            self.clause()?;
            self.blanks();
            if self.at < self.text.len() && !self.rest().starts_with('}') {
                self.separator("`,` or `}`")?;
            }
        }
    }

    fn separator(&mut self, expected: &str) -> Parsed<()> {
        if self.takes(",") || self.takes(";") {
            return Ok(());
        }
        Err(self.error(format!("expected {expected}")))
    }

    /// One condition, or words in a chain of relations.
    fn clause(&mut self) -> Parsed<()> {
        self.blanks();
        let start = self.at;
        let negated = self.takes("!");
        self.blanks();
        if let Some((relation, turned)) = self.test_of_sentence()? {
            self.add(relation, negated != turned);
            return Ok(());
        }
        if self.peeks_term() || self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            if negated {
                return Err(
                    self.error_at(start, "a comparison is turned round by its sign, such as `!=`")
                );
            }
            return self.comparison();
        }
        if negated {
            return Err(self.error_at(
                start,
                "`!` stands before a relation (`X !-> Y`), a condition (`[!Case]`), `crossing` or `projective`",
            ));
        }
        let mut left = self.node()?;
        loop {
            self.blanks();
            let at = self.at;
            let negated = self.rest().starts_with('!') && self.takes("!");
            self.blanks();
            let Some(relation) = self.relation(left, at)? else {
                if negated {
                    return Err(
                        self.error("expected an arc such as `->`, or an order such as `<<`")
                    );
                }
                return Ok(());
            };
            let (relation, right) = relation;
            self.add(relation, negated);
            left = right;
        }
    }

    fn add(&mut self, relation: Relation, negated: bool) {
        self.constraints.push((self.block, Constraint { relation, negated }));
    }

    /// `projective`, `crossing(X)`, `meta.key=value` and their like, and whether it must not hold.
    fn test_of_sentence(&mut self) -> Parsed<Option<(Relation, bool)>> {
        let start = self.at;
        if self.comment_key()? {
            let key = self.name("the key of a comment, as in `meta.sent_id=/dev/`")?;
            let negated = self.equality()?;
            let values = self.values(negated, false)?;
            return Ok(Some((Relation::Comment { key, values }, false)));
        }
        let word = self.peeks_name();
        if !["crosses", "crossing", "nonprojective", "projective"].contains(&word) {
            return Ok(None);
        }
        self.at += word.len();
        self.blanks();
        let with_words = self.rest().starts_with('(');
        let relation = match (word, with_words) {
            ("crosses", true) => {
                let (one, other) = self.two_words()?;
                Relation::Crosses(one, other)
            }
            ("crossing", true) => Relation::Crossing(self.one_word()?),
            ("nonprojective", true) => Relation::NonProjective(self.one_word()?),
            ("crossing" | "nonprojective" | "projective", false) => Relation::SomeCrossing,
            _ => {
                let message = "expected `projective`, `crossing`, `crossing(X)` or `crosses(X, Y)`";
                return Err(self.error_at(start, message));
            }
        };
        Ok(Some((relation, word == "projective")))
    }

    /// Passes `meta.`.
    fn comment_key(&mut self) -> Parsed<bool> {
        if self.peeks_name() != "meta" {
            return Ok(false);
        }
        self.takes("meta");
        self.needs(".", "expected `.` and the key of a comment, as in `meta.sent_id=/dev/`")?;
        Ok(true)
    }

    /// Whether a number or a property of a word stands here: `X.lemma`, `length`, `depth(X)`.
    fn peeks_term(&self) -> bool {
        let name = self.peeks_name();
        let behind = &self.rest()[name.len()..];
        !name.is_empty()
            && (behind.starts_with('.') || name == "length" || behind.trim_start().starts_with('('))
    }

    fn one_word(&mut self) -> Parsed<Place> {
        self.needs("(", "expected `(`")?;
        let place = self.named_node()?;
        self.needs(")", "expected `)`")?;
        Ok(place)
    }

    fn two_words(&mut self) -> Parsed<(Place, Place)> {
        self.needs("(", "expected `(`")?;
        let one = self.named_node()?;
        self.needs(",", "expected `,` and the second word")?;
        let other = self.named_node()?;
        self.needs(")", "expected `)`")?;
        Ok((one, other))
    }

    /// The name of a word that is no root.
    fn named_node(&mut self) -> Parsed<Place> {
        self.blanks();
        let start = self.at;
        let place = self.node_by_name()?;
        if self.is_root(place) {
            return Err(self.error_at(start, "ROOT is no word: it has no place in the sentence"));
        }
        Ok(place)
    }

    fn is_root(&self, place: Place) -> bool {
        self.nodes[usize::from(place)].1.is_root
    }

    fn node_by_name(&mut self) -> Parsed<Place> {
        let start = self.at;
        let name = self.name("the name of a word, such as X")?;
        if RESERVED.contains(&name.as_str()) {
            return Err(self.error_at(
                start,
                format!("`{name}` has a meaning of its own: name the word otherwise"),
            ));
        }
        self.node_called(name, start)
    }

    fn node_called(&mut self, name: String, start: usize) -> Parsed<Place> {
        let known = |(block, node): &(usize, QueryNode)| {
            !name.is_empty() && node.name == name && (*block == 0 || *block == self.block)
        };
        if let Some(at) = self.nodes.iter().position(known) {
            return Ok(at as Place);
        }
        if self.nodes.len() == MOST_NODES {
            return Err(self.error_at(start, format!("a query has at most {MOST_NODES} words")));
        }
        let is_root = name == ROOT;
        self.nodes
            .push((self.block, QueryNode { name, conditions: Conditions::default(), is_root }));
        Ok(self.nodes.len() as Place - 1)
    }

    /// A word: a name, conditions, or both.
    fn node(&mut self) -> Parsed<Place> {
        self.blanks();
        let start = self.at;
        let place = if self.rest().starts_with('[') {
            self.node_called(String::new(), start)?
        } else {
            let name = self.peeks_name();
            if name.is_empty() {
                let message = "expected a word such as `X` or `[upos=VERB]`";
                return Err(self.error(message));
            }
            self.node_by_name()?
        };
        let behind = self.at;
        self.blanks();
        if !self.rest().starts_with('[') {
            self.at = behind;
            return Ok(place);
        }
        if self.is_root(place) {
            return Err(self.error("ROOT is no word: it has no columns"));
        }
        let mut blocks = Vec::new();
        loop {
            blocks.push(self.conditions()?);
            let before = self.at;
            self.blanks();
            let goes_on = self.takes("|");
            self.blanks();
            if !goes_on || !self.rest().starts_with('[') {
                self.at = before;
                break;
            }
        }
        let mut conditions = Conditions::default();
        conditions.add(blocks);
        self.ask(place, conditions);
        Ok(place)
    }

    /// Adds conditions to a word: to itself, or to what a `without` block says of it.
    fn ask(&mut self, place: Place, conditions: Conditions) {
        let (block, node) = &mut self.nodes[usize::from(place)];
        if *block == self.block {
            node.conditions.merge(conditions);
        } else if !conditions.are_empty() {
            self.add(Relation::Word(place, conditions), false);
        }
    }

    fn conditions(&mut self) -> Parsed<Vec<Test>> {
        let open = self.at;
        self.takes("[");
        let mut tests = Vec::new();
        self.blanks();
        if self.takes("]") {
            return Ok(tests);
        }
        loop {
            tests.push(self.test()?);
            self.blanks();
            if self.takes("]") {
                return Ok(tests);
            }
            if self.at == self.text.len() {
                return Err(self.error_at(open, "this `[` has no `]`"));
            }
            if !self.takes(",") && !self.takes(";") && !self.takes("&") {
                return Err(self.error("expected `,` or `]`"));
            }
        }
    }

    fn test(&mut self) -> Parsed<Test> {
        self.blanks();
        let absent = self.takes("!");
        self.blanks();
        let attribute = self.attribute()?;
        self.blanks();
        let start = self.at;
        match self.comparison_sign() {
            None => Ok(Test::Present { attribute, negated: absent }),
            Some(_) if absent => {
                Err(self.error_at(start, "write `!=` instead of `!` before a comparison"))
            }
            Some(comparison) => self.test_of(attribute, comparison),
        }
    }

    fn test_of(&mut self, attribute: Attribute, comparison: Comparison) -> Parsed<Test> {
        self.blanks();
        let start = self.at;
        let numeric = match comparison {
            Comparison::Equal | Comparison::Unequal => attribute.is_number(),
            _ => true,
        };
        if numeric {
            let number = self.number().ok_or_else(|| self.error_at(start, "expected a number"))?;
            return Ok(Test::Number { attribute, comparison, number });
        }
        let negated = comparison == Comparison::Unequal;
        let labels = attribute == Attribute::Column(Column::Deprel);
        Ok(Test::Value { attribute, values: self.values(negated, labels)? })
    }

    /// An arc, path or order, and the word behind it; nothing if none stands here.
    fn relation(&mut self, left: Place, at: usize) -> Parsed<Option<(Relation, Place)>> {
        let ordered = |relation: fn(Place, Place) -> Relation| relation;
        let arc = |head, dependent, label| Relation::Arc { head, dependent, label };
        let path = |above, below, label| Relation::Path { above, below, label };
        let make: Box<dyn Fn(Place, Place) -> Relation> = if self.takes("<<-") {
            let label = self.label_of_reversed()?;
            Box::new(move |left, right| path(right, left, label.clone()))
        } else if self.takes("<-") {
            let label = self.label_of_reversed()?;
            Box::new(move |left, right| arc(right, left, label.clone()))
        } else if self.takes("->>") {
            Box::new(move |left, right| path(left, right, None))
        } else if self.takes("->") {
            Box::new(move |left, right| arc(left, right, None))
        } else if self.takes("--") {
            Box::new(|one, other| Relation::Link { one, other, label: None })
        } else if self.takes("-[") {
            let label = Some(self.label()?);
            if self.takes("->>") {
                Box::new(move |left, right| path(left, right, label.clone()))
            } else if self.takes("->") {
                Box::new(move |left, right| arc(left, right, label.clone()))
            } else if self.takes("-") {
                Box::new(move |one, other| Relation::Link { one, other, label: label.clone() })
            } else {
                return Err(self.error("expected `->`, `->>` or `-` behind the label"));
            }
        } else if self.takes("<<") {
            Box::new(ordered(|left, right| Relation::Before { left, right }))
        } else if self.takes(">>") {
            Box::new(ordered(|left, right| Relation::Before { left: right, right: left }))
        } else if self.takes("<") {
            Box::new(ordered(|left, right| Relation::Next { left, right }))
        } else if self.takes(">") {
            Box::new(ordered(|left, right| Relation::Next { left: right, right: left }))
        } else {
            return Ok(None);
        };
        let behind = self.at;
        let right = self.node()?;
        if right == left {
            return Err(
                self.error_at(behind, "a word has no relation to itself: use a second name")
            );
        }
        let relation = make(left, right);
        let wrong = match relation {
            Relation::Arc { dependent: word, .. } | Relation::Path { below: word, .. } => {
                self.is_root(word).then_some("ROOT depends on nothing")
            }
            Relation::Before { .. } | Relation::Next { .. } => (self.is_root(left)
                || self.is_root(right))
            .then_some("ROOT is no word: it has no place in the sentence"),
            _ => None,
        };
        match wrong {
            Some(message) => Err(self.error_at(at, message)),
            None => Ok(Some((relation, right))),
        }
    }

    /// The label behind `<-` or `<<-`, if there is one.
    fn label_of_reversed(&mut self) -> Parsed<Option<Values>> {
        if !self.takes("[") {
            return Ok(None);
        }
        let label = self.label()?;
        self.needs("-", "expected `-` behind the label: `X <-[nsubj]- Y`")?;
        Ok(Some(label))
    }

    /// What stands behind `[`, to the `]`.
    fn label(&mut self) -> Parsed<Values> {
        self.blanks();
        let negated = self.takes("!") || self.takes("^");
        let values = self.values(negated, true)?;
        self.needs("]", "expected `|` or `]`")?;
        Ok(values)
    }
}
