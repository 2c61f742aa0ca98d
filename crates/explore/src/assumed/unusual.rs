//! The parts of an input that a caller need not pass, and what could stand in their place.

use std::collections::BTreeSet;

use analysis::{Stored, StoredValues, Variable, field_at};
use ir::input::{InputSpace, InputValue, InputVector, Root};
use ir::sequence::argument;
use ir::{
    Assumption, AssumptionKind, CellId, DefectKind, FunctionId, GlobalKind, Linkage, ObjectId,
    Program, Type,
};
use vm::Names;

/// How many values are tried in place of one.
const MOST_VALUES: usize = 4;

/// The other values of a part that have to show a defect, where each alone says nothing.
const SEVERAL: usize = 2;

/// The numbers that are tried where any is as good: two besides 0, as the number itself may be one.
const SMALL: [u128; 3] = [0, 1, 2];

/// So many elements or rounds are plausible.
const MANY: u128 = 1 << 20;

/// So many are not.
const MOST_COUNTED: u128 = 1 << 30;

/// A part of an input that no declaration promises.
#[derive(Clone, Debug)]
pub struct Unusual {
    /// The cell.
    pub cell: CellId,
    /// What a report takes for granted that rests on its value.
    pub assumption: Assumption,
    /// The values that are more usual, the likeliest first.
    pub instead: Vec<InputValue>,
    /// Whether it is the content of a field of an object, a constant that code stores there, or one
    /// that a caller in the files passes.
    pub is_set_up: bool,
    /// How many other values have to show the defect for it not to rest on this part. One is enough
    /// where any is as good: the code stores none, or also computed ones.
    pub enough: usize,
}

impl Unusual {
    /// Whether it is about what objects hold.
    pub fn is_state(&self) -> bool {
        matches!(
            self.assumption.kind,
            AssumptionKind::State | AssumptionKind::Caller
        )
    }
}

/// What is known about a program and the space of its inputs.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    pub program: &'a Program,
    pub entry: FunctionId,
    /// Whether the entry is the driver of a sequence of calls.
    pub is_driver: bool,
    pub space: &'a InputSpace,
    pub stored: &'a StoredValues,
    /// The kind of the defect that the inputs show, if they show one.
    pub defect: Option<DefectKind>,
    /// Whether the defect is that an assertion of the entry fails, which says what callers pass.
    pub is_contract: bool,
    /// The parameters of the entry that count elements or rounds.
    pub counts: &'a BTreeSet<u32>,
}

/// Where the objects that lead to a cell come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The arguments of the entry, and globals.
    Caller,
    /// A function without a body.
    Result(FunctionId),
    /// The arguments of calls of a sequence, beside the object that they share.
    Argument,
    /// The failure of an allocation.
    Allocation,
    /// The code declares it as an input; or it is no input of a caller.
    Declared,
}

impl Inputs<'_> {
    /// The unusual parts of an input, in the order in which others are tried in their place.
    pub fn unusual(&self, inputs: &InputVector) -> Vec<Unusual> {
        let values = inputs.values.iter();
        let mut found: Vec<Unusual> = values
            .filter_map(|(&cell, &value)| self.unusual_value(cell, value))
            .collect();
        found.sort_by_key(|unusual| (unusual.assumption.kind, unusual.cell));
        found
    }

    fn unusual_value(&self, cell: CellId, value: InputValue) -> Option<Unusual> {
        let (assumption, instead) = match self.source(cell) {
            Source::Declared => return None,
            // What they point to follows rules: see `docs/decisions.md`.
            Source::Argument => match value {
                InputValue::Bits(bits) if !self.is_left_to_callers(cell) => {
                    return self.unusual_number(cell, bits);
                }
                InputValue::Alias { object, .. } if self.is_literal(object) => {
                    (self.alias(cell, object), vec![InputValue::Fresh])
                }
                _ => return None,
            },
            Source::Result(function) => {
                let name = &self.program.functions[function].name;
                (Assumption::of_result(name), self.others(cell, value))
            }
            Source::Allocation => match value {
                InputValue::Bits(1) => self.failure(cell),
                _ => return None,
            },
            Source::Caller => match value {
                InputValue::Null => {
                    let assumption = Assumption::null(self.name(cell));
                    (assumption, self.others(cell, value))
                }
                InputValue::Alias { object, .. } | InputValue::Within(object) => {
                    (self.alias(cell, object), vec![InputValue::Fresh])
                }
                InputValue::Bits(bits) => return self.unusual_number(cell, bits),
                InputValue::Function(function) => return self.unusual_function(cell, function),
                _ => return None,
            },
        };
        Some(Unusual {
            cell,
            assumption,
            instead,
            is_set_up: false,
            enough: SEVERAL,
        })
    }

    /// A function that a caller need not pass: one that frees nothing, or that an assertion excludes.
    fn unusual_function(&self, cell: CellId, function: FunctionId) -> Option<Unusual> {
        if !self.is_contract || matches!(self.root(cell), Root::Parameter(_)) {
            return self.frees_nothing(cell, function);
        }
        let (name, value) = (self.name(cell), &self.program.functions[function].name);
        let text = format!("the caller may pass an object with {value} in {name}");
        Some(Unusual {
            cell,
            assumption: Assumption::new(AssumptionKind::Caller, name, text),
            instead: vec![InputValue::Null],
            is_set_up: false,
            enough: 1,
        })
    }

    /// A function without a body that an input points to, to which objects may go that are lost.
    fn frees_nothing(&self, cell: CellId, function: FunctionId) -> Option<Unusual> {
        let is_unknown = self.program.functions[function].body.is_none();
        let name = self.name(cell);
        let text = format!(
            "the function that {name} points to, whose code is not known, may free nothing"
        );
        (is_unknown && self.defect == Some(DefectKind::Leak)).then(|| Unusual {
            cell,
            assumption: Assumption::new(AssumptionKind::UnknownResult, name, text),
            instead: self.others(cell, InputValue::Function(function)),
            is_set_up: false,
            enough: SEVERAL,
        })
    }

    fn name(&self, cell: CellId) -> String {
        let names = Names {
            program: self.program,
            entry: self.entry,
            space: self.space,
        };
        names.cell(cell)
    }

    fn root(&self, cell: CellId) -> &Root {
        &self
            .space
            .object_data(self.space.cell_data(cell).object)
            .root
    }

    fn source(&self, cell: CellId) -> Source {
        match self.root(cell) {
            Root::Pointee(pointer) => self.source(*pointer),
            Root::Parameter(_) if self.program.functions[self.entry].name == "main" => {
                Source::Declared
            }
            Root::Parameter(_) | Root::Global(_) => Source::Caller,
            Root::Result { function, .. } | Root::After { function, .. } => {
                let data = &self.program.functions[*function];
                match ir::library::only_gives_input(&self.program.types, data) {
                    true => Source::Declared,
                    false => Source::Result(*function),
                }
            }
            Root::AllocationFails { .. } => Source::Allocation,
            Root::Declared { name, .. } if self.is_driver && self.is_argument(name) => {
                Source::Argument
            }
            _ => Source::Declared,
        }
    }

    /// Whether an object is a string literal of the code.
    fn is_literal(&self, object: ObjectId) -> bool {
        match self.space.object_data(object).root {
            Root::Global(global) => self.program.globals[global].kind == GlobalKind::StringLiteral,
            _ => false,
        }
    }

    /// Whether a cell is a field or a global that no code stores anything in.
    fn is_left_to_callers(&self, cell: CellId) -> bool {
        let stored = self.variable(cell).map(|variable| self.stored.of(variable));
        matches!(stored, Some(Stored::Constants(known)) if known.is_empty())
    }

    /// Whether an input of a driver is an argument of a call.
    fn is_argument(&self, name: &str) -> bool {
        self.program.functions.iter().any(|function| {
            let mut parameters =
                (0..function.parameters.len()).map(|at| function.argument_name(at));
            name.starts_with(&function.name)
                && parameters.any(|parameter| name == argument(&function.name, &parameter))
        })
    }

    fn failure(&self, cell: CellId) -> (Assumption, Vec<InputValue>) {
        let nth = match self.root(cell) {
            Root::AllocationFails { nth } => *nth,
            _ => 0,
        };
        (Assumption::failure(nth), vec![InputValue::Bits(0)])
    }

    fn alias(&self, cell: CellId, object: ObjectId) -> Assumption {
        let pointer = self.name(cell);
        let mut kind = AssumptionKind::Alias;
        let text = match self.space.object_data(object).root {
            Root::Global(global) => {
                let global = &self.program.globals[global];
                match global.kind {
                    GlobalKind::StringLiteral => format!(
                        "the caller may pass a string literal for {pointer}, which may be one \
                         object with an equal literal of the code"
                    ),
                    _ if self.defect == Some(DefectKind::InvalidFree) => {
                        kind = AssumptionKind::NotHeap;
                        format!(
                            "{pointer} may point to {}, which is not from the heap",
                            global.name
                        )
                    }
                    _ => format!("{pointer} may point to {}", global.name),
                }
            }
            _ => {
                let names = Names {
                    program: self.program,
                    entry: self.entry,
                    space: self.space,
                };
                let other = names.object(object);
                format!("{pointer} may lead to {other}, which another input leads to")
            }
        };
        Assumption::new(kind, pointer, text)
    }

    /// Other values of a cell: of a pointer, something that it can point to; of a number, 0 and 1.
    fn others(&self, cell: CellId, value: InputValue) -> Vec<InputValue> {
        let types = &self.program.types;
        let others = match types.pointee(self.space.cell_data(cell).ty) {
            None => [0, 1].map(InputValue::Bits).to_vec(),
            Some(pointee) => match types.kind(pointee) {
                Type::Function(_) => {
                    let functions = self.program.functions.iter_enumerated();
                    let fits = functions.filter(|(_, function)| function.ty == pointee);
                    fits.map(|(id, _)| InputValue::Function(id)).collect()
                }
                _ => vec![InputValue::Fresh],
            },
        };
        let others = others.into_iter().filter(|other| *other != value);
        others.take(MOST_VALUES).collect()
    }

    /// A number that a caller need not pass: no enumerator, the content of a field or of a global,
    /// or what only callers in the same file could pass.
    fn unusual_number(&self, cell: CellId, bits: u128) -> Option<Unusual> {
        let name = self.name(cell);
        let unusual = |kind, text, instead| Unusual {
            cell,
            assumption: Assumption::new(kind, &name, text),
            instead,
            is_set_up: false,
            enough: SEVERAL,
        };
        let value = self.shown(cell, bits);
        if let Some(enumerators) = self.enumerators(cell)
            && !enumerators.contains(&bits)
        {
            let text = format!("{name} may be {value}, which is none of its enumerators");
            let instead = enumerators.into_iter().take(MOST_VALUES);
            let instead = instead.map(InputValue::Bits).collect();
            return Some(unusual(AssumptionKind::Enumerator, text, instead));
        }
        match self.variable(cell) {
            Some(variable) => {
                if self.is_initial(cell, bits) {
                    return None;
                }
                let instead = self.instead(cell, bits, variable);
                let (kind, text) = match self.stores(cell, bits, variable) {
                    false => (
                        AssumptionKind::State,
                        format!("{name} may be {value}, which no code stores there"),
                    ),
                    true if matches!(variable, Variable::Global(_)) => (
                        AssumptionKind::Caller,
                        format!("earlier calls may leave {value} in {name}"),
                    ),
                    true => (
                        AssumptionKind::Caller,
                        format!("the caller may pass an object with {value} in {name}"),
                    ),
                };
                let (is_constant, is_any) = match self.stored.of(variable) {
                    Stored::Constants(known) => (true, known.is_empty()),
                    Stored::Anything => (false, true),
                };
                let is_plausible = kind == AssumptionKind::Caller;
                let is_chosen = self.is_chosen();
                Some(Unusual {
                    is_set_up: is_plausible && is_constant && !is_chosen,
                    enough: match is_any || is_plausible {
                        _ if is_chosen => instead.len().max(1),
                        true => 1,
                        false => SEVERAL,
                    },
                    ..unusual(kind, text, instead)
                })
            }
            None if self.space.cell_data(cell).offset_bits < 0 => {
                let text =
                    format!("the caller may pass a pointer with {value} before it, in {name}");
                let instead = any_but(bits);
                Some(Unusual {
                    enough: 1,
                    ..unusual(AssumptionKind::Caller, text, instead)
                })
            }
            None if self.is_too_large(cell, bits) => {
                let text =
                    format!("{name} may be {value}, which is more than any object has bytes");
                let instead = self.large().into_iter().chain(any_but(bits)).collect();
                Some(Unusual {
                    enough: 1,
                    ..unusual(AssumptionKind::Size, text, instead)
                })
            }
            None if self.is_element(cell) => {
                let text = format!("the caller may pass an array with {value} in {name}");
                let instead = any_but(bits);
                Some(Unusual {
                    enough: 1,
                    ..unusual(AssumptionKind::Caller, text, instead)
                })
            }
            None if self.is_contract && self.is_count(cell) => {
                let text = format!("the caller may pass {value} for {name}");
                let instead = any_but(bits);
                Some(Unusual {
                    enough: instead.len().max(1),
                    ..unusual(AssumptionKind::Caller, text, instead)
                })
            }
            None if self.is_impossible_count(cell, bits) => {
                let text = format!("{name}, which counts, may be {value}");
                let instead = [InputValue::Bits(MANY)].into_iter().chain(any_but(bits));
                Some(Unusual {
                    enough: 1,
                    ..unusual(AssumptionKind::Length, text, instead.collect())
                })
            }
            None if self.is_internal() && !self.is_driver => {
                let text = format!("no caller in the file is known to pass {value} for {name}");
                let instead = any_but(bits);
                Some(Unusual {
                    is_set_up: self.is_passed(cell, bits),
                    enough: instead.len().max(1),
                    ..unusual(AssumptionKind::Caller, text, instead)
                })
            }
            None => None,
        }
    }

    /// Whether the code itself chooses which objects it is passed: it is called in its file only, or
    /// it asserts what it is passed.
    fn is_chosen(&self) -> bool {
        self.is_internal() || self.is_contract
    }

    /// Sizes that objects have.
    fn large(&self) -> [InputValue; 2] {
        let most = mask(self.program.target.pointer_width) / 2;
        [MANY, most].map(InputValue::Bits)
    }

    /// Whether an access to memory goes wrong, whose size or place numbers may be.
    fn is_access(&self) -> bool {
        matches!(
            self.defect,
            Some(
                DefectKind::OutOfBounds
                    | DefectKind::NullDereference
                    | DefectKind::WildPointer
                    | DefectKind::InvalidArgument
                    | DefectKind::Overlapping
            )
        )
    }

    /// Whether a number is an element of a caller's array that is no text: it is as good as a field.
    fn is_element(&self, cell: CellId) -> bool {
        let is_text = self.space.cell_data(cell).width <= 8;
        !is_text && matches!(self.root(cell), Root::Pointee(_))
    }

    /// Whether a number of the width of sizes is more than the size of any object.
    fn is_too_large(&self, cell: CellId, bits: u128) -> bool {
        let types = &self.program.types;
        let integer = types.int(self.space.cell_data(cell).ty);
        let is_unsigned = integer.is_some_and(|integer| !integer.signed);
        let width = self.program.target.pointer_width;
        let is_size = is_unsigned && self.space.cell_data(cell).width == width;
        self.is_access() && is_size && bits > mask(width) / 2
    }

    /// Whether a number counts elements or rounds.
    fn is_count(&self, cell: CellId) -> bool {
        matches!(self.root(cell), Root::Parameter(index) if self.counts.contains(index))
    }

    /// Whether a number counts, and is negative or more than what it counts where arithmetic overflows
    /// or the program gives up.
    fn is_impossible_count(&self, cell: CellId, bits: u128) -> bool {
        let width = self.space.cell_data(cell).width;
        let integer = self.program.types.int(self.space.cell_data(cell).ty);
        let is_negative = integer.is_some_and(|integer| integer.signed) && bits > mask(width) / 2;
        let is_of_size = matches!(
            self.defect,
            Some(DefectKind::SignedOverflow | DefectKind::Abort)
        );
        is_of_size && self.is_count(cell) && (is_negative || bits >= MOST_COUNTED)
    }

    /// Whether only functions of its file call the entry.
    fn is_internal(&self) -> bool {
        self.program.functions[self.entry].linkage == Linkage::Internal
    }

    /// Whether a call in the files passes a constant for a parameter.
    fn is_passed(&self, cell: CellId, bits: u128) -> bool {
        let Root::Parameter(index) = self.root(cell) else {
            return false;
        };
        let variable = Variable::Parameter(self.entry, *index);
        let is_constant = matches!(self.stored.of(variable), Stored::Constants(_));
        is_constant && self.stores(cell, bits, variable)
    }

    fn enumerators(&self, cell: CellId) -> Option<Vec<u128>> {
        let types = &self.program.types;
        let Type::Enum(id) = types.kind(self.space.cell_data(cell).ty) else {
            return None;
        };
        let enumerators = types.enums[*id].enumerators.iter();
        let values: Vec<u128> = enumerators.map(|(_, value)| *value).collect();
        (!values.is_empty()).then_some(values)
    }

    /// The field or global that a cell is.
    fn variable(&self, cell: CellId) -> Option<Variable> {
        let data = self.space.cell_data(cell);
        let object = self.space.object_data(data.object);
        let types = &self.program.types;
        let stride = i64::try_from(types.size(object.ty) * 8).unwrap_or(0);
        let offset = match stride {
            0 => return None,
            _ => data.offset_bits.rem_euclid(stride) as u64,
        };
        let field = field_at(types, object.ty, offset);
        match object.root {
            Root::Global(global) if field.is_none() => Some(Variable::Global(global)),
            _ => field,
        }
    }

    /// Whether a cell of a static object holds what it does at the start of the program.
    fn is_initial(&self, cell: CellId, bits: u128) -> bool {
        let Root::Global(global) = self.root(cell) else {
            return false;
        };
        let initializer = self.program.globals[*global].initializer.as_ref();
        let is_zero = initializer.is_some_and(|initial| {
            initial.relocations.is_empty() && initial.bytes.iter().all(|&byte| byte == 0)
        });
        is_zero && bits == 0
    }

    fn stores(&self, cell: CellId, bits: u128, variable: Variable) -> bool {
        let width = self.space.cell_data(cell).width;
        match self.stored.of(variable) {
            Stored::Anything => true,
            Stored::Constants(known) => known.iter().any(|value| value & mask(width) == bits),
        }
    }

    /// The values that code stores in a variable, or small ones where it stores any.
    fn instead(&self, cell: CellId, bits: u128, variable: Variable) -> Vec<InputValue> {
        let width = self.space.cell_data(cell).width;
        let others = match self.stored.of(variable) {
            Stored::Constants(known) if !known.is_empty() => known.into_iter().collect(),
            _ => SMALL.to_vec(),
        };
        let others = others.into_iter().map(|value| value & mask(width));
        let others = others.filter(|value| *value != bits).take(MOST_VALUES);
        others.map(InputValue::Bits).collect()
    }

    /// A number as C shows it.
    fn shown(&self, cell: CellId, bits: u128) -> String {
        let data = self.space.cell_data(cell);
        let integer = self.program.types.int(data.ty);
        let is_signed = integer.is_some_and(|integer| integer.signed);
        let sign = 1_u128 << (data.width.clamp(1, 128) - 1);
        match is_signed && bits & sign != 0 {
            true => format!("-{}", (mask(data.width) ^ bits).wrapping_add(1)),
            false => bits.to_string(),
        }
    }
}

/// Small numbers in place of another.
fn any_but(bits: u128) -> Vec<InputValue> {
    let others = SMALL.into_iter().filter(|value| *value != bits);
    others.map(InputValue::Bits).collect()
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width.clamp(1, 128))
}
