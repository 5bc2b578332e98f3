//! From what was read to a query: every block gets its nodes, its constraints and their order.
use super::Parser;
use crate::condition::{Attribute, Test};
use crate::query::{Block, Query, QueryNode};
use crate::relation::{Constraint, Place, Relation};
use conll::Column;

impl Parser<'_> {
    /// Puts the nodes of the query first and gives every block its own.
    pub(super) fn finish(self) -> Query {
        let Parser { nodes, constraints, blocks, .. } = self;
        // A name of a `without` block is that of the query, wherever that one was first written.
        let meant = |at: usize| {
            let (_, node) = &nodes[at];
            let of_query = |(block, known): &(usize, QueryNode)| {
                *block == 0 && !known.name.is_empty() && known.name == node.name
            };
            nodes.iter().position(of_query).unwrap_or(at)
        };
        let meanings: Vec<usize> = (0..nodes.len()).map(meant).collect();
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&at| meanings[at] == at).collect();
        order.sort_by_key(|&at| nodes[at].0 != 0);
        let place = |at: usize| order.iter().position(|&known| known == meanings[at]).unwrap_or(at);
        let mut made = vec![Block::default(); blocks];
        let mut add = |block: usize, constraint: Constraint| {
            made[block].constraints.push((constraint.mask(), constraint));
        };
        let mut placed: Vec<QueryNode> = order.iter().map(|&at| nodes[at].1.clone()).collect();
        for (at, (block, node)) in nodes.iter().enumerate() {
            // Said of a word of the query before the query names it.
            if meanings[at] != at && !node.conditions.are_empty() {
                let relation = Relation::Word(place(at) as Place, node.conditions.clone());
                add(*block, Constraint { relation, negated: false });
            }
        }
        for (block, mut constraint) in constraints {
            constraint.relation.each_place(|old| *old = place(usize::from(*old)) as Place);
            // A label is a condition on the dependent, by which it can be looked for.
            if let Relation::Arc { dependent, label, .. } = &mut constraint.relation
                && !constraint.negated
                && nodes[order[usize::from(*dependent)]].0 == block
                && let Some(values) = label.take()
            {
                let attribute = Attribute::Column(Column::Deprel);
                let conditions = &mut placed[usize::from(*dependent)].conditions;
                conditions.add(vec![vec![Test::Value { attribute, values }]]);
            }
            add(block, constraint);
        }
        let of_block = |wanted: usize| {
            let of = order.iter().enumerate().filter(|(_, at)| nodes[**at].0 == wanted);
            of.fold(0, |mask, (place, _)| mask | 1 << place)
        };
        for (number, block) in made.iter_mut().enumerate() {
            block.nodes = of_block(number);
        }
        let width = order.iter().filter(|&&at| nodes[at].0 == 0).count();
        let mut blocks = made.into_iter();
        let main = blocks.next().unwrap_or_default();
        Query { nodes: placed, main, without: blocks.collect(), width }
    }
}
