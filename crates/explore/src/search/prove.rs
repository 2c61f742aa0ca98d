//! Proofs that goals are unreachable, asked for when the search comes to nothing new.

use abstraction::{CallBacks, CodePlace, Limits, Proof, Task, prove};
use coverage::{Evidence, GoalId, Invariant, PassedCheck};
use ir::test::{Bound, BoundKind};
use ir::{FunctionId, Program, Span};
use vm::Execution;

use super::Search;

/// The number of executions in a row that reach no new goal after which proofs are tried.
const PATIENCE: u64 = 64;

/// The proofs of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proofs {
    /// The bounds on which all of them rest.
    bounds: Vec<Bound>,
    /// Whether they were asked for.
    is_asked: bool,
    /// How many goals were covered, and after which iteration the last one was.
    last: (usize, u64),
    /// The goals that are proved to be unreachable.
    found: Vec<ProvedGoal>,
    /// Proved goals that an execution reached.
    contradictions: Vec<String>,
}

/// A goal that is proved to be unreachable.
#[derive(Clone, Debug)]
pub(crate) struct ProvedGoal {
    goal: GoalId,
    /// The proof.
    pub evidence: Evidence,
    /// Whether it holds if functions without a body call back.
    pub call_backs: CallBacks,
}

impl Proofs {
    /// No proofs yet; all will rest on some bounds.
    pub fn within(bounds: Vec<Bound>) -> Proofs {
        Proofs {
            bounds,
            ..Proofs::default()
        }
    }

    /// The bounds on which a proof rests.
    pub fn bounds(&self, proof: &ProvedGoal) -> Vec<Bound> {
        let call_backs = (proof.call_backs == CallBacks::Excluded).then(|| Bound {
            kind: BoundKind::UnknownCall,
            detail: "a function without a body is taken not to call back, and others not to write \
                     at a barrier"
                .to_owned(),
            stack: Vec::new(),
        });
        self.bounds.iter().cloned().chain(call_backs).collect()
    }

    /// The proof of a goal.
    pub fn of(&self, goal: GoalId) -> Option<&ProvedGoal> {
        self.found.iter().find(|proved| proved.goal == goal)
    }

    /// Proved goals that an execution reached: defects of attest.
    pub fn contradictions(&self) -> &[String] {
        &self.contradictions
    }
}

impl Search<'_> {
    /// Tries to prove open goals unreachable, once nothing new was reached for a while.
    pub(super) fn prove_if_stalled(&mut self) {
        let covered = self.found.collector.covered();
        let iterations = self.found.progress.iterations;
        if covered > self.proofs.last.0 || iterations == 1 {
            self.proofs.last = (covered, iterations);
        }
        if iterations - self.proofs.last.1 >= PATIENCE {
            self.prove();
        }
    }

    /// Whether the search proves what it did not reach, if it is exhausted: nothing was lost, and no
    /// bound was hit.
    pub(super) fn is_proof_itself(&self) -> bool {
        let log = &self.found.log;
        log.losses.is_empty() && log.bounds.is_empty()
    }

    /// Tries to prove open goals unreachable, unless that was tried before.
    pub(super) fn prove(&mut self) {
        if self.proofs.is_asked || !self.options.prove {
            return;
        }
        self.proofs.is_asked = true;
        let code = self.open_goals.code();
        let open = code.goals.iter().map(|(id, _)| id);
        let open: Vec<GoalId> = open.filter(|&goal| self.is_open(goal)).collect();
        let places: Vec<(GoalId, Vec<(CodePlace, FunctionId)>)> =
            open.iter().map(|&goal| (goal, self.places(goal))).collect();
        let all: Vec<(CodePlace, FunctionId)> = places
            .iter()
            .flat_map(|(_, places)| places.iter().copied())
            .collect();
        if all.is_empty() {
            return;
        }
        let task = Task {
            program: code.program,
            index: code.index,
            reach: code.reach,
            entry: code.entry,
            limits: &Limits::default(),
            stop: self.options.solver.stop.as_ref(),
        };
        let proofs = prove(task, &all);
        let proof_of = |place: CodePlace| {
            let mut proofs = proofs.iter();
            proofs
                .find(|(proved, _)| *proved == place)
                .map(|(_, proof)| proof)
        };
        for (goal, places) in places {
            let proofs: Option<Vec<&Proof>> =
                places.iter().map(|&(place, _)| proof_of(place)).collect();
            if let Some(proofs) = proofs.filter(|proofs| !proofs.is_empty()) {
                let found = ProvedGoal {
                    goal,
                    evidence: evidence(self.open_goals.code().program, &proofs),
                    call_backs: call_backs(&proofs),
                };
                self.proofs.found.push(found);
            }
        }
        let proved = self.proofs.found.iter().map(|proved| proved.goal);
        let contexts = self.engine.machine.contexts();
        self.open_goals
            .exclude(proved, &self.found.collector, contexts);
    }

    /// Whether a goal is neither covered nor excluded by the code alone.
    fn is_open(&self, goal: GoalId) -> bool {
        !self.found.collector.covers(goal)
            && !self.open_goals.pathless().contains(goal.index())
            && !self.open_goals.rejected().contains(&goal)
    }

    /// The edges and blocks that cover a goal.
    fn places(&self, goal: GoalId) -> Vec<(CodePlace, FunctionId)> {
        let code = self.open_goals.code();
        let function = code.goals.goal(goal).function;
        let Some(body) = &code.program.functions[function].body else {
            return Vec::new();
        };
        let mut places = Vec::new();
        for &block in code.goals.covering(goal) {
            let number = code.index.block(function, block);
            if code.goals.on_block(number).contains(&goal) {
                places.push((CodePlace::Block(number), function));
            }
            let terminator = &body.blocks[block].terminator;
            let edges = match terminator.decides() {
                true => terminator.successor_count(),
                false => 0,
            };
            let edges = (0..edges).map(|nth| code.index.edge(function, block, nth));
            let edges = edges.filter(|&edge| code.goals.on_edge(edge).contains(&goal));
            places.extend(edges.map(|edge| (CodePlace::Edge(edge), function)));
        }
        places
    }

    /// Checks that an execution reaches no goal that is proved to be unreachable.
    pub(super) fn check_proofs(&mut self, execution: &Execution) {
        if self.proofs.found.is_empty() || execution.abstracted > 0 {
            return;
        }
        let code = self.open_goals.code();
        let reached = code.goals.covered_by(&execution.visited.trace);
        let mut broken = reached.filter(|&goal| self.proofs.of(goal).is_some());
        if let Some(goal) = broken.next() {
            let goal = code.goals.goal(goal);
            let place = goal.span.place();
            let what = format!(
                "{}:{}: {} is proved to be unreachable, but an execution reaches it",
                code.program.files[place.file].path, place.line, goal.side
            );
            debug_assert!(false, "{what}");
            self.proofs.contradictions.push(what);
        }
    }
}

/// Whether all proofs hold if functions without a body call back.
fn call_backs(proofs: &[&Proof]) -> CallBacks {
    let mut all = proofs.iter().map(|proof| proof.call_backs);
    all.find(|&it| it == CallBacks::Excluded)
        .unwrap_or(CallBacks::Possible)
}

/// The evidence of a goal: all that the proofs of its edges and blocks rest on.
fn evidence(program: &Program, proofs: &[&Proof]) -> Evidence {
    let mut invariants: Vec<Invariant> = Vec::new();
    let mut checks: Vec<PassedCheck> = Vec::new();
    for proof in proofs {
        for invariant in &proof.invariants {
            let (file, line, column) = place(program, invariant.span.as_ref());
            let invariant = Invariant {
                function: program.functions[invariant.function].name.clone(),
                file,
                line,
                column,
                condition: invariant.text.clone(),
            };
            if !invariants.contains(&invariant) {
                invariants.push(invariant);
            }
        }
        for (kind, function, span) in &proof.defects {
            let (file, line, column) = place(program, span.as_ref());
            let check = PassedCheck {
                defect: kind.name().to_owned(),
                function: program.functions[*function].name.clone(),
                file,
                line,
                column,
            };
            if !checks.contains(&check) {
                checks.push(check);
            }
        }
    }
    Evidence::Invariants { invariants, checks }
}

fn place(program: &Program, span: Option<&Span>) -> (String, u32, u32) {
    span.map_or_else(Default::default, |span| {
        let place = span.place();
        let file = program.files[place.file].path.clone();
        (file, place.line, place.column)
    })
}
