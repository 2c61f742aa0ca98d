//! The findings of executions: goals, paths, defects, losses.

use std::collections::BTreeSet;

use coverage::{GoalId, InfeasiblePath, LinkStatistics, PathStatistics, Paths, Statistics, Tries};
use expr::Term;
use ir::Origin;
use ir::test::{Defect, LossKind, Outcome};
use vm::{ConstraintKind, Execution};

use super::Search;
use crate::abstract_search::{AbstractSearch, TakenPath};
use crate::branch_site::BranchSite;
use crate::collect::News;
use crate::flip;
use crate::lazy::UnitNode;
use crate::path_tree::{Flip, Inserted};

impl Search<'_> {
    /// Records the losses of an execution, and the goals that it reached although it was rejected.
    pub(super) fn record_losses(&mut self, execution: &Execution) {
        let log = &mut self.found.log;
        match execution.abstracted {
            0 => log.execution(execution),
            _ => log.shared_memory(execution),
        }
        let goals = self.open_goals.code().goals;
        if execution.outcome == Outcome::Rejected {
            let all = goals.covered_by(&execution.visited.trace);
            log.rejected.reached.extend(all.map(|goal| goal.index()));
        }
        if let Some(trace) = &execution.visited.before_call {
            let ended = goals.covered_by(trace);
            log.rejected
                .before_calls
                .extend(ended.map(|goal| goal.index()));
        }
    }

    /// The numbers of the paths that were covered, and that others dominate.
    pub fn dominated_paths(&self) -> BTreeSet<usize> {
        let search = self.abstract_search.as_ref();
        search.map_or_else(BTreeSet::new, AbstractSearch::dominated)
    }

    /// Beginnings of abstract paths that no execution took.
    pub fn infeasible_paths(&self) -> Vec<InfeasiblePath> {
        let goals = self.open_goals.code().goals;
        let search = self.abstract_search.as_ref();
        search.map_or_else(Vec::new, |search| search.infeasible_paths(goals))
    }

    /// The counts of paths, or of single edges, if the criterion asks for these.
    fn path_statistics(&mut self) -> Option<PathStatistics> {
        let paths = self.abstract_search.as_mut().map(AbstractSearch::finish);
        let edges = self.edge_search.as_ref();
        paths.or_else(|| edges.map(|search| search.statistics.clone()))
    }

    /// Whether an execution comes to the entry function, and does not end in the precondition.
    fn enters_entry(&self, execution: &Execution) -> bool {
        let has_precondition = self.options.precondition.is_some();
        !has_precondition || execution.visited.ordered_precondition.is_some()
    }

    /// Records the abstract path of an execution that has joined the tree.
    pub(super) fn note_abstract_path(
        &mut self,
        execution: &Execution,
        inserted: &Inserted,
        flip: Option<Flip>,
    ) -> TakenPath {
        let is_entered = self.enters_entry(execution);
        let Some(search) = self.abstract_search.as_mut().filter(|_| is_entered) else {
            return TakenPath::without_text(inserted);
        };
        let edge_of = |flip| self.open_goals.edge(BranchSite::of(flip, &self.tree));
        search.joined(execution, inserted, flip, edge_of)
    }

    /// Counts a flip that no input takes.
    pub(super) fn count_infeasible(&mut self, flip: Flip) {
        if let Some(search) = &mut self.abstract_search {
            search.infeasible(flip);
        }
        if let Some(search) = &mut self.edge_search {
            let is_branch = BranchSite::of(flip, &self.tree).kind == ConstraintKind::Branch;
            search.statistics.infeasible += u64::from(is_branch);
        }
    }

    /// Counts a result of trying a flip, whose node must be in the tree.
    pub(super) fn count_try(&mut self, flip: Flip, result: impl FnOnce(&mut Tries) -> &mut u64) {
        let place = BranchSite::of(flip, &self.tree);
        if let Some(tries) = self.found.tries.at(place, &self.open_goals) {
            *result(tries) += 1;
        }
    }

    /// Counts the flips that the end of the search leaves to try.
    pub fn count_pending(&mut self) {
        for flip in self.tree.pending() {
            let place = BranchSite::of(flip, &self.tree);
            if let Some(tries) = self.found.tries.at(place, &self.open_goals) {
                tries.pending += 1;
            }
        }
    }

    /// Counts an execution of a search for single edges, before which so many goals were covered.
    pub(super) fn count_edges(
        &mut self,
        execution: &Execution,
        flip: Option<Flip>,
        covered: usize,
    ) {
        let is_entered = self.enters_entry(execution);
        let Some(search) = self.edge_search.as_mut().filter(|_| is_entered) else {
            return;
        };
        let now = self.found.collector.covered();
        search.statistics.covered = now as u64;
        let is_open = |edge| {
            let goals = self.open_goals.code().goals.on_edge(edge).iter();
            let mut uncovered = goals.filter(|&&goal| {
                !self.found.collector.covers(goal) && !self.open_goals.needs().excludes(goal)
            });
            uncovered.next().is_some()
        };
        search.joined(execution, flip, &self.tree, now > covered, is_open);
    }

    /// Records the coverage of an execution in which no call was replaced. Returns how many blocks
    /// and edges it visited that none before it did.
    pub(super) fn record_real(
        &mut self,
        execution: &Execution,
        places: &[UnitNode],
        taken: TakenPath,
    ) -> usize {
        let goals = self.open_goals.code().goals;
        self.found.progress.paths += u64::from(taken.is_new);
        let path = match goals.paths() {
            Some(Paths::Unit) => self.lazy.ended(execution, places),
            Some(Paths::Abstract(_)) | None => taken.is_new,
        };
        let news = News {
            path,
            path_text: taken.text,
            path_number: taken.number,
            defect: self.record_defect(execution),
            reported: self.record_reported(execution),
        };
        let news = self.found.collector.consider(goals, execution, news);
        self.found.progress.covered = self.found.collector.covered();
        if self.found.all_covered_at.is_none() && self.is_all_covered() {
            self.found.all_covered_at = Some((self.found.progress.iterations, self.found.steps));
        }
        let traces = execution
            .visited
            .precondition
            .iter()
            .chain([&execution.visited.trace]);
        traces.for_each(|trace| self.open_goals.executed(trace));
        news
    }

    /// The uncovered goals that an execution reaches in the unit without counting for them, each
    /// with the number of edges of the unit that lead there.
    pub(super) fn open_goals(&self, execution: &Execution) -> Vec<(GoalId, usize)> {
        let goals = self.open_goals.code().goals;
        if execution.abstracted == 0 && execution.outcome != Outcome::Rejected {
            return Vec::new();
        }
        let is_open = |goal: &GoalId| !self.found.collector.covers(*goal);
        let edges = execution.unit.edges.iter().enumerate();
        let by_edge = edges.flat_map(|(at, &edge)| {
            let open = goals.on_edge(edge).iter().copied().filter(is_open);
            open.map(move |goal| (goal, at + 1))
        });
        // Statements that no edge leads to directly are reached on the whole path.
        let all = goals.covered_by(&execution.visited.trace).filter(is_open);
        let whole = execution.unit.edges.len();
        by_edge.chain(all.map(|goal| (goal, whole))).collect()
    }

    /// Records the defect that an execution ended in. Returns whether it is a new one.
    fn record_defect(&mut self, execution: &Execution) -> bool {
        let Outcome::Defect(defect) = &execution.outcome else {
            return false;
        };
        // The path ends before the defect where its later choices are not recorded.
        let mut losses = execution.imprecision.losses.iter();
        let is_recorded = losses.all(|loss| loss.kind != LossKind::ChoiceLimit);
        if let Some(last) = execution.path.last()
            && is_recorded
            && last.kind == ConstraintKind::Check(defect.kind)
            && self.open_goals.code().program.origin(last.site.function) == Origin::User
        {
            self.sources.checks.found(last.site, defect.kind);
        }
        let new = self.found.log.is_new_defect(defect);
        self.found.progress.defects += usize::from(new);
        new
    }

    /// Records the defects that an execution went on beyond. Returns those that are new.
    fn record_reported(&mut self, execution: &Execution) -> Vec<Defect> {
        let reported = execution.defects.reported.iter().cloned();
        let new: Vec<Defect> = reported
            .filter(|defect| self.found.log.is_new_defect(defect))
            .collect();
        self.found.progress.defects += new.len();
        new
    }

    /// Checks, in debug builds, the invariant that an input satisfies its own path condition.
    pub(super) fn check_own_path(&self, execution: &Execution) {
        if !cfg!(debug_assertions) {
            return;
        }
        let model = flip::model(&execution.inputs);
        let path: Vec<Term> = execution.path.iter().map(|it| it.term).collect();
        let violated = self.engine.terms.first_violated(&path, &model);
        debug_assert!(
            violated.is_none(),
            "the input does not satisfy its own path condition: {:?}",
            violated.map(|at| (
                execution.path[at].site,
                self.engine.terms.display(path[at]).to_string()
            )),
        );
    }

    /// The counts of the search.
    pub fn statistics(&mut self) -> Statistics {
        let counts = self.engine.solver.statistics().into_iter();
        let links = counts.map(|counts| LinkStatistics {
            name: counts.link.name().to_owned(),
            queries: counts.queries,
            constraints: counts.constraints,
            answered: counts.answered,
            seconds: counts.time.as_secs_f64(),
        });
        Statistics {
            iterations: self.found.progress.iterations,
            paths: self.found.progress.paths,
            solver_queries: self.found.progress.solver_queries,
            dropped_branches: self.tree.dropped(),
            steps: self.found.steps,
            solver_links: links.collect(),
            lazy: self.lazy.statistics(),
            proofs: self.proof_statistics(),
            abstract_paths: self.path_statistics(),
            ..Statistics::default()
        }
    }
}
