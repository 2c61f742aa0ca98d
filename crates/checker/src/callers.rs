//! The functions whose executions the unfolded graph does not have all of: those that calls which are
//! not entered may lead to, and that run before the entry function or at the end of the program.

use std::collections::BTreeSet;

use ir::{FunctionId, Linkage, Program, Terminator};

use crate::globals::Uses;
use crate::unfolding::Unfolding;

/// Who may call functions of the program.
pub struct Callers<'p> {
    program: &'p Program,
    /// The functions that pointers may lead to, and that other units know by name.
    known: BTreeSet<FunctionId>,
    entry: FunctionId,
    /// Whether functions without a body call nothing back.
    is_quiet: bool,
}

impl<'p> Callers<'p> {
    /// The callers of a program, by all uses of its names.
    pub fn new(program: &'p Program, uses: &Uses, entry: FunctionId, is_quiet: bool) -> Self {
        let is_main = program.functions[entry].name == "main";
        let functions = program.functions.iter_enumerated();
        let external = functions.filter(|(_, function)| function.linkage == Linkage::External);
        let external = external.map(|(id, _)| id);
        let external = external.filter(|&id| !(is_main && id == entry));
        Callers {
            program,
            known: external.chain(uses.functions.iter().copied()).collect(),
            entry,
            is_quiet,
        }
    }

    /// The functions that are executed elsewhere, too. When others call the entry function, that is one
    /// more call of it, of which the proof holds as of any.
    pub fn hidden(&self, unfolding: &Unfolding<'_>) -> BTreeSet<FunctionId> {
        let mut called = self.program.run_by_themselves();
        let mut by_others = BTreeSet::new();
        for node in unfolding.nodes() {
            if unfolding.callee(node).is_some() {
                continue;
            }
            match self.called(&unfolding.block(node).terminator) {
                Called::Nothing => {}
                Called::One(callee) => called.extend([callee]),
                Called::Pointed => called.extend(&self.known),
                Called::ByOthers => by_others.clone_from(&self.known),
            }
        }
        if self.program.uses_at_exit() {
            called.extend(&self.known);
        }
        by_others.remove(&self.entry);
        let beside = self.with_callees(by_others, Some(self.entry));
        let mut hidden = self.with_callees(called, None);
        hidden.extend(beside);
        hidden
    }

    /// The functions that code outside the program may call, with all that they call.
    pub fn callable_from_outside(&self) -> BTreeSet<FunctionId> {
        self.with_callees(self.known.clone(), None)
    }

    /// What a call leads to.
    fn called(&self, terminator: &Terminator) -> Called {
        let callee = match terminator {
            Terminator::Call { callee, .. } => callee,
            // It may run whatever it mentions.
            Terminator::Unsupported { .. } => return Called::Pointed,
            _ => return Called::Nothing,
        };
        let Some(callee) = callee.direct() else {
            return Called::Pointed;
        };
        match &self.program.functions[callee].body {
            Some(_) => Called::One(callee),
            // What it is given may run at any time: for signals, at the end.
            None if self.program.takes_callbacks(callee) => Called::Pointed,
            None if self.is_quiet || self.is_silent(callee) => Called::Nothing,
            None => Called::ByOthers,
        }
    }

    /// Whether a function without a body calls no function of the program.
    pub fn is_silent(&self, callee: FunctionId) -> bool {
        let program = self.program;
        let data = &program.functions[callee];
        let is_input = ir::library::only_gives_input(&program.types, data);
        let is_primitive = ir::library::Primitive::of(data).is_some();
        let is_library = program.keeps_to_itself(callee) && !program.may_call_back(callee);
        (is_input || is_primitive || is_library) && !program.may_be_own(callee)
    }

    /// Functions with all that they call, but by way of one of them.
    fn with_callees(
        &self,
        mut waiting: BTreeSet<FunctionId>,
        but: Option<FunctionId>,
    ) -> BTreeSet<FunctionId> {
        let mut found = BTreeSet::new();
        while let Some(function) = waiting.pop_first() {
            if Some(function) == but || !found.insert(function) {
                continue;
            }
            let body = self.program.functions[function].body.iter();
            for block in body.flat_map(|body| &body.blocks) {
                match self.called(&block.terminator) {
                    Called::Nothing => {}
                    Called::One(callee) => waiting.extend([callee]),
                    Called::Pointed | Called::ByOthers => waiting.extend(&self.known),
                }
            }
            waiting.retain(|it| !found.contains(it));
        }
        found
    }
}

/// What a call leads to.
enum Called {
    /// No function of the program.
    Nothing,
    /// One function.
    One(FunctionId),
    /// Any that pointers lead to.
    Pointed,
    /// Any that other units may call.
    ByOthers,
}
