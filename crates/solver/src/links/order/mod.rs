//! Orders and bounded differences of several variables.

mod graph;

use expr::{
    BvOp, CmpOp, Evaluator, Model, Node, Term, Terms, Var, from_signed, mask, signed_max,
    signed_min, to_signed,
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::graph::{Edge, Graph};
use crate::{Answer, Query, Solver};

/// Treats comparisons as bounds on differences of integers: `x < y` says that `x - y` is at most
/// -1, a width that `x` is at least the smallest number. `x + c` differs from `x` by `c` where the
/// bounds found so far exclude wrapping. Bounds that contradict each other make a query
/// unsatisfiable, whatever else is in it. Values that keep all bounds, found from the current ones,
/// are tried on the query.
pub struct Order<S> {
    next: S,
    evaluator: Evaluator,
}

/// The widest operands: sums of many bounds must fit.
const MOST_BITS: u32 = 64;
/// How many edges the graph may have.
const MOST_EDGES: usize = 8192;
/// How many disequalities are used.
const MOST_DISEQUALITIES: usize = 32;
/// How often sums are visited again, with the bounds from other sums.
const ROUNDS: usize = 3;

impl<S: Solver> Order<S> {
    /// A link in front of another.
    pub fn new(next: S) -> Order<S> {
        Order {
            next,
            evaluator: Evaluator::default(),
        }
    }

    fn answer(&mut self, terms: &Terms, query: &Query<'_>) -> Option<Answer> {
        let mut relations = Relations::of(terms, query.constraints);
        if relations.compared == 0 || relations.graph.edges.len() > MOST_EDGES {
            return None;
        }
        if let Err(core) = relations.close(terms) {
            return Some(Answer::Unsat(core));
        }
        let start = relations.values(&mut self.evaluator, terms, query.current);
        relations.choose_sides(&start);
        relations.suppose_sums(terms, &start);
        let values = relations.graph.solve(start).ok()?;
        let model = relations.model(terms, query.current, &values);
        let mut evaluation = self.evaluator.under(terms, &model);
        let mut all = query.constraints.iter().rev();
        all.all(|&c| evaluation.holds(c))
            .then_some(Answer::Sat(model))
    }
}

impl<S: Solver> Solver for Order<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        match self.answer(terms, query) {
            Some(answer) => answer,
            None => self.next.check(terms, query),
        }
    }
}

/// A term as an integer, by sign or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Quantity {
    term: Term,
    signed: bool,
}

/// A node whose term adds a constant to another's.
struct Sum {
    node: usize,
    of: usize,
    by: i128,
}

/// The relations between quantities that the comparisons of a query give.
struct Relations {
    graph: Graph,
    /// The nodes' quantities; that of node 0, zero, is not used.
    quantities: Vec<Option<Quantity>>,
    numbers: FxHashMap<Quantity, usize>,
    /// Pairs of nodes that are not equal, each with the constraint that it follows from.
    different: Vec<(usize, usize, usize)>,
    /// The sums that have an edge to their operand.
    joined: FxHashSet<usize>,
    /// How many constraints compare two quantities.
    compared: usize,
}

impl Relations {
    fn of(terms: &Terms, constraints: &[Term]) -> Relations {
        let mut relations = Relations {
            graph: Graph {
                nodes: 1,
                edges: Vec::new(),
            },
            quantities: vec![None],
            numbers: FxHashMap::default(),
            different: Vec::new(),
            joined: FxHashSet::default(),
            compared: 0,
        };
        for (at, &constraint) in constraints.iter().enumerate() {
            relations.add(terms, constraint, at);
        }
        relations
    }

    fn add(&mut self, terms: &Terms, constraint: Term, at: usize) {
        let (comparison, negated) = match terms.node(constraint) {
            Node::BoolNot(inner) => (inner, true),
            _ => (constraint, false),
        };
        let Node::Compare(op, a, b) = terms.node(comparison) else {
            return;
        };
        if terms.width(a) > MOST_BITS {
            return;
        }
        let views: &[bool] = match op {
            CmpOp::Eq => &[true, false],
            _ => &[op.is_signed()],
        };
        for &signed in views {
            let (a, b) = (
                self.operand(terms, a, signed),
                self.operand(terms, b, signed),
            );
            self.compared += usize::from(a.0 != 0 && b.0 != 0);
            match (op, negated) {
                (CmpOp::Eq, false) => {
                    self.at_most(a, b, 0, at);
                    self.at_most(b, a, 0, at);
                }
                (CmpOp::Eq, true) if a.1 == b.1 => self.different.push((a.0, b.0, at)),
                (CmpOp::Eq, true) => {}
                (CmpOp::Ult | CmpOp::Slt, false) => self.at_most(a, b, -1, at),
                (CmpOp::Ult | CmpOp::Slt, true) => self.at_most(b, a, 0, at),
                (CmpOp::Ule | CmpOp::Sle, false) => self.at_most(a, b, 0, at),
                (CmpOp::Ule | CmpOp::Sle, true) => self.at_most(b, a, -1, at),
            }
        }
    }

    /// `a - b <= most`, for nodes to which constants are added.
    fn at_most(&mut self, a: (usize, i128), b: (usize, i128), most: i128, reason: usize) {
        self.graph.edges.push(Edge {
            from: b.0,
            to: a.0,
            most: most + b.1 - a.1,
            reasons: vec![reason],
        });
    }

    /// The node of an operand, and a constant to add to it.
    fn operand(&mut self, terms: &Terms, term: Term, signed: bool) -> (usize, i128) {
        let width = terms.width(term);
        match terms.node(term) {
            Node::Const { value, .. } => (0, as_integer(value, width, signed)),
            Node::ZeroExtend { of, .. } => (self.node(terms, of, false), 0),
            Node::SignExtend { of, .. } if signed => (self.node(terms, of, true), 0),
            _ => (self.node(terms, term, signed), 0),
        }
    }

    /// The node of a quantity; a new one has the bounds of its width.
    fn node(&mut self, terms: &Terms, term: Term, signed: bool) -> usize {
        let quantity = Quantity { term, signed };
        if let Some(&known) = self.numbers.get(&quantity) {
            return known;
        }
        let node = self.quantities.len();
        self.numbers.insert(quantity, node);
        self.quantities.push(Some(quantity));
        self.graph.nodes += 1;
        let width = terms.width(term);
        let (low, high) = bounds(width, signed);
        let bound = |from, to, most| Edge {
            from,
            to,
            most,
            reasons: Vec::new(),
        };
        self.graph.edges.push(bound(0, node, high));
        self.graph.edges.push(bound(node, 0, -low));
        if let Node::Binary(BvOp::Add, x, c) = terms.node(term)
            && terms.as_constant(c).is_some()
        {
            self.operand(terms, x, signed);
        }
        node
    }

    /// Adds the consequences of the bounds, or returns constraints that contradict each other.
    fn close(&mut self, terms: &Terms) -> Result<(), Vec<usize>> {
        for _ in 0..ROUNDS {
            self.feasible()?;
            if !self.add_sums(terms) {
                break;
            }
        }
        self.feasible()?;
        self.settle_differences()
    }

    fn feasible(&self) -> Result<(), Vec<usize>> {
        self.graph.solve(vec![0; self.graph.nodes]).map(|_| ())
    }

    /// Adds edges between sums with constants and their operands, where bounds let the sum wrap
    /// always or never. Returns true if an edge is new.
    fn add_sums(&mut self, terms: &Terms) -> bool {
        let above = self.graph.distances(0, false);
        let below = self.graph.distances(0, true);
        let mut any = false;
        for Sum { node, of, by } in self.open_sums(terms) {
            let (Some((most, mut reasons)), Some((least, others))) = (
                self.graph.bound(&above, of, false),
                self.graph.bound(&below, of, true),
            ) else {
                continue;
            };
            let Some(by) = self.moved(terms, node, (-least, most), by) else {
                continue;
            };
            reasons.extend(others);
            reasons.sort_unstable();
            reasons.dedup();
            self.differs_by(node, of, by, &reasons);
            any = true;
        }
        any
    }

    /// Supposes that the other sums keep wrapping or not wrapping as they do now.
    fn suppose_sums(&mut self, terms: &Terms, values: &[i128]) {
        for Sum { node, of, .. } in self.open_sums(terms) {
            self.differs_by(node, of, values[node] - values[of], &[]);
        }
    }

    /// The sums without an edge to their operand.
    fn open_sums(&self, terms: &Terms) -> Vec<Sum> {
        let quantities = self.quantities.iter().enumerate();
        let open = quantities.filter(|(node, _)| !self.joined.contains(node));
        open.filter_map(|(node, quantity)| {
            let Quantity { term, signed } = (*quantity)?;
            let Node::Binary(BvOp::Add, x, c) = terms.node(term) else {
                return None;
            };
            let by = as_integer(terms.as_constant(c)?, terms.width(term), signed);
            let of = self.known_node(terms, x, signed)?;
            Some(Sum { node, of, by })
        })
        .collect()
    }

    /// Adds the edges for a sum that is its operand plus a number.
    fn differs_by(&mut self, node: usize, of: usize, by: i128, reasons: &[usize]) {
        self.joined.insert(node);
        for (from, to, most) in [(of, node, by), (node, of, -by)] {
            self.graph.edges.push(Edge {
                from,
                to,
                most,
                reasons: reasons.to_vec(),
            });
        }
    }

    /// The change of a number between two bounds when a constant is added to it, as in the node's
    /// term, if it is the same for all of them.
    fn moved(&self, terms: &Terms, node: usize, bounded: (i128, i128), by: i128) -> Option<i128> {
        let Quantity { term, signed } = self.quantities[node]?;
        let width = terms.width(term);
        let (low, high) = bounds(width, signed);
        let round = 1i128 << width;
        let fits = |by: i128| low <= bounded.0 + by && bounded.1 + by <= high;
        [by, by - round, by + round]
            .into_iter()
            .find(|&by| fits(by))
    }

    fn known_node(&self, terms: &Terms, term: Term, signed: bool) -> Option<usize> {
        let quantity = match terms.node(term) {
            Node::ZeroExtend { of, .. } => Quantity {
                term: of,
                signed: false,
            },
            Node::SignExtend { of, .. } if signed => Quantity { term: of, signed },
            _ => Quantity { term, signed },
        };
        self.numbers.get(&quantity).copied()
    }

    /// Where one side of a disequality is impossible, the other must hold.
    fn settle_differences(&mut self) -> Result<(), Vec<usize>> {
        let different = std::mem::take(&mut self.different);
        for (at, &(a, b, reason)) in different.iter().enumerate() {
            if at >= MOST_DISEQUALITIES {
                break;
            }
            let (below, above) = (self.refuted(a, b), self.refuted(b, a));
            let (reasons, (to, from)) = match (below, above) {
                (Some(mut core), Some(other)) => {
                    core.extend(other);
                    core.push(reason);
                    core.sort_unstable();
                    core.dedup();
                    return Err(core);
                }
                (Some(core), None) => (core, (b, a)),
                (None, Some(core)) => (core, (a, b)),
                (None, None) => {
                    self.different.push((a, b, reason));
                    continue;
                }
            };
            let mut reasons = reasons;
            reasons.push(reason);
            self.graph.edges.push(Edge {
                from,
                to,
                most: -1,
                reasons,
            });
        }
        Ok(())
    }

    /// The reasons why the first node cannot be below the second, if it cannot.
    fn refuted(&mut self, a: usize, b: usize) -> Option<Vec<usize>> {
        self.graph.edges.push(Edge {
            from: b,
            to: a,
            most: -1,
            reasons: Vec::new(),
        });
        let result = self.feasible();
        self.graph.edges.pop();
        result.err()
    }

    /// Chooses a side of each disequality that is left: that of the values so far.
    fn choose_sides(&mut self, values: &[i128]) {
        for (a, b, _) in std::mem::take(&mut self.different) {
            let (to, from) = if values[a] < values[b] {
                (a, b)
            } else {
                (b, a)
            };
            self.graph.edges.push(Edge {
                from,
                to,
                most: -1,
                reasons: Vec::new(),
            });
        }
    }

    /// The current values of the quantities.
    fn values(&self, evaluator: &mut Evaluator, terms: &Terms, current: &Model) -> Vec<i128> {
        let mut evaluation = evaluator.under(terms, current);
        let quantities = self.quantities.iter();
        quantities
            .map(|quantity| match *quantity {
                Some(Quantity { term, signed }) => {
                    as_integer(evaluation.eval(term), terms.width(term), signed)
                }
                None => 0,
            })
            .collect()
    }

    /// The current model with the nodes' values for those that are variables.
    fn model(&self, terms: &Terms, current: &Model, values: &[i128]) -> Model {
        let mut model = current.clone();
        let variables = self.quantities.iter().zip(values);
        model.extend(variables.filter_map(|(quantity, &value)| {
            let (var, width) = variable(terms, quantity.as_ref()?.term)?;
            Some((var, from_signed(width, value)))
        }));
        model
    }
}

fn variable(terms: &Terms, term: Term) -> Option<(Var, u32)> {
    match terms.node(term) {
        Node::Var { var, width } => Some((var, width)),
        _ => None,
    }
}

fn as_integer(value: u128, width: u32, signed: bool) -> i128 {
    match signed {
        true => to_signed(width, value),
        // At most 64 bits wide.
        false => value as i128,
    }
}

/// The least and the greatest number.
fn bounds(width: u32, signed: bool) -> (i128, i128) {
    match signed {
        true => (
            to_signed(width, signed_min(width)),
            to_signed(width, signed_max(width)),
        ),
        false => (0, mask(width) as i128),
    }
}
