//! Calls of functions of the host: functions of libraries for which there is no model, called for
//! real on concrete arguments (CUTE, section 3.4).
//!
//! What a call is given, values of inputs included, is fixed on the path: other values are other
//! alternatives. The memory that pointers lead to goes along, but no more of it than the function
//! looks at: a window that grows when the function reaches its end. This part knows no processes: a
//! [`Natives`](crate::Natives) executes each [`NativeCall`](crate::NativeCall).

mod environment;
mod left_open;
mod memory;
mod returned;

use ir::test::{Loss, LossKind};
use ir::{DefectKind, FunctionId};

use self::memory::Windows;
use self::returned::Executed;
use crate::code::CallCode;
use crate::native_call::NativeResult;
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;

impl Run<'_, '_> {
    /// Calls a function of the host.
    pub fn native(
        &mut self,
        function: FunctionId,
        result: NativeResult,
        call: &CallCode,
    ) -> Flow<Passed> {
        let name = &self.code.program.functions[function].name;
        let known = self.state.record.path.len();
        self.narrow_earlier_results(function);
        let given = self.given_to_native(call)?;
        let number = given.first().and_then(|given| given.number());
        self.note_locale_of(function, number);
        self.note_environment_of(function, &given);
        let mut windows = Windows::around(&given);
        loop {
            let sent = self.sent(function, result, &given, &mut windows)?;
            if self.state.record.path.len() > known {
                self.note_fixed(name);
            }
            match self.executed(&sent) {
                Executed::Returned(done) => {
                    self.write_back(&done.written, &windows)?;
                    self.set_error_number(done.error_number)?;
                    let result = self.returned(done.result, function, &windows)?;
                    self.note_left_open(function, &given, &result);
                    self.note_static_result(function, &result);
                    return Ok(result);
                }
                Executed::Behind(object) => self.widen(&mut windows, object)?,
                Executed::Null => {
                    let message = format!("{name} accesses memory through a null pointer");
                    return Err(self.null_defect(DefectKind::NullDereference, &message, None));
                }
                Executed::Failed(why) => {
                    let what = format!("a native call of {name}, which {why}");
                    return Err(self.unsupported(what));
                }
            }
        }
    }

    /// Notes that a call of a function may return something else another time.
    pub fn note_world(&mut self, function: FunctionId) {
        let name = &self.code.program.functions[function].name;
        let detail = format!("{name} is called for real, and may do something else elsewhere");
        self.lose(LossKind::Concretisation, detail);
    }

    /// Notes, once for each place, that a call fixed values of inputs.
    fn note_fixed(&mut self, name: &str) {
        let stack = self.frames();
        if self
            .state
            .record
            .imprecision
            .found
            .fixed
            .iter()
            .all(|fixed| fixed.stack != stack)
        {
            self.state.record.imprecision.found.fixed.push(Loss {
                kind: LossKind::Concretisation,
                detail: format!(
                    "{name} is called for real: each other value of its arguments is a path of its own"
                ),
                stack,
            });
        }
    }
}
