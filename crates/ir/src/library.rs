//! What is known by name of functions and objects that headers of the system declare.

use std::collections::BTreeSet;

use crate::{
    Callee, Constant, ConstantValue, FunctionId, Global, GlobalKind, Linkage, Operand, Program,
    RecordId, SourceFile, Terminator, Type, TypeId,
};

/// What `__builtin_assume_aligned` is called here, with a pointer and a number that it is a multiple of.
pub const ASSUME_ALIGNED: &str = "__attest_assume_aligned";

/// The object that holds the functions that run before or behind what is tested, in a program without
/// `main`.
pub const RUN_BY_THEMSELVES: &str = "<run by themselves>";

/// Functions of the C library that attest has models of, and whose names C leaves to programs that
/// do not include their headers (C17, 7.1.3 and 7.31).
const UNRESERVED: [&str; 18] = [
    "bcmp",
    "bcopy",
    "bzero",
    "explicit_bzero",
    "ffs",
    "ffsl",
    "ffsll",
    "htonl",
    "htons",
    "index",
    "ntohl",
    "ntohs",
    "rawmemchr",
    "reallocarray",
    "rindex",
    "stpcpy",
    "stpncpy",
    "valloc",
];

/// Whether a function with the name of one that has a model cannot be the program's own.
pub fn is_reserved(name: &str) -> bool {
    !UNRESERVED.contains(&name)
}

/// Functions of threads that neither wait for others nor make anything of theirs visible.
const THREADS_ALONE: [&str; 18] = [
    "pthread_attr_",
    "pthread_barrier_destroy",
    "pthread_barrier_init",
    "pthread_barrierattr_",
    "pthread_cond_destroy",
    "pthread_cond_init",
    "pthread_condattr_",
    "pthread_equal",
    "pthread_getspecific",
    "pthread_key_",
    "pthread_mutex_destroy",
    "pthread_mutex_init",
    "pthread_mutexattr_",
    "pthread_rwlock_destroy",
    "pthread_rwlock_init",
    "pthread_rwlockattr_",
    "pthread_self",
    "pthread_setspecific",
];

/// Whether other code may run before a function of the system returns, or what other threads wrote may
/// be seen then: it synchronises with threads or processes, sends or waits for signals, or loads code.
pub fn lets_others_run(name: &str) -> bool {
    let of_threads = ["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "aio_", "lio_"];
    let is_alone = |prefix: &&str| name.starts_with(*prefix);
    if of_threads.iter().any(|prefix| name.starts_with(prefix)) {
        return !THREADS_ALONE.iter().any(is_alone);
    }
    matches!(
        name,
        "call_once"
            | "clone"
            | "daemon"
            | "dlclose"
            | "dlopen"
            | "epoll_pwait"
            | "epoll_pwait2"
            | "eventfd_read"
            | "flockfile"
            | "fork"
            | "forkpty"
            | "ftrylockfile"
            | "funlockfile"
            | "gai_suspend"
            | "gsignal"
            | "kill"
            | "killpg"
            | "membarrier"
            | "mq_receive"
            | "mq_timedreceive"
            | "msgrcv"
            | "pause"
            | "pclose"
            | "popen"
            | "posix_spawn"
            | "posix_spawnp"
            | "ppoll"
            | "pselect"
            | "raise"
            | "sched_yield"
            | "semctl"
            | "semop"
            | "semtimedop"
            | "sigblock"
            | "sighold"
            | "sigpause"
            | "sigprocmask"
            | "sigqueue"
            | "sigrelse"
            | "sigsetmask"
            | "sigsuspend"
            | "sigtimedwait"
            | "sigwait"
            | "sigwaitinfo"
            | "syscall"
            | "system"
            | "tgkill"
            | "vfork"
            | "wait"
            | "wait3"
            | "wait4"
            | "waitid"
            | "waitpid"
    )
}

/// Whether a function of the system takes functions to call, but calls none before it returns.
pub fn only_registers(name: &str) -> bool {
    matches!(
        name,
        "at_quick_exit"
            | "atexit"
            | "bsd_signal"
            | "fopencookie"
            | "mq_notify"
            | "on_exit"
            | "pthread_atfork"
            | "pthread_key_create"
            | "sigaction"
            | "signal"
            | "sigset"
            | "ssignal"
            | "sysv_signal"
            | "timer_create"
            | "tss_create"
    )
}

/// Whether a function of the system keeps pointers that it is given, also as ones to `const`, so that
/// other code can have them from the library later.
pub fn keeps_for_others(name: &str) -> bool {
    matches!(
        name,
        "epoll_ctl"
            | "fopencookie"
            | "getopt"
            | "getopt_long"
            | "getopt_long_only"
            | "hsearch"
            | "hsearch_r"
            | "insque"
            | "makecontext"
            | "mq_notify"
            | "on_exit"
            | "pthread_setspecific"
            | "putenv"
            | "timer_create"
            | "tsearch"
            | "tss_set"
    )
}

/// Whether a function of the system runs another program in place of this one.
pub fn executes(name: &str) -> bool {
    name.starts_with("exec") || name == "fexecve"
}

/// Whether a function of the system that is given a pointer to a `const` record only reads what the
/// pointers in the record lead to.
pub fn only_reads(name: &str) -> bool {
    matches!(
        name,
        "writev" | "pwritev" | "pwritev2" | "sendmsg" | "sendmmsg"
    )
}

/// Whether a function of the system calls one that another unit may have put into an object of the
/// library, here `error_print_progname`.
pub fn calls_hook(name: &str) -> bool {
    matches!(name, "error" | "error_at_line")
}

/// Whether a function of the system that is given an object with pointers writes nothing where these
/// lead: it sets them, or keeps them.
pub fn follows_no_pointers(name: &str) -> bool {
    name.starts_with("strto")
        || name.starts_with("wcsto") && name != "wcstok"
        || matches!(
            name,
            "asprintf"
                | "epoll_ctl"
                | "epoll_pwait"
                | "epoll_wait"
                | "getaddrinfo"
                | "gmtime_r"
                | "localtime_r"
                | "posix_memalign"
                | "scandir"
                | "vasprintf"
        )
}

/// Whether a function of the system writes to addresses that it finds in numbers.
pub fn takes_addresses_as_numbers(name: &str) -> bool {
    matches!(name, "ioctl" | "prctl" | "ptrace" | "syscall")
}

/// Whether each pointer that a function of the system returns or writes is NULL, as it was, or leads to
/// memory that the function allocates.
pub fn allocates(name: &str) -> bool {
    matches!(
        name,
        "asprintf"
            | "canonicalize_file_name"
            | "get_current_dir_name"
            | "getaddrinfo"
            | "getdelim"
            | "getline"
            | "posix_memalign"
            | "scandir"
            | "tempnam"
            | "vasprintf"
            | "wcsdup"
    )
}

/// Which argument a function returns that returns NULL or an argument, counted from 0.
pub fn returned_argument(name: &str) -> usize {
    usize::from(name == "realpath")
}

/// Functions whose result is never NULL.
pub const NEVER_RETURN_NULL: &[&str] = &[
    "__xpg_basename",
    "basename",
    "dirname",
    "gai_strerror",
    "gnu_get_libc_version",
    "hstrerror",
    "inet_ntoa",
    "localeconv",
    "nl_langinfo",
    "strerror",
    "strsignal",
];

/// Functions that return a record whose pointers are never NULL (C17 7.11.2.1).
pub const HOLD_NO_NULL: &[&str] = &["localeconv"];

/// The functions of the system that share objects to return pointers to: each call may change what
/// an earlier result leads to.
pub fn static_results(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("__xpg_").unwrap_or(name);
    let by_prefix = [
        ("getpw", "passwd"),
        ("fgetpw", "passwd"),
        ("getgr", "group"),
        ("fgetgr", "group"),
        ("getsp", "shadow"),
        ("sgetsp", "shadow"),
        ("fgetsp", "shadow"),
        ("getalias", "aliases"),
        ("getfs", "mounts"),
        ("getmntent", "mounts"),
        ("gettty", "terminals"),
        ("gethostby", "hosts"),
        ("gethostent", "hosts"),
        ("getservb", "services"),
        ("getservent", "services"),
        ("getprotob", "protocols"),
        ("getprotoent", "protocols"),
        ("getnetb", "networks"),
        ("getnetent", "networks"),
        ("getrpcb", "programs"),
        ("getrpcent", "programs"),
        ("getut", "logins"),
        ("pututx", "logins"),
        ("pututline", "logins"),
        ("readdir", "directories"),
        ("ether_ntoa", "ether"),
        ("ether_aton", "ether addresses"),
    ];
    let found = by_prefix
        .iter()
        .find(|(prefix, _)| name.starts_with(prefix));
    if let Some(&(_, family)) = found {
        return Some(family);
    }
    Some(match name {
        "asctime" | "ctime" | "gmtime" | "localtime" => "time",
        "setpwent" | "endpwent" => "passwd",
        "setgrent" | "endgrent" => "group",
        "sethostent" | "endhostent" => "hosts",
        "closedir" | "rewinddir" | "seekdir" => "directories",
        "basename" | "dirname" => "paths",
        "getenv" | "secure_getenv" | "setenv" | "putenv" | "unsetenv" | "clearenv" => "environment",
        "setlocale" | "localeconv" | "uselocale" | "nl_langinfo" => "locale",
        "strerror" | "strerror_l" | "strsignal" | "hstrerror" | "gai_strerror" | "perror"
        | "psignal" => "messages",
        "dlerror" | "dlopen" | "dlsym" | "dlclose" => "dynamic",
        _ => return STATIC_ALONE.iter().copied().find(|&known| known == name),
    })
}

/// Functions whose results no other function writes over.
const STATIC_ALONE: [&str; 27] = [
    "seed48",
    "tmpnam",
    "inet_ntoa",
    "ttyname",
    "getlogin",
    "crypt",
    "ptsname",
    "ctermid",
    "cuserid",
    "ecvt",
    "fcvt",
    "getmntent",
    "getttyent",
    "getfsent",
    "getusershell",
    "getpass",
    "l64a",
    "fgetln",
    "fts_read",
    "getaliasent",
    "hsearch",
    "getdate",
    "inet_nsap_ntoa",
    "link_ntoa",
    "textdomain",
    "bindtextdomain",
    "gettext",
];

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

impl Program {
    /// Whether a function without a body is one of the C library that keeps to itself: it changes only
    /// what it is given and what the library remembers.
    pub fn keeps_to_itself(&self, function: FunctionId) -> bool {
        self.is_library(function) && !lets_others_run(&self.functions[function].name)
    }

    /// Whether a function without a body, declared by a header of the system, may call functions before
    /// it returns: those that it is given, or one that another unit put into an object of the library.
    pub fn may_call_back(&self, function: FunctionId) -> bool {
        let data = &self.functions[function];
        let Type::Function(ty) = self.types.kind(data.ty) else {
            return false;
        };
        let is_callback = |&ty: &TypeId| self.is_callback(ty);
        let name = data.name.as_str();
        calls_hook(name) || ty.parameters.iter().any(is_callback) && !only_registers(name)
    }

    /// Whether a function without a body, declared by a header of the system, may have functions that it
    /// is given called at some time: before it returns, or later.
    pub fn takes_callbacks(&self, function: FunctionId) -> bool {
        let Type::Function(ty) = self.types.kind(self.functions[function].ty) else {
            return false;
        };
        ty.parameters.iter().any(|&ty| self.is_callback(ty))
    }

    /// Whether functions may be passed by a type: it is that of pointers to functions, or of a record
    /// that holds some or leads to some.
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

    /// Whether the program uses an object of the C library that holds a function which the library calls.
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

    /// What a function of the system shares with others to return pointers to ([`static_results`]): its name,
    /// if nothing is known of it and what it returns is neither a part of an argument nor allocated.
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

    /// The greatest number that the code takes some pointer to be a multiple of, or 1.
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

    /// Whether an object is one of the C library that its functions may change: a header of the system
    /// declares it, and no unit defines it. The standard streams stay what they are.
    pub fn is_changed_by_library(&self, global: &Global) -> bool {
        !is_stream(global) && self.is_object_of_library(global)
    }

    /// Whether an object is one of the C library: a header of the system declares it and no unit defines
    /// it, or it is known by name. One that a unit defines under such a name takes the place of the library's.
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
    /// The functions that run by themselves, before or behind what is tested, with those that they call by
    /// name: constructors and destructors of a program without `main`.
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

    /// Functions, with all that they call by name, and so on.
    pub fn with_callees(&self, mut waiting: Vec<FunctionId>) -> BTreeSet<FunctionId> {
        let mut found = BTreeSet::new();
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
        found
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
