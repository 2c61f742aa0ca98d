//! Candidates about two nodes of the heap, one of which leads to the other, as in lists and trees.
//! They are local: what two nodes that follow each other are, and not which nodes a list has ("Data
//! structure specifications via local equality axioms", McPeak and Necula 2005).
//!
//! | Template | Over |
//! |:--|:--|
//! | `k` and `l` allocated, `next[k] == l` imply `p` | members `next` that lead to nodes of the class |
//! | `p`: `f[k] - f[l] == c`, `f[k] <= f[l]`, `<`, `>=`, `>` | other members |
//! | `p`: `f[k] == f[l] + g[l]`, `f[l] == f[k] + g[k]` | two of them |
//! | `p`: `back[l] == k` | members that lead to nodes |
//! | `k` and `l` allocated, `k != l`, `next[k] != 0` imply `next[k] != other[l]` | two of them |
//! | `k` allocated, `next[k] == l`, `l != 0` imply `l` allocated | them |
//! | `k` allocated, `x != 0` imply `next[k] != x` | pointers `x` |
//! | `k == x`, `x != 0` imply `f[k] - y == c`, `f[k] + g[k] == y` | pointers, members, locations `y` |
//! | `k` allocated, `next[k] == 0` imply `k == x`, `f[k] - y == c` | pointers, members, locations |
//! | `k` allocated implies `k != 0`, `f[k] - y < z - y` | members, locations `y` and `z` |
//! | `k` and `l` allocated, `k != l` imply `f[k] != f[l]` | members |
//! | `x == 0` implies `y == c`, or `y == z`; `x != 0` implies `y != 0` | pointers, locations |

use expr::{BvOp, CmpOp, Term};

use crate::formulas::execution::Sample;
use crate::invariants::candidates::{Known, OfNode, Pool, Variable, distance, holding, values};
use crate::invariants::pairs::Pair;
use crate::objects::locations::INDEX_WIDTH;

/// How many such candidates there are at a cut.
const MOST: usize = 120;

/// How many pointers are looked at.
const POINTERS: usize = 4;

/// How many other locations.
const OTHERS: usize = 8;

/// How many sampled states there are at least where a sum holds not by chance.
const LEAST: usize = 4;

/// The nodes of a class at two indices.
struct Nodes {
    k: Variable,
    l: Variable,
    /// Whether they are allocated.
    flag: Pair,
    /// The members that lead to nodes of the class.
    links: Vec<Pair>,
    /// All others.
    members: Vec<Pair>,
}

impl Nodes {
    /// The classes of nodes that are known at two indices.
    fn all((k, l): (Variable, Variable), known: &Known<'_>) -> Vec<Nodes> {
        let of = |pair: &Pair| pair.first.node;
        let flags = known.pairs.iter();
        let flags = flags.filter(|it| of(it).is_some_and(|node| node.is_flag));
        flags
            .map(|&flag| {
                let class = of(&flag).map(|node| node.class);
                let is_like = |it: &&Pair| {
                    let is_member = |node: OfNode| !node.is_flag && Some(node.class) == class;
                    of(it).is_some_and(is_member)
                };
                let members = known.pairs.iter().filter(is_like).copied();
                let (links, members) =
                    members.partition(|it| it.first.leads_to == class && class.is_some());
                Nodes {
                    k,
                    l,
                    flag,
                    links,
                    members,
                }
            })
            .collect()
    }
}

impl Pool<'_> {
    /// Candidates about nodes that lead to others, at the indices `k` and `l`.
    pub fn of_linked(&mut self, indices: (Variable, Variable), known: &Known<'_>) {
        let before = self.found.len();
        for nodes in Nodes::all(indices, known) {
            self.heads(&nodes, known);
            self.apart(&nodes, known.samples);
            for link in &nodes.links {
                self.neighbours(&nodes, link, known.samples);
            }
        }
        self.found.truncate(before + MOST);
    }

    /// Facts of a node and the one that it leads to.
    fn neighbours(&mut self, nodes: &Nodes, link: &Pair, samples: &[Sample]) {
        let Nodes { k, l, flag, .. } = nodes;
        let leads = self.terms.eq(link.first.term, l.term);
        let [first, second] =
            [flag.first, flag.second].map(|flag| self.terms.is_nonzero(flag.term));
        let is_null = self.equals(*l, 0);
        let is_some = self.terms.bool_not(is_null);
        let leads_on = self.all_of(&[first, leads, is_some]);
        let holds = |it: &&Sample| {
            let is_set = |at: &Variable| it.get(&at.var) == Some(&1);
            is_set(&flag.first) && is_set(&flag.second) && it.get(&link.first.var) == it.get(&l.var)
        };
        let there: Vec<Sample> = samples.iter().filter(holds).cloned().collect();
        if there.is_empty() {
            return;
        }
        self.implies(leads_on, vec![second]);
        let both = self.all_of(&[leads_on, second]);
        let mut facts = Vec::new();
        for back in &nodes.links {
            facts.push(self.terms.eq(back.second.term, k.term));
        }
        for member in &nodes.members {
            self.of_neighbours(member, &there, &mut facts);
            for other in &nodes.members {
                self.sums_of_neighbours((member, other), &there, &mut facts);
            }
        }
        let facts = holding(self.terms, facts, &there);
        self.implies(both, facts);
    }

    /// How members of two nodes may be related, the first of which leads to the second.
    fn of_neighbours(&mut self, member: &Pair, samples: &[Sample], facts: &mut Vec<Term>) {
        let Pair { first, second } = *member;
        let width = first.width;
        let distance = distance(samples, first, second);
        facts.extend(distance.map(|it| self.differ_by(first, second, it)));
        if width < INDEX_WIDTH {
            for (a, b) in [(first, second), (second, first)] {
                let above = self.terms.compare(first.order(), b.term, a.term);
                let below = self.terms.compare(first.order(), a.term, b.term);
                facts.extend([self.terms.bool_not(above), below]);
            }
        }
    }

    /// That a member is the sum of two, of which one is the same member of the neighbour.
    fn sums_of_neighbours(
        &mut self,
        (member, other): (&Pair, &Pair),
        samples: &[Sample],
        facts: &mut Vec<Term>,
    ) {
        let is_like = member.first.width == other.first.width;
        if !is_like || member.first.var == other.first.var || samples.len() < LEAST {
            return;
        }
        let Pair { first, second } = *member;
        for (sum, a, b) in [
            (first, second, other.second),
            (second, first, other.first),
            (first, second, other.first),
            (second, first, other.second),
        ] {
            let added = self.terms.binary(BvOp::Add, a.term, b.term);
            facts.push(self.terms.eq(sum.term, added));
        }
    }

    /// That no two nodes lead to the same one, or hold the same.
    fn apart(&mut self, nodes: &Nodes, samples: &[Sample]) {
        let Nodes { k, l, flag, .. } = nodes;
        let [first, second] =
            [flag.first, flag.second].map(|flag| self.terms.is_nonzero(flag.term));
        let same = self.terms.eq(k.term, l.term);
        let differ = self.terms.bool_not(same);
        let mut facts = Vec::new();
        for link in &nodes.links {
            let null = self.equals(link.first, 0);
            for other in &nodes.links {
                let equal = self.terms.eq(link.first.term, other.second.term);
                let differ = self.terms.bool_not(equal);
                facts.push(self.terms.bool_or(null, differ));
            }
        }
        for member in &nodes.members {
            let equal = self.terms.eq(member.first.term, member.second.term);
            facts.push(self.terms.bool_not(equal));
        }
        let both = self.all_of(&[first, second, differ]);
        let facts = facts.into_iter();
        let candidates = facts.map(|fact| self.implication(both, fact)).collect();
        let candidates = holding(self.terms, candidates, samples);
        self.found.extend(candidates);
    }

    /// What holds of all nodes, of the last ones, and of those that pointers lead to.
    fn heads(&mut self, nodes: &Nodes, known: &Known<'_>) {
        let class = nodes.flag.first.node.map(|node| node.class);
        let plain = known.plain();
        let is_head = |it: &&Variable| it.leads_to.is_some() && it.leads_to == class;
        let is_other = |it: &&Variable| it.leads_to.is_none() && !it.is_element;
        let heads: Vec<Variable> = plain
            .iter()
            .filter(is_head)
            .take(POINTERS)
            .copied()
            .collect();
        let others: Vec<Variable> = plain
            .iter()
            .filter(is_other)
            .take(OTHERS)
            .copied()
            .collect();
        let is_allocated = |it: &&Sample| it.get(&nodes.flag.first.var) == Some(&1);
        let allocated: Vec<Sample> = known.samples.iter().filter(is_allocated).cloned().collect();
        let first = self.terms.is_nonzero(nodes.flag.first.term);
        let null = self.equals(nodes.k, 0);
        let is_some = self.terms.bool_not(null);
        self.implies(first, vec![is_some]);
        self.between(nodes, &others, &allocated);
        self.ends(nodes, (&heads, &others), &allocated);
        for x in heads {
            self.led_to_by_none(nodes, x, known.samples);
            self.without_nodes(x, &others, known.samples);
            self.head(nodes, x, &others, known.samples);
        }
    }

    /// That no node leads to the one that a pointer leads to.
    fn led_to_by_none(&mut self, nodes: &Nodes, x: Variable, samples: &[Sample]) {
        let first = self.terms.is_nonzero(nodes.flag.first.term);
        let null = self.equals(x, 0);
        let is_some = self.terms.bool_not(null);
        let is_set = self.all_of(&[first, is_some]);
        let mut facts = Vec::new();
        for link in &nodes.links {
            let leads = self.terms.eq(link.first.term, x.term);
            let elsewhere = self.terms.bool_not(leads);
            facts.push(self.implication(is_set, elsewhere));
        }
        self.found.extend(holding(self.terms, facts, samples));
    }

    /// What the node holds that a pointer leads to.
    fn head(&mut self, nodes: &Nodes, x: Variable, others: &[Variable], samples: &[Sample]) {
        let is_there = |it: &&Sample| {
            let at = it.get(&x.var);
            at == it.get(&nodes.k.var) && at.is_some_and(|&at| at != 0)
        };
        let samples: Vec<Sample> = samples.iter().filter(is_there).cloned().collect();
        if samples.len() < LEAST {
            return;
        }
        let null = self.equals(x, 0);
        let is_some = self.terms.bool_not(null);
        let same = self.terms.eq(nodes.k.term, x.term);
        let there = self.all_of(&[same, is_some]);
        let mut facts = self.equal_to(&nodes.members, others, &samples);
        facts.extend(self.sums(&nodes.members, others));
        let facts = holding(self.terms, facts, &samples);
        self.implies(there, facts);
    }

    /// That the sum of two members of a node is as great as a location.
    fn sums(&mut self, members: &[Pair], others: &[Variable]) -> Vec<Term> {
        let mut facts = Vec::new();
        for (at, a) in members.iter().map(|it| it.first).enumerate() {
            let later = members[at + 1..].iter().map(|it| it.first);
            for b in later.filter(|b| b.width == a.width) {
                let sum = self.terms.binary(BvOp::Add, a.term, b.term);
                for y in others.iter().filter(|y| y.width == a.width) {
                    facts.push(self.terms.eq(sum, y.term));
                }
            }
        }
        facts
    }

    /// That members are between two locations.
    fn between(&mut self, nodes: &Nodes, others: &[Variable], allocated: &[Sample]) {
        if allocated.len() < LEAST {
            return;
        }
        let mut facts = Vec::new();
        for member in nodes.members.iter().map(|it| it.first) {
            for low in others.iter().filter(|it| it.width == member.width) {
                let above = self.terms.binary(BvOp::Sub, member.term, low.term);
                for high in others.iter().filter(|it| it.width == member.width) {
                    if high.var != low.var {
                        let range = self.terms.binary(BvOp::Sub, high.term, low.term);
                        facts.push(self.terms.compare(CmpOp::Ult, above, range));
                    }
                }
            }
        }
        let facts = holding(self.terms, facts, allocated);
        let is_allocated = self.terms.is_nonzero(nodes.flag.first.term);
        self.implies(is_allocated, facts);
    }

    /// What holds of the nodes that lead to none.
    fn ends(
        &mut self,
        nodes: &Nodes,
        (heads, others): (&[Variable], &[Variable]),
        allocated: &[Sample],
    ) {
        let is_allocated = self.terms.is_nonzero(nodes.flag.first.term);
        for link in &nodes.links {
            let is_end = |it: &&Sample| it.get(&link.first.var) == Some(&0);
            let there: Vec<Sample> = allocated.iter().filter(is_end).cloned().collect();
            if there.is_empty() {
                continue;
            }
            let leads_to_none = self.equals(link.first, 0);
            let condition = self.all_of(&[is_allocated, leads_to_none]);
            let heads = heads.iter();
            let mut facts: Vec<Term> = heads.map(|x| self.terms.eq(nodes.k.term, x.term)).collect();
            if there.len() >= LEAST {
                facts.extend(self.equal_to(&nodes.members, others, &there));
            }
            let facts = holding(self.terms, facts, &there);
            self.implies(condition, facts);
        }
    }

    /// That members are as great as locations, or greater by a constant.
    fn equal_to(&mut self, members: &[Pair], others: &[Variable], samples: &[Sample]) -> Vec<Term> {
        let mut facts = Vec::new();
        for member in members.iter().map(|it| it.first) {
            for y in others.iter().filter(|y| y.width == member.width) {
                let distance = distance(samples, member, *y);
                facts.extend(distance.map(|it| self.differ_by(member, *y, it)));
            }
        }
        facts
    }

    fn differ_by(&mut self, x: Variable, y: Variable, distance: u128) -> Term {
        if distance == 0 {
            return self.terms.eq(x.term, y.term);
        }
        let difference = self.terms.binary(BvOp::Sub, x.term, y.term);
        let distance = self.constant(x, distance);
        self.terms.eq(difference, distance)
    }

    /// What locations are while a pointer is 0, and while it is not.
    fn without_nodes(&mut self, x: Variable, others: &[Variable], samples: &[Sample]) {
        let is_null = |it: &&Sample| it.get(&x.var) == Some(&0);
        let (empty, rest): (Vec<Sample>, Vec<Sample>) =
            samples.iter().cloned().partition(|it| is_null(&it));
        let null = self.equals(x, 0);
        let is_some = self.terms.bool_not(null);
        let mut facts = Vec::new();
        let mut facts_of_rest = Vec::new();
        for (at, &y) in others.iter().enumerate() {
            if let [only] = *values(&empty, y) {
                facts.push(self.equals(y, only));
            }
            let zero = self.equals(y, 0);
            facts_of_rest.push(self.terms.bool_not(zero));
            for z in others[at + 1..].iter().filter(|z| z.width == y.width) {
                facts.push(self.terms.eq(y.term, z.term));
            }
        }
        for (is, facts, samples) in [(null, facts, empty), (is_some, facts_of_rest, rest)] {
            if !samples.is_empty() {
                let facts = holding(self.terms, facts, &samples);
                self.implies(is, facts);
            }
        }
    }

    fn all_of(&mut self, conditions: &[Term]) -> Term {
        let all = self.terms.bool(true);
        let conditions = conditions.iter();
        conditions.fold(all, |all, &it| self.terms.bool_and(all, it))
    }

    fn implication(&mut self, condition: Term, fact: Term) -> Term {
        let otherwise = self.terms.bool_not(condition);
        self.terms.bool_or(otherwise, fact)
    }

    /// Makes candidates of facts, each where a condition holds.
    fn implies(&mut self, condition: Term, facts: Vec<Term>) {
        for fact in facts {
            let candidate = self.implication(condition, fact);
            self.found.push(candidate);
        }
    }
}
