//! The arena: every term once.

use std::hash::{BuildHasher, Hash};
use std::num::NonZeroU32;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::build::Bounds;
use crate::result_cache::ResultCache;
use crate::semantics::{MAX_WIDTH, mask};
use crate::var_sets::{SeenParts, VarSet, VarSets, Variables};
use crate::{BvOp, CmpOp, Node, Sort, Term, Var};

/// An arena of terms. Equal terms have equal numbers, and operands have smaller numbers than the
/// terms they are in. A term has its meaning only in the arena that made it (or a copy).
///
/// The constructors simplify. Operands must have the sorts and widths that the operators require;
/// debug assertions check this.
#[derive(Clone)]
pub struct Terms {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    table: HashTable<Term>,
    var_sets: VarSets,
    /// The bounds of sums and products.
    pub(crate) bounds: FxHashMap<Term, Bounds>,
    pub(crate) results: ResultCache,
    /// How many simplifications are under way inside one another, see [`Terms::nested`].
    pub(crate) nesting: u32,
}

/// The facts about a term beside its node.
#[derive(Clone, Copy)]
struct Facts {
    /// 0 for Bool.
    width: u8,
    variables: VarSet,
}

/// How deeply constructors may call one another before they build plain terms.
const MAX_NESTING: u32 = 24;

impl Default for Terms {
    fn default() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            facts: Vec::new(),
            table: HashTable::new(),
            var_sets: VarSets::default(),
            bounds: FxHashMap::default(),
            results: ResultCache::default(),
            nesting: 0,
        };
        terms.bool(false);
        terms.bool(true);
        terms
    }
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terms({})", self.nodes.len())
    }
}

impl Term {
    /// Its number in its arena, from 1 to [`Terms::len`]; operands have smaller ones.
    pub fn number(self) -> u32 {
        self.0.get()
    }

    pub(crate) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl Terms {
    /// The term's operator and operands.
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    /// The term's sort.
    pub fn sort(&self, term: Term) -> Sort {
        match self.width(term) {
            0 => Sort::Bool,
            width => Sort::BitVec(width),
        }
    }

    /// The term's width in bits; 0 for a Bool.
    pub fn width(&self, term: Term) -> u32 {
        u32::from(self.facts[term.index()].width)
    }

    /// The variables that the term contains. Known at once.
    pub fn variables(&self, term: Term) -> Variables<'_> {
        self.var_sets.get(self.facts[term.index()].variables)
    }

    /// The variables of all these terms, in increasing order, each once.
    pub fn all_variables(&self, terms: &[Term]) -> Vec<Var> {
        let (mut seen, mut all) = (SeenParts::default(), Vec::new());
        for &term in terms {
            self.variables(term)
                .each_unseen(&mut seen, |var| all.push(var));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many terms there are; every term's number is below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: true and false are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// True or false as a term.
    pub fn bool(&mut self, value: bool) -> Term {
        self.intern(Node::Bool(value))
    }

    /// A constant of `width` bits; higher bits of `value` are cut off.
    pub fn constant(&mut self, width: u32, value: u128) -> Term {
        let value = value & mask(width);
        self.intern(Node::Const { width, value })
    }

    /// A variable of `width` bits. A variable has one width only.
    pub fn var(&mut self, var: Var, width: u32) -> Term {
        self.intern(Node::Var { var, width })
    }

    /// The value of a constant Bool.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a constant bit vector.
    pub fn as_constant(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Const { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The node as it is, not simplified: for checks of the simplification and of solvers. The
    /// operands must have the sorts and widths that the operator requires.
    pub fn unsimplified(&mut self, node: Node) -> Term {
        self.intern(node)
    }

    /// The number of the node's term; a new one if it was never built before.
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        let hash = hash(&node);
        let nodes = &self.nodes;
        let found = self.table.find(hash, |term| nodes[term.index()] == node);
        if let Some(&term) = found {
            return term;
        }
        let facts = Facts {
            width: self.width_of(node),
            variables: self.variables_of(node),
        };
        self.nodes.push(node);
        self.facts.push(facts);
        let number = u32::try_from(self.nodes.len())
            .ok()
            .and_then(NonZeroU32::new);
        // 2^32 terms take more than 128 GB: limits on steps end an execution long before.
        let term = Term(number.unwrap_or(NonZeroU32::MAX));
        let nodes = &self.nodes;
        self.table
            .insert_unique(hash, term, |term| self::hash(&nodes[term.index()]));
        self.remember_bounds(term);
        term
    }

    /// Runs a simplification that calls constructors, unless such calls are nested too deep
    /// already: deep terms must not exhaust the stack. Gives `None` then.
    pub(crate) fn nested<T>(&mut self, simplify: impl FnOnce(&mut Terms) -> T) -> Option<T> {
        if self.nesting >= MAX_NESTING {
            return None;
        }
        self.nesting += 1;
        let result = simplify(self);
        self.nesting -= 1;
        Some(result)
    }

    fn width_of(&self, node: Node) -> u8 {
        let width = match node {
            Node::Const { width, .. }
            | Node::Var { width, .. }
            | Node::ZeroExtend { width, .. }
            | Node::SignExtend { width, .. } => width,
            Node::Not(a) | Node::Neg(a) | Node::Binary(_, a, _) | Node::Ite(_, a, _) => {
                self.width(a)
            }
            Node::Extract { high, low, .. } => high - low + 1,
            Node::Concat(a, b) => self.width(a) + self.width(b),
            Node::Bool(_)
            | Node::Compare(..)
            | Node::BoolNot(_)
            | Node::BoolAnd(..)
            | Node::BoolOr(..) => 0,
        };
        debug_assert!(width <= MAX_WIDTH, "{node:?}: {width} bits");
        u8::try_from(width).unwrap_or(u8::MAX)
    }

    fn variables_of(&mut self, node: Node) -> VarSet {
        if let Node::Var { var, .. } = node {
            return self.var_sets.singleton(var);
        }
        let mut union = VarSet::default();
        for operand in node.operands() {
            union = self
                .var_sets
                .union(union, self.facts[operand.index()].variables);
        }
        union
    }
}

fn hash(node: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(node)
}

impl Node {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = Term> {
        let operands = match self {
            Node::Bool(_) | Node::Const { .. } | Node::Var { .. } => [None; 3],
            Node::Not(a)
            | Node::Neg(a)
            | Node::BoolNot(a)
            | Node::Extract { of: a, .. }
            | Node::ZeroExtend { of: a, .. }
            | Node::SignExtend { of: a, .. } => [Some(a), None, None],
            Node::Binary(_, a, b)
            | Node::Compare(_, a, b)
            | Node::Concat(a, b)
            | Node::BoolAnd(a, b)
            | Node::BoolOr(a, b) => [Some(a), Some(b), None],
            Node::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        operands.into_iter().flatten()
    }
}

impl BvOp {
    /// Whether the operands may be exchanged.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            BvOp::Add | BvOp::Mul | BvOp::And | BvOp::Or | BvOp::Xor
        )
    }

    /// All operators.
    pub const ALL: [BvOp; 13] = [
        BvOp::Add,
        BvOp::Sub,
        BvOp::Mul,
        BvOp::UDiv,
        BvOp::SDiv,
        BvOp::URem,
        BvOp::SRem,
        BvOp::And,
        BvOp::Or,
        BvOp::Xor,
        BvOp::Shl,
        BvOp::LShr,
        BvOp::AShr,
    ];
}

impl CmpOp {
    /// Whether numbers are compared by sign.
    pub fn is_signed(self) -> bool {
        matches!(self, CmpOp::Slt | CmpOp::Sle)
    }

    /// All comparisons.
    pub const ALL: [CmpOp; 5] = [CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle];
}
