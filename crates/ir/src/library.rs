//! Facts about functions and objects that headers of the system declare, by their names.

mod names;
mod primitives;

use std::collections::BTreeSet;

use crate::{
    Callee, Constant, ConstantValue, FunctionId, Global, GlobalKind, Linkage, Operand, Origin,
    Program, RecordId, SourceFile, Terminator, Type, TypeId,
};

pub use names::*;
pub use primitives::*;

/// The name of `__builtin_assume_aligned` in programs. It takes a pointer and a number of which the
/// pointer is a multiple.
pub const ASSUME_ALIGNED: &str = "__attest_assume_aligned";

/// The object that holds the functions that run before or after the tested code, in a program
/// without `main`.
pub const RUN_BY_THEMSELVES: &str = "<run by themselves>";

/// Objects of the system that its functions change, which programs often declare themselves.
const OBJECTS: [&str; 15] = [
    "__daylight",
    "__environ",
    "__timezone",
    "__tzname",
    "_environ",
    "daylight",
    "environ",
    "h_errno",
    "optarg",
    "opterr",
    "optind",
    "optopt",
    "signgam",
    "timezone",
    "tzname",
];

/// Whether compilers require a function of the C library in freestanding programs, too.
pub fn is_demanded(name: &str) -> bool {
    matches!(name, "memcpy" | "memmove" | "memset" | "memcmp") || name.starts_with("__")
}

impl Program {
    /// Whether a function without a body is one of the C library that changes only objects that it
    /// is given and the library's own.
    pub fn keeps_to_itself(&self, function: FunctionId) -> bool {
        let name = &self.functions[function].name;
        self.is_library(function) && !lets_others_run(name) && !self.may_be_own(function)
    }

    /// Whether a function is one of the C library that keeps no pointer that it is given, behind its
    /// return, but in what it returns. Streams that call functions of the program give them all.
    pub fn forgets_arguments(&self, function: FunctionId) -> bool {
        let is_of_library = match &self.functions[function].body {
            Some(_) => self.origin(function) == Origin::Model && !self.may_be_own(function),
            None => self.keeps_to_itself(function),
        };
        is_of_library
            && forgets_arguments(&self.functions[function].name)
            && !self.has_memory_streams()
    }

    /// Whether the program may have a function of its own in place of one that is taken to be the C
    /// library's: it is freestanding (C17 4p6), or declares one of a name that C leaves to programs.
    pub fn may_be_own(&self, function: FunctionId) -> bool {
        let data = &self.functions[function];
        let name = data.name.as_str();
        let is_free = self.target.freestanding && !is_demanded(name);
        let is_of_library = || match &data.body {
            Some(_) => self.origin(function) == Origin::Model,
            None => {
                is_known(&self.types, data)
                    || Primitive::of(data).is_some()
                    || self.is_library(function)
            }
        };
        (is_free || data.assumed) && is_of_library()
    }

    /// Whether a function without a body, declared by a header of the system, may call functions
    /// before it returns: those that it is given, or one that another unit put into an object of
    /// the library.
    pub fn may_call_back(&self, function: FunctionId) -> bool {
        let data = &self.functions[function];
        let Type::Function(ty) = self.types.kind(data.ty) else {
            return false;
        };
        let is_callback = |&ty: &TypeId| self.is_callback(ty);
        let name = data.name.as_str();
        calls_hook(name) || ty.parameters.iter().any(is_callback) && !only_registers(name)
    }

    /// Whether a function without a body, declared by a header of the system, may have functions
    /// that it is given called at some time: before it returns, or later.
    pub fn takes_callbacks(&self, function: FunctionId) -> bool {
        let Type::Function(ty) = self.types.kind(self.functions[function].ty) else {
            return false;
        };
        ty.parameters.iter().any(|&ty| self.is_callback(ty))
    }

    /// Whether a type may pass functions: it is that of pointers to functions, or of a record that
    /// holds or leads to some.
    pub fn is_callback(&self, ty: TypeId) -> bool {
        self.leads_to_functions(ty, &mut Vec::new())
    }

    fn leads_to_functions(&self, ty: TypeId, seen: &mut Vec<RecordId>) -> bool {
        match self.types.kind(ty) {
            Type::Function(_) => true,
            Type::Pointer { pointee: inner, .. } | Type::Array { element: inner, .. } => {
                self.leads_to_functions(*inner, seen)
            }
            Type::Record(record) if !seen.contains(record) => {
                seen.push(*record);
                let mut fields = self.types.records[*record].fields.iter();
                fields.any(|field| self.leads_to_functions(field.ty, seen))
            }
            _ => false,
        }
    }

    /// Whether the program uses an object of the C library that holds a function which the library
    /// calls.
    pub fn sets_library_hooks(&self) -> bool {
        let mut globals = self.globals.iter();
        globals
            .any(|global| self.is_object_of_library(global) && self.is_function_pointer(global.ty))
    }

    /// Whether the program opens streams that write to its memory, or that call its functions.
    pub fn has_memory_streams(&self) -> bool {
        self.uses_one_of(&[
            "fmemopen",
            "fopencookie",
            "open_memstream",
            "open_wmemstream",
        ])
    }

    /// Whether the program maps memory that files or other processes may share.
    pub fn maps_memory(&self) -> bool {
        self.uses_one_of(&["mmap", "mmap64", "mremap", "remap_file_pages", "shmat"])
    }

    /// The name under which a function of the system shares objects with others to return pointers
    /// to them ([`static_results`]): its own name, if nothing is known about it and its result is
    /// neither a part of an argument nor allocated.
    pub fn static_family(&self, function: FunctionId) -> Option<&str> {
        let name = self.functions[function].name.as_str();
        let own = || self.may_reuse_result(function).then_some(name);
        static_results(name).or_else(own)
    }

    fn may_reuse_result(&self, function: FunctionId) -> bool {
        let data = &self.functions[function];
        let Type::Function(ty) = self.types.kind(data.ty) else {
            return false;
        };
        let Some(returned) = self.types.pointee(ty.result) else {
            return false;
        };
        let is_object = !matches!(self.types.kind(returned), Type::Function(_) | Type::Void);
        let is_handle = self.types.is_library_object(returned);
        let is_void = |ty| matches!(self.types.kind(ty), Type::Void);
        let leads_there = |ty| ty == returned || is_void(ty);
        let mut given = ty
            .parameters
            .iter()
            .filter_map(|&ty| self.types.pointee(ty));
        self.is_library(function)
            && is_object
            && !is_handle
            && !given.any(leads_there)
            && !allocates(&data.name)
    }

    fn uses_one_of(&self, names: &[&str]) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|function| function.body.is_none() && names.contains(&function.name.as_str()))
    }

    /// The greatest number of which the code takes some pointer to be a multiple, or 1.
    pub fn assumed_alignment(&self) -> u64 {
        let Some(assumes) = self.function(ASSUME_ALIGNED) else {
            return 1;
        };
        let bodies = self
            .functions
            .iter()
            .filter_map(|function| function.body.as_ref());
        let blocks = bodies.flat_map(|body| &body.blocks);
        let assumed = blocks.filter_map(|block| match &block.terminator {
            Terminator::Call {
                callee: Callee::Direct(callee),
                arguments,
                ..
            } if *callee == assumes => constant_number(arguments.get(1)?),
            _ => None,
        });
        assumed
            .filter(|number| number.is_power_of_two())
            .max()
            .unwrap_or(1)
    }

    /// Whether a type is that of pointers to functions.
    pub fn is_function_pointer(&self, ty: TypeId) -> bool {
        let pointee = self.types.pointee(ty);
        pointee.is_some_and(|pointee| matches!(self.types.kind(pointee), Type::Function(_)))
    }

    /// Whether an object is one of the C library that its functions may change: a header of the
    /// system declares it, and no unit defines it. The standard streams do not change.
    pub fn is_changed_by_library(&self, global: &Global) -> bool {
        !is_stream(global) && self.is_object_of_library(global)
    }

    /// Whether an object is one of the C library: a header of the system declares it and no unit
    /// defines it, or it is known by name. One that a unit defines under such a name takes the
    /// place of the library's.
    pub fn is_object_of_library(&self, global: &Global) -> bool {
        let file = global.span.as_ref();
        let file = file.and_then(|span| self.files.get(span.place().file));
        let is_system = file.is_some_and(SourceFile::is_of_system);
        let is_known = is_stream(global) || OBJECTS.contains(&global.name.as_str());
        let is_external = global.kind == GlobalKind::File(Linkage::External);
        if global.renamed {
            return false;
        }
        match global.initializer {
            None => is_system || is_known,
            Some(_) => is_known && is_external,
        }
    }
}

impl Program {
    /// The functions that run without a call, before or after the tested code, with those that they
    /// call by name: constructors and destructors of a program without `main`.
    pub fn run_by_themselves(&self) -> BTreeSet<FunctionId> {
        let tables = self.globals.iter();
        let tables = tables.filter(|global| global.name == RUN_BY_THEMSELVES);
        let held = tables.filter_map(|global| global.initializer.as_ref());
        let held = held.flat_map(|held| &held.relocations);
        let functions = held.filter_map(|relocation| match relocation.target {
            ConstantValue::Function(function) => Some(function),
            _ => None,
        });
        self.with_callees(functions.collect())
    }

    /// Functions, with all functions that they call by name, directly or not.
    pub fn with_callees(&self, waiting: Vec<FunctionId>) -> BTreeSet<FunctionId> {
        self.with_callees_beside(waiting, BTreeSet::new())
    }

    /// The same, without those that they call only by way of some others.
    pub fn with_callees_beside(
        &self,
        mut waiting: Vec<FunctionId>,
        others: BTreeSet<FunctionId>,
    ) -> BTreeSet<FunctionId> {
        let mut found = others.clone();
        while let Some(function) = waiting.pop() {
            if !found.insert(function) {
                continue;
            }
            let body = self.functions[function].body.iter();
            let blocks = body.flat_map(|body| &body.blocks);
            waiting.extend(blocks.filter_map(|block| match block.terminator {
                Terminator::Call {
                    callee: Callee::Direct(callee),
                    ..
                } => Some(callee),
                _ => None,
            }));
        }
        &found - &others
    }
}

fn constant_number(operand: &Operand) -> Option<u64> {
    match operand {
        Operand::Constant(Constant {
            value: ConstantValue::Int(bits),
            ..
        }) => u64::try_from(*bits).ok(),
        _ => None,
    }
}

/// Whether an object is the variable of a standard stream, by its name.
pub fn is_stream(global: &Global) -> bool {
    !global.renamed && matches!(global.name.as_str(), "stdin" | "stdout" | "stderr")
}

/// Whether linkers define an object: where a section or a part of the program starts or ends.
pub fn is_place_of_linker(global: &Global) -> bool {
    let name = global.name.as_str();
    let of_sections = ["__start_", "__stop_"];
    let is_known = of_sections.iter().any(|prefix| name.starts_with(prefix))
        || matches!(
            name,
            "_DYNAMIC"
                | "_GLOBAL_OFFSET_TABLE_"
                | "__bss_start"
                | "__data_start"
                | "__dso_handle"
                | "__ehdr_start"
                | "__etext"
                | "__executable_start"
                | "_edata"
                | "_end"
                | "_etext"
                | "data_start"
                | "edata"
                | "end"
                | "etext"
        );
    is_known && global.initializer.is_none()
}

#[cfg(test)]
mod tests {
    use super::{lets_others_run, static_results};

    #[test]
    fn locks_let_others_run_and_attributes_do_not() {
        assert!(lets_others_run("pthread_mutex_lock"));
        assert!(lets_others_run("mtx_lock"));
        assert!(!lets_others_run("pthread_mutex_init"));
        assert!(!lets_others_run("pthread_attr_setstacksize"));
        assert!(!lets_others_run("printf"));
    }

    #[test]
    fn functions_of_one_family_share_their_results() {
        assert_eq!(static_results("ctime"), static_results("gmtime"));
        assert_eq!(static_results("getpwuid"), static_results("getpwnam"));
        assert_ne!(static_results("crypt"), static_results("ttyname"));
        assert_eq!(static_results("strlen"), None);
    }
}
