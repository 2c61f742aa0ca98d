//! The further effects of C library functions, beside writes through non-`const` arguments: on the
//! library's own objects, earlier results, and objects that records lead to.

use ir::input::Root;
use ir::library::{only_reads, static_results};
use ir::sharing::{contains_exactly, is_character};
use ir::test::BoundKind;
use ir::{FunctionId, ObjectId, Type, TypeId, Types};

use super::reached::{Reached, Target};
use crate::ids::AllocationId;
use crate::passed::Passed;
use crate::run::Run;
use crate::stop::Flow;
use crate::value::{Shadow, Value};

impl Run<'_, '_> {
    /// The name of a function.
    pub(super) fn name_of(&self, function: FunctionId) -> &str {
        &self.code.program.functions[function].name
    }

    /// The objects that headers of the system declare, such as `optind`.
    pub(super) fn library_objects(&self) -> Vec<Target> {
        let program = self.code.program;
        let globals = self.code.config.changing_globals.iter();
        let of_library =
            globals.filter(|&&global| program.is_changed_by_library(&program.globals[global]));
        let ids = of_library.map(|&global| self.code.statics.layout.globals[global]);
        ids.map(|id| self.whole_target(id)).collect()
    }

    /// Whether the program uses an object of the C library that holds pointers, such as `optarg`.
    pub(super) fn library_has_pointers(&self) -> bool {
        let types = &self.code.program.types;
        let objects = self.library_objects().into_iter();
        let mut types_of =
            objects.filter_map(|target| self.state.memory.get(target.id).declaration.ty);
        types_of.any(|ty| types.has_pointers(ty))
    }

    /// Whether a function of the C library that is given this type may write pointers there.
    pub(super) fn library_writes_pointers(&self, ty: TypeId) -> bool {
        let types = &self.code.program.types;
        let pointee = types.pointee(ty);
        self.library_writes(ty) && pointee.is_some_and(|pointee| types.has_pointers(pointee))
    }

    /// What earlier calls of a function, or of one that shares its objects, returned.
    pub(super) fn earlier_results(&self, function: FunctionId) -> Vec<Target> {
        match static_results(self.name_of(function)) {
            Some(family) => self.results_of(family),
            None => Vec::new(),
        }
    }

    fn results_of(&self, family: &str) -> Vec<Target> {
        let results = self
            .state
            .unknown
            .static_results
            .get(family)
            .into_iter()
            .flatten();
        results
            .filter_map(|&value| self.target_of(value, None, false, None))
            .collect()
    }

    /// Records what a function returned, if a later call may write over it.
    pub(crate) fn note_static_result(&mut self, function: FunctionId, result: &Passed) {
        let (Some(family), Passed::Scalar(value, _)) =
            (self.code.program.static_family(function), result)
        else {
            return;
        };
        if matches!(value.shadow, Shadow::Lazy(_) | Shadow::Pointer(..)) {
            let results = &mut self.state.unknown.static_results;
            results.entry(family.to_owned()).or_default().push(*value);
        }
    }

    /// A native call may write over what earlier calls returned: a bound where code reads that.
    pub(crate) fn narrow_earlier_results(&mut self, function: FunctionId) {
        if let Some(family) = self.code.program.static_family(function) {
            self.narrow_results_of(family);
        }
    }

    /// What functions that share what they return may have returned, to the program or to others.
    fn all_results_of(&self, family: &str) -> Vec<AllocationId> {
        let own = self.results_of(family).into_iter().map(|target| target.id);
        own.chain(self.results_of_others(family)).collect()
    }

    /// A native call may write over what such functions returned.
    pub(crate) fn narrow_results_of(&mut self, family: &str) {
        for id in self.all_results_of(family) {
            if self.can_change(id) {
                let size = self.state.memory.get(id).size;
                self.narrow(id, (0, size));
            }
        }
    }

    /// The objects behind other code's pointers that earlier calls of a family may have returned,
    /// in whole or in part: a bound where code reads them.
    fn results_of_others(&self, family: &str) -> Vec<AllocationId> {
        let program = self.code.program;
        let types = &program.types;
        let functions = program.functions.indices();
        let of_family = functions.filter(|&id| program.static_family(id) == Some(family));
        let mut returned = Vec::new();
        for id in of_family {
            if let Type::Function(ty) = types.kind(program.functions[id].ty)
                && let Some(pointee) = types.pointee(ty.result)
            {
                add_led_to(types, pointee, &mut returned);
            }
        }
        if family == "time" {
            // `ctime` writes over what `localtime` returned (C17 7.27.3.2).
            let all = types.iter().map(|(ty, _)| ty);
            let is_tm = |&ty: &TypeId| {
                types
                    .record(ty)
                    .is_some_and(|it| it.name.as_deref() == Some("struct tm"))
            };
            returned.extend(all.filter(is_tm));
        }
        // The lists of `struct hostent` lead to addresses, whatever they are declared as.
        let is_text = |ty: TypeId| types.pointee(ty).is_some_and(|to| is_character(types, to));
        let is_void = |ty: TypeId| matches!(types.kind(ty), Type::Void);
        let has_addresses = returned.iter().any(|&ty| is_text(ty) || is_void(ty));
        let could_be = |&&(object, _): &&(ObjectId, AllocationId)| {
            let data = self.space.object_data(object);
            let is_part = |&whole: &TypeId| contains_exactly(types, whole, data.ty);
            matches!(data.root, Root::Pointee(_))
                && (has_addresses && !types.has_pointers(data.ty) || returned.iter().any(is_part))
        };
        let found = self.state.objects.iter().filter(could_be);
        found.map(|&(_, id)| id).collect()
    }

    /// Objects that may be memory which files or other processes share, and so may change when a
    /// function of the system is called: it writes to a file, or waits for another process.
    fn mapped_memory(&self) -> Vec<AllocationId> {
        if !self.code.features.maps_memory {
            return Vec::new();
        }
        let is_of_others = |&&(object, _): &&(ObjectId, AllocationId)| {
            matches!(self.space.object_data(object).root, Root::Pointee(_))
        };
        let found = self.state.objects.iter().filter(is_of_others);
        found.map(|&(_, id)| id).collect()
    }

    /// Narrows what others hold and the system may change: results that it returned before, and
    /// what is mapped.
    pub(super) fn narrow_of_others(&self, function: FunctionId, reached: &mut Reached) {
        let mut found = self.mapped_memory();
        if let Some(family) = self.code.program.static_family(function) {
            found.extend(self.all_results_of(family));
        }
        found.retain(|id| !reached.changed.contains_key(id));
        for id in found {
            let size = self.state.memory.get(id).size;
            reached.narrowed.push((id, (0, size)));
        }
    }

    /// `getopt` moves the arguments of the program about.
    pub(super) fn narrow_moved_arguments(
        &mut self,
        function: FunctionId,
        arguments: &[Passed],
        types: &[Option<TypeId>],
        reached: &mut Reached,
    ) -> Flow<()> {
        let vector = arguments.get(1);
        let Some(vector) = vector.filter(|_| self.name_of(function).starts_with("getopt")) else {
            return Ok(());
        };
        let ty = types.get(1).copied().flatten();
        for Target { id, .. } in self.behind_argument(function, 1, vector, ty, types, true)? {
            let size = self.state.memory.get(id).size;
            reached.narrowed.push((id, (0, size)));
        }
        Ok(())
    }

    /// Addresses that are written or sent may come back, or reach other code: a bound.
    pub(super) fn note_sent_addresses(
        &mut self,
        function: FunctionId,
        arguments: &[Passed],
        types: &[Option<TypeId>],
    ) -> Flow<()> {
        // Which argument leads to the bytes, and through how many pointers more.
        let (index, steps) = match self.name_of(function) {
            "fwrite" | "fwrite_unlocked" => (0, 0),
            "write" | "pwrite" | "pwrite64" | "send" | "sendto" | "mq_send" | "mq_timedsend"
            | "msgsnd" => (1, 0),
            "writev" | "pwritev" | "pwritev2" => (1, 1),
            "sendmsg" | "sendmmsg" => (1, 2),
            _ => return Ok(()),
        };
        let Some(argument) = arguments.get(index) else {
            return Ok(());
        };
        let ty = types.get(index).copied().flatten();
        let mut sent = self.behind_argument(function, index, argument, ty, types, true)?;
        for _ in 0..=steps {
            let routes = sent
                .iter()
                .filter_map(|target| Some((target.id, target.route.as_ref()?)));
            sent = routes
                .flat_map(|(id, route)| self.targets_of(id, route, None))
                .collect();
        }
        if !sent.is_empty() {
            let detail = "addresses that are written or sent are not taken to come back";
            self.hit(BoundKind::LibraryModel, detail);
        }
        Ok(())
    }

    /// A stream that is given a buffer may write there at any time, and so may random numbers: a
    /// bound.
    pub(super) fn note_kept_buffer(&mut self, function: FunctionId, arguments: &[Passed]) {
        let index = match self.name_of(function) {
            "setbuf" | "setbuffer" | "setvbuf" | "initstate" | "initstate_r" => 1,
            "fmemopen" | "open_memstream" | "open_wmemstream" | "setstate" | "setstate_r" => 0,
            _ => return,
        };
        if arguments.get(index).is_some_and(|buffer| !is_null(buffer)) {
            let detail = "the C library is taken not to use the buffers that it is given later";
            self.hit(BoundKind::LibraryModel, detail);
        }
    }

    /// The `const` records that a function of the C library is given with an argument, and what
    /// their pointers lead to.
    pub(super) fn behind_constant_record(
        &mut self,
        function: FunctionId,
        index: usize,
        argument: &Passed,
        arguments: &[Option<TypeId>],
    ) -> Flow<(Vec<Target>, Vec<Target>)> {
        let types = &self.code.program.types;
        let ty = arguments.get(index).copied().flatten();
        let record = ty.and_then(|ty| types.pointee(ty));
        let record = record.filter(|&record| !written_through(types, record).is_empty());
        let Some(record) = record.filter(|_| !only_reads(self.name_of(function))) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let given = self.behind_argument(function, index, argument, ty, arguments, true)?;
        let types = &self.code.program.types;
        let (offsets, size) = (written_through(types, record), types.size(record).max(1));
        let mut found = Vec::new();
        for target in &given {
            let Some(route) = &target.route else {
                continue;
            };
            let start = target.offset % size;
            for (at, next) in self.targets_at(target.id, route, None) {
                let inside = (at + size - start) % size;
                if offsets.contains(&inside) {
                    found.push(next);
                }
            }
        }
        Ok((given, found))
    }
}

/// Adds a type, and the types of what its pointers lead to.
fn add_led_to(types: &Types, ty: TypeId, found: &mut Vec<TypeId>) {
    if found.contains(&ty) || matches!(types.kind(ty), Type::Function(_)) {
        return;
    }
    found.push(ty);
    add_behind_pointers(types, ty, found);
}

fn add_behind_pointers(types: &Types, ty: TypeId, found: &mut Vec<TypeId>) {
    match types.kind(ty) {
        Type::Pointer { pointee, .. } => add_led_to(types, *pointee, found),
        Type::Array { element, .. } => add_behind_pointers(types, *element, found),
        Type::Record(record) => {
            for field in &types.records[*record].fields {
                add_behind_pointers(types, field.ty, found);
            }
        }
        _ => {}
    }
}

/// The offsets of the members of a record that are pointers to what is not `const`.
fn written_through(types: &Types, record: TypeId) -> Vec<u64> {
    let Some(data) = types.record(record) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for field in &data.fields {
        let at = field.offset_bits / 8;
        match types.kind(field.ty) {
            Type::Pointer {
                constant, pointee, ..
            } => {
                let is_function = matches!(types.kind(*pointee), Type::Function(_));
                if !constant && !is_function {
                    found.push(at);
                }
            }
            Type::Record(_) => {
                let inner = written_through(types, field.ty);
                found.extend(inner.into_iter().map(|inner| at + inner));
            }
            _ => {}
        }
    }
    found
}

/// Whether an argument is NULL, or the number 0.
pub(super) fn is_null(argument: &Passed) -> bool {
    matches!(
        argument,
        Passed::Scalar(
            Value {
                bits: 0,
                shadow: Shadow::None
            },
            _
        )
    )
}
