//! The locale: models of the C library know the locale "C" alone.
//!
//! Where what a function does depends on the locale, that is a bound, unless the program begins at
//! `main` and sets none. Whether an argument can be one on which it depends is asked of the search:
//! such an input is an alternative of its own, in which the execution ends at the bound.

use expr::Term;
use ir::FunctionId;
use ir::input::Root;
use ir::test::BoundKind;

use crate::execution::{Alternative, ConstraintKind, Demand};
use crate::facts::locale::ranges;
use crate::ids::AllocationId;
use crate::primitives::{Arguments, argument};
use crate::run::Run;
use crate::stop::{Flow, Stop};
use crate::value::Value;

/// The alternatives where something may depend on the locale.
const AS_IN_C: u32 = 1;
const ELSEWHERE: u32 = 2;

/// The objects of the questions whether an input makes a call depend on the locale.
const QUESTION: &str = "<locale>";

impl Run<'_, '_> {
    fn is_locale_known(&self) -> bool {
        let is_main = self.code.program.functions[self.entry].name == "main";
        is_main && !self.code.facts.locale.may_be_set
    }

    /// Records that what is done depends on the locale.
    pub fn note_locale(&mut self) {
        if !self.is_locale_known() {
            self.hit(BoundKind::LibraryModel, "the locale is taken to be \"C\"");
        }
    }

    /// A model asks whether its argument is one on which the locale matters.
    pub fn asked_for_locale(&mut self, arguments: Arguments) -> Flow<()> {
        let matters = argument(self, arguments, 0)?;
        match matters.term() {
            Some(term) => {
                let condition = self.terms.is_nonzero(term);
                self.decide_locale(condition, matters.bits != 0)
            }
            None => {
                if matters.bits != 0 {
                    self.note_locale();
                }
                Ok(())
            }
        }
    }

    /// The elements of a table of characters at a symbolic offset are about to be read.
    pub fn read_locale_table(&mut self, id: AllocationId, offset: Value) -> Flow<()> {
        let Some(element) = self.table_element(id) else {
            return Ok(());
        };
        let Some(term) = offset.term().filter(|_| !self.reads_digits()) else {
            return Ok(());
        };
        let width = self.terms.width(term);
        let [(_, low), (high, _)] = ranges(element);
        let matters = offset.bits < u128::from(low) || offset.bits >= u128::from(high);
        let (low, high) = (
            self.terms.constant(width, u128::from(low)),
            self.terms.constant(width, u128::from(high)),
        );
        let (below, above) = (self.terms.ult(term, low), self.terms.ule(high, term));
        let condition = self.terms.bool_or(below, above);
        self.decide_locale(condition, matters)
    }

    /// Whether an object is a table of characters, whose bounds are about the locale.
    pub fn is_locale_table(&self, id: AllocationId) -> bool {
        self.table_element(id).is_some()
    }

    fn table_element(&self, id: AllocationId) -> Option<u64> {
        let mut tables = self.code.facts.locale.tables.iter();
        tables
            .find(|(table, _)| *table == id)
            .map(|&(_, size)| size)
    }

    /// Whether only the classes are looked at, of what is read here, that are the same in all
    /// locales.
    pub fn reads_digits(&self) -> bool {
        let site = self.site();
        let at = (site.function, site.block, site.statement as usize);
        self.code.facts.closely.is_digits(at)
    }

    /// Offers the alternative in which the locale matters, if an input decides that.
    fn decide_locale(&mut self, condition: Term, matters: bool) -> Flow<()> {
        if self.is_locale_known() {
            return Ok(());
        }
        let not = self.terms.bool_not(condition);
        if self.terms.as_bool(condition).is_some() || self.knows(condition) || self.knows(not) {
            if matters {
                self.note_locale();
            }
            return Ok(());
        }
        let asked = self.state.counters.declared.entry(QUESTION.to_owned());
        let count = asked.or_default();
        let before = *count;
        *count += 1;
        let root = Root::Declared {
            name: QUESTION.to_owned(),
            nth: self.numbered(before),
        };
        let ty = self.int_type();
        let object = self.space.object(root, ty);
        let zero = self.terms.constant(1, 0);
        let holds = self.terms.eq(zero, zero);
        let as_in_c = Alternative {
            number: AS_IN_C,
            demand: Demand::Term(holds),
        };
        let elsewhere = Alternative {
            number: ELSEWHERE,
            demand: Demand::Exact(object, condition),
        };
        let is_elsewhere = matters && self.inputs.vector.exact.contains(&object);
        let kind = ConstraintKind::Assumption;
        if matters {
            self.note_locale();
        }
        match is_elsewhere {
            true => {
                self.constrain_anew(kind, condition, ELSEWHERE, vec![as_in_c]);
                Err(Stop::Limit)
            }
            false => {
                self.constrain_anew(kind, holds, AS_IN_C, vec![elsewhere]);
                Ok(())
            }
        }
    }

    /// A function of the host is about to be called, in the locale "C".
    pub fn note_locale_of(&mut self, function: FunctionId, number: Option<u64>) {
        let name = self.code.program.functions[function].name.as_str();
        let is_by_character =
            name.starts_with("isw") || name.starts_with("tow") || matches!(name, "btowc" | "wctob");
        let is_of_ascii = is_by_character && number.is_some_and(|number| number < 128);
        let depends = is_by_character
            || matches!(
                name,
                "fnmatch"
                    | "mblen"
                    | "mbstowcs"
                    | "mbtowc"
                    | "strerror"
                    | "strerror_r"
                    | "strftime"
                    | "__xpg_strerror_r"
                    | "strsignal"
                    | "strxfrm"
                    | "wcscasecmp"
                    | "wcscoll"
                    | "wcsncasecmp"
                    | "wcstombs"
                    | "wctomb"
            );
        if depends && !is_of_ascii {
            self.note_locale();
        }
    }
}
