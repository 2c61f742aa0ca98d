//! What bounds an execution.

use std::collections::BTreeMap;

use ir::effects::Effects;
use ir::lengths::LengthOf;
use ir::{FunctionId, GlobalId};

use crate::unit::TestedUnit;

/// How calls of a function are executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum CallPolicy {
    /// Its body is; without one, its result is an input.
    #[default]
    Enter,
    /// It may be replaced by inputs: its result, and what it may change (LATEST, section 3.2).
    Abstract(Effects),
    /// It is a function of the host without a body here, and is called for real
    /// ([`crate::Natives`]) if its parameters and its result allow that.
    Native(Dependence),
}

/// What a function of the host depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dependence {
    /// Its arguments, and what they lead to.
    Arguments,
    /// Other things too: that they are as they are is a loss.
    World,
}

/// The most bytes that an object which a pointer points to has in each direction, unless one
/// element is larger.
const MOST_BYTES: u64 = 1 << 16;

/// Limits and choices of the machine.
#[derive(Clone, Debug)]
pub struct Config {
    /// IR statements and terminators in one execution.
    pub step_limit: u64,
    /// Times that an input decides a branch or a value in one execution.
    pub choice_limit: usize,
    /// Calls of one function without a body in one execution, after which its default results are
    /// those that end loops: NULL; -1 for as many calls, and then 1.
    pub patience: u32,
    /// Nested calls.
    pub stack_limit: u32,
    /// Bytes that the tested program may hold at one time.
    pub memory_limit: u64,
    /// Bytes of one object up to the last that is accessed: so many are held, and as many flags.
    pub touched_limit: u64,
    /// Elements, in each direction, of an input array that a pointer points to.
    pub max_array: u64,
    /// Whether an allocation may fail; if so, whether it does is an input.
    pub allocation_failures: bool,
    /// The parameters of the entry, by their index, that are taken not to be NULL, as the user says.
    pub assumed_nonnull: Vec<u32>,
    /// Whether input pointers are taken to lead to objects of their own, as the user says.
    pub disjoint_inputs: bool,
    /// The globals whose initial contents are inputs. Those without a definition always are.
    pub input_globals: Vec<GlobalId>,
    /// The mutable globals whose initial contents no code outside can set: they are taken to hold
    /// what they are initialised with, which is a bound where an execution looks.
    pub kept_globals: Vec<GlobalId>,
    /// Those of them that code outside may have pointers to from an earlier call, and the object
    /// that the calls of a sequence share.
    pub known_kept_globals: Vec<GlobalId>,
    /// The constants that an input pointer may point to.
    pub constants: Vec<GlobalId>,
    /// The globals that functions without a body may change.
    pub changing_globals: Vec<GlobalId>,
    /// The statics that functions of the program may change which such a function could call back.
    pub called_back_globals: Vec<GlobalId>,
    /// Objects that functions of the program use which others could call back: they could change
    /// what the pointers in them lead to.
    pub looked_at_back_globals: Vec<GlobalId>,
    /// The statics that no code has the address of: no pointer leads there.
    pub unaddressed_globals: Vec<GlobalId>,
    /// Which inputs say how many elements others point to.
    pub lengths: Vec<LengthOf>,
    /// Whether what the entry's own calls return is observed.
    pub observe_calls: bool,
    /// Whether what functions without a body are given is observed.
    pub observe_arguments: bool,
    /// Whether executions go on beyond defects to which compilers give a meaning.
    pub beyond_defects: bool,
    /// How calls are executed, for functions that are not just entered.
    pub policies: BTreeMap<FunctionId, CallPolicy>,
    /// The functions through which the path is recorded.
    pub unit: TestedUnit,
    /// How many events executions record: edges, calls and returns, in order ([`ir::OrderedTrace`]),
    /// in four bytes each.
    pub recorded_events: usize,
    /// Elements (or bytes) of an object that one access with a symbolic offset may consider.
    pub symbolic_elements: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            step_limit: 10_000_000,
            choice_limit: 25_000,
            patience: 64,
            stack_limit: 2_000,
            memory_limit: 256 << 20,
            touched_limit: 512 << 20,
            max_array: 16,
            allocation_failures: true,
            assumed_nonnull: Vec::new(),
            disjoint_inputs: false,
            input_globals: Vec::new(),
            kept_globals: Vec::new(),
            known_kept_globals: Vec::new(),
            constants: Vec::new(),
            changing_globals: Vec::new(),
            called_back_globals: Vec::new(),
            looked_at_back_globals: Vec::new(),
            unaddressed_globals: Vec::new(),
            lengths: Vec::new(),
            observe_calls: false,
            observe_arguments: false,
            beyond_defects: false,
            policies: BTreeMap::new(),
            unit: TestedUnit::default(),
            recorded_events: 0,
            symbolic_elements: 512,
        }
    }
}

impl Config {
    /// How many bytes an array of elements of a size may have.
    pub(crate) fn room_of(&self, size: u64) -> u64 {
        match MOST_BYTES.checked_div(size) {
            Some(elements) => size * elements.clamp(1, self.max_array.max(1)),
            None => 0,
        }
    }
}
