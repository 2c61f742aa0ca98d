//! Candidates about the nodes of the heap: all that are allocated, or the one that a pointer leads to.
//!
//! | Template | Over |
//! |:--|:--|
//! | `allocated[k]` implies `p` | facts `p` of a member of the node at `k` |
//! | `allocated[k]` and `f[k] == v` imply `p` | members `f` with few values, and another one |
//! | `k == x` and `x != 0` imply `p`, or `allocated[k]` | pointers `x` |
//! | the same, if another pointer is not 0 | pairs of pointers |
//! | `p`: `f[k]` one of few values, its bounds, not 0, congruent | each member |
//! | `p`: `f[k] == y`, `!=`, `<=`, `>=`, `f[k] - y == c` | each member, and another or a location |

use expr::{BvOp, CmpOp, Term, to_signed};

use crate::formulas::execution::Sample;
use crate::invariants::candidates::{Pool, Variable, distance, values};
use crate::objects::locations::INDEX_WIDTH;

/// How many locations members are compared with.
const OTHERS: usize = 12;

/// How many pointers there are whose nodes are looked at.
const POINTERS: usize = 6;

/// How many values a member may have that others are told apart by.
const CASES: usize = 4;

impl Pool<'_> {
    /// Candidates about nodes. `k` is their index among the variables; of these, some are of nodes, and
    /// others are not.
    pub fn of_nodes(
        &mut self,
        k: Variable,
        of_nodes: &[Variable],
        others: &[Variable],
        samples: &[Sample],
    ) {
        let is_flag = |it: &&Variable| it.node.is_some_and(|node| node.is_flag);
        for &flag in of_nodes.iter().filter(is_flag) {
            let class = flag.node.map(|node| node.class);
            let members = of_nodes.iter().filter(|it| {
                let same = it.node.map(|node| node.class) == class;
                same && !is_flag(it)
            });
            let members: Vec<Variable> = members.copied().collect();
            let is_allocated = |it: &&Sample| it.get(&flag.var) == Some(&1);
            let allocated: Vec<Sample> = samples.iter().filter(is_allocated).cloned().collect();
            let is_free = self.equals(flag, 0);
            self.bounds_unless(is_free, &members, &allocated);
            self.facts_unless(is_free, &members, others, &allocated);
            self.cases_unless(is_free, &members, &allocated);
            self.of_pointers(k, flag, &members, others, samples);
        }
    }

    /// Facts of members that hold in some samples, each unless a condition holds.
    fn facts_unless(
        &mut self,
        unless: Term,
        members: &[Variable],
        others: &[Variable],
        samples: &[Sample],
    ) {
        if samples.is_empty() {
            return;
        }
        let before = std::mem::take(&mut self.found);
        for (at, &member) in members.iter().enumerate() {
            self.of_member(member, samples);
            let later = members[at + 1..].iter();
            let is_like = |y: &&Variable| y.width == member.width && y.leads_to == member.leads_to;
            for &y in later.chain(others.iter()).filter(is_like).take(OTHERS) {
                self.of_member_and(member, y, samples);
            }
        }
        self.unless(unless, before);
    }

    /// Makes candidates of all that was found but some: each unless a condition holds.
    fn unless(&mut self, unless: Term, before: Vec<Term>) {
        let facts = std::mem::replace(&mut self.found, before);
        for fact in facts {
            let candidate = self.terms.bool_or(unless, fact);
            self.found.push(candidate);
        }
    }

    /// Bounds of members in some samples, each unless a condition holds.
    fn bounds_unless(&mut self, unless: Term, members: &[Variable], samples: &[Sample]) {
        let before = std::mem::take(&mut self.found);
        for &member in members.iter().filter(|it| it.width < INDEX_WIDTH) {
            let of = values(samples, member);
            let width = member.width;
            self.bounds(member, &of, CmpOp::Ule, |value| value as i128);
            self.bounds(member, &of, CmpOp::Sle, |value| to_signed(width, value));
            self.residues(member, &of);
        }
        self.unless(unless, before);
    }

    fn of_member(&mut self, member: Variable, samples: &[Sample]) {
        let of = values(samples, member);
        if member.width < INDEX_WIDTH {
            self.of_one_case(member, &of);
        }
        let zero = self.equals(member, 0);
        let nonzero = self.terms.bool_not(zero);
        match of.as_slice() {
            [0] => self.found.push(zero),
            _ => self.found.push(nonzero),
        }
    }

    fn of_member_and(&mut self, member: Variable, y: Variable, samples: &[Sample]) {
        let equal = self.terms.eq(member.term, y.term);
        let differ = self.terms.bool_not(equal);
        self.found.extend([equal, differ]);
        if member.width >= INDEX_WIDTH {
            return;
        }
        for op in [CmpOp::Ule, CmpOp::Sle] {
            let below = self.terms.compare(op, member.term, y.term);
            let above = self.terms.compare(op, y.term, member.term);
            self.found.extend([below, above]);
        }
        if let Some(distance) = distance(samples, member, y) {
            let difference = self.terms.binary(BvOp::Sub, member.term, y.term);
            let distance = self.constant(member, distance);
            let follows = self.terms.eq(difference, distance);
            self.found.push(follows);
        }
    }

    /// What members are where another one has a value, each unless a condition holds.
    fn cases_unless(&mut self, unless: Term, members: &[Variable], samples: &[Sample]) {
        for &b in members {
            let cases = values(samples, b);
            let is_zero_told = b.width == INDEX_WIDTH && cases.contains(&0);
            if !(2..=CASES).contains(&cases.len()) && !is_zero_told {
                continue;
            }
            let cases: Vec<(u128, bool)> = match is_zero_told {
                true => vec![(0, true), (0, false)],
                false => cases.into_iter().map(|case| (case, true)).collect(),
            };
            for (case, is_equal) in cases {
                let is_case = |it: &&Sample| (it.get(&b.var) == Some(&case)) == is_equal;
                let of_case: Vec<Sample> = samples.iter().filter(is_case).cloned().collect();
                let equal = self.equals(b, case);
                let is_other = match is_equal {
                    true => self.terms.bool_not(equal),
                    false => equal,
                };
                let unless = self.terms.bool_or(unless, is_other);
                let rest: Vec<Variable> = members
                    .iter()
                    .filter(|it| it.var != b.var)
                    .copied()
                    .collect();
                self.facts_unless(unless, &rest, &[], &of_case);
            }
        }
    }

    /// Facts of the nodes that pointers lead to.
    fn of_pointers(
        &mut self,
        k: Variable,
        flag: Variable,
        members: &[Variable],
        others: &[Variable],
        samples: &[Sample],
    ) {
        let class = flag.node.map(|node| node.class);
        let is_pointer = |it: &&Variable| {
            it.leads_to.is_some() && it.leads_to == class && it.width == INDEX_WIDTH
        };
        let pointers: Vec<Variable> = others
            .iter()
            .filter(is_pointer)
            .take(POINTERS)
            .copied()
            .collect();
        for &x in &pointers {
            let is_there = |it: &&Sample| {
                let at = it.get(&x.var);
                at == it.get(&k.var) && at.is_some_and(|&at| at != 0)
            };
            let there: Vec<Sample> = samples.iter().filter(is_there).cloned().collect();
            if there.is_empty() {
                continue;
            }
            let same = self.terms.eq(k.term, x.term);
            let elsewhere = self.terms.bool_not(same);
            let is_null = self.equals(x, 0);
            let elsewhere = self.terms.bool_or(is_null, elsewhere);
            let allocated = self.equals(flag, 1);
            let is_live = self.terms.bool_or(elsewhere, allocated);
            self.found.push(is_live);
            self.bounds_unless(elsewhere, members, &there);
            self.facts_unless(elsewhere, members, others, &there);
            for &y in pointers.iter().filter(|y| y.var != x.var) {
                let is_set = |it: &&Sample| it.get(&y.var).is_some_and(|&at| at != 0);
                let set: Vec<Sample> = there.iter().filter(is_set).cloned().collect();
                let is_null = self.equals(y, 0);
                let unless = self.terms.bool_or(is_null, elsewhere);
                let is_live = self.terms.bool_or(unless, allocated);
                self.found.push(is_live);
                self.facts_unless(unless, members, others, &set);
            }
        }
    }
}
