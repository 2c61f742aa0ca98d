//! Facts about functions of the system that their names alone give: what they keep, call, write or
//! return.

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

/// Functions of threads that neither wait for others nor make their writes visible.
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

/// Whether other code may run before a function of the system returns, or what other threads wrote
/// may be seen then: it synchronises with threads or processes, sends or waits for signals, or
/// loads code.
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
            | "dlmopen"
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

/// Whether a function of the system keeps pointers that it is given, also those to `const`, so that
/// other code can get them from the library later.
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

/// Whether a function of the C library keeps no pointer that it is given, behind its return, but in
/// what it returns, and does not print the address.
pub fn forgets_arguments(name: &str) -> bool {
    let name = name.trim_start_matches("__builtin_");
    let name = name.trim_start_matches('_').trim_end_matches("_chk");
    matches!(
        name,
        "atof"
            | "atoi"
            | "atol"
            | "atoll"
            | "bcmp"
            | "bcopy"
            | "bzero"
            | "fgets"
            | "fputs"
            | "fread"
            | "fscanf"
            | "fwrite"
            | "memchr"
            | "memcmp"
            | "memcpy"
            | "memmove"
            | "mempcpy"
            | "memset"
            | "perror"
            | "puts"
            | "read"
            | "scanf"
            | "sscanf"
            | "stpcpy"
            | "strcasecmp"
            | "strcat"
            | "strchr"
            | "strcmp"
            | "strcpy"
            | "strcspn"
            | "strlen"
            | "strncasecmp"
            | "strncat"
            | "strncmp"
            | "strncpy"
            | "strnlen"
            | "strpbrk"
            | "strrchr"
            | "strspn"
            | "strstr"
            | "time"
            | "write"
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

/// Whether a function of the system may end the program, however it is declared.
pub fn may_end_program(name: &str) -> bool {
    matches!(
        name,
        "err" | "errx" | "verr" | "verrx" | "quick_exit" | "error" | "error_at_line"
    )
}

/// Whether a function of the system calls one that another unit may have put into an object of the
/// library, here `error_print_progname`.
pub fn calls_hook(name: &str) -> bool {
    matches!(name, "error" | "error_at_line")
}

/// Whether a function of the system that is given an object with pointers writes nothing through
/// these: it sets them, or keeps them.
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

/// Whether a function of the system writes to addresses that it gets as numbers.
pub fn takes_addresses_as_numbers(name: &str) -> bool {
    matches!(name, "ioctl" | "prctl" | "ptrace" | "syscall")
}

/// Whether each pointer that a function of the system returns or writes is NULL, as it was, or
/// leads to memory that the function allocates.
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

/// The index of the argument that a function returns, if it returns NULL or an argument.
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

/// Functions whose results no other function overwrites.
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
