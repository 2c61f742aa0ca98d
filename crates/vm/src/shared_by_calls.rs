//! The object that the calls of a sequence share: a variable of the driver. A caller's may be a
//! part of another object, an element of an array, or come from `malloc`, and is not the only one
//! that there is.

use ir::sequence::SHARED_OBJECT;
use ir::test::BoundKind;
use ir::{Assumption, AssumptionKind, DefectKind};

use crate::ids::AllocationId;
use crate::run::Run;
use crate::stop::Stop;

impl Run<'_, '_> {
    /// Whether it is the object that the calls of a sequence share, which callers may make an array
    /// of.
    pub fn is_shared_by_calls(&self, id: AllocationId) -> bool {
        let mut known = self.code.config.known_kept_globals.iter();
        let named = |global: ir::GlobalId| self.code.program.globals[global].name == SHARED_OBJECT;
        known.any(|&global| self.code.statics.layout.globals[global] == id && named(global))
    }

    /// The defect of going outside an object of the program. The one that the calls of a sequence
    /// share may be a part of another.
    pub fn out_of_object(&mut self, message: String, id: AllocationId) -> Stop {
        if !self.is_shared_by_calls(id) {
            return self.defect(DefectKind::OutOfBounds, message);
        }
        let detail = "the calls are given an object that is no part of another";
        self.hit(BoundKind::Sequence, detail);
        let assumption = Assumption::new(AssumptionKind::Extent, SHARED_OBJECT, detail);
        self.assumed_defect(DefectKind::OutOfBounds, message, [assumption])
    }

    /// The defect that a call of a sequence uses the object that the calls share after it was
    /// freed. Callers may give it another one: what `realloc` returned, say.
    pub fn freed_by_calls(&mut self, kind: DefectKind, message: String) -> Stop {
        let detail = "the calls are given the object that they share also after it was freed";
        self.hit(BoundKind::Sequence, detail);
        let assumption = Assumption::new(AssumptionKind::Caller, SHARED_OBJECT, detail);
        self.assumed_defect(kind, message, [assumption])
    }
}
