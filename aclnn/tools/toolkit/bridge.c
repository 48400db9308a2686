/* Between a program in C and Python: finds or starts an interpreter at the first call, keeps a thread attached for its
 * whole life, lets processes fork, says which device address a program dereferenced, and tells at the end what was
 * found.
 *
 * No Python.h: only functions of the stable ABI, looked up by name, so one library serves every version of Python.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

extern void *aclnn_table[];
extern const char *const aclnn_prototypes[];

/* filled by aclnn.tools.toolkit.entry.attach */
EXPORTED void *(*aclnn_resolver)(int);
EXPORTED int (*aclnn_finish)(void);
EXPORTED void (*aclnn_explain)(uintptr_t, uintptr_t);
EXPORTED struct { uintptr_t low, high; } aclnn_windows[32];

EXPORTED int aclnn_exit_status = -1; /* -1: exit() was not called, or this C library does not pass it on */

HIDDEN __thread int aclnn_attached;
HIDDEN __thread const void *aclnn_from; /* where the call that runs came from */
EXPORTED const void **aclnn_from_address(void) { return &aclnn_from; }

static struct {
    int (*initialized)(void);
    void (*initialize)(int);
    void (*set_name)(const wchar_t *);
    wchar_t *(*decode)(const char *, size_t *);
    void *(*import)(const char *);
    void *(*attribute)(void *, const char *);
    void *(*call)(void *, const char *, const char *, ...);
    void (*print)(void);
    int (*truth)(void *);
    void *(*save)(void);
    void (*restore)(void *);
    int (*ensure)(void);
    void (*leave)(int);
    int (*held)(void);
    void *(*state)(void);
    void (*before_fork)(void), (*after_parent)(void), (*after_child)(void);
} python;

static const struct { const char *name; void *place; int needed; } SYMBOLS[] = {
    {"Py_IsInitialized", &python.initialized, 1},
    {"Py_InitializeEx", &python.initialize, 1},
    {"Py_SetProgramName", &python.set_name, 0},
    {"Py_DecodeLocale", &python.decode, 1},
    {"PyImport_ImportModule", &python.import, 1},
    {"PyObject_GetAttrString", &python.attribute, 1},
    {"PyObject_CallMethod", &python.call, 1},
    {"PyErr_Print", &python.print, 1},
    {"PyObject_IsTrue", &python.truth, 1},
    {"PyEval_SaveThread", &python.save, 1},
    {"PyEval_RestoreThread", &python.restore, 1},
    {"PyGILState_Ensure", &python.ensure, 1},
    {"PyGILState_Release", &python.leave, 1},
    {"PyGILState_Check", &python.held, 1},
    {"PyGILState_GetThisThreadState", &python.state, 1},
    {"PyOS_BeforeFork", &python.before_fork, 1},
    {"PyOS_AfterFork_Parent", &python.after_parent, 1},
    {"PyOS_AfterFork_Child", &python.after_child, 1},
};

static int look_up(void *library)
{
    for (size_t i = 0; i < sizeof SYMBOLS / sizeof *SYMBOLS; i++) {
        void *found = dlsym(library, SYMBOLS[i].name);
        if (!found && SYMBOLS[i].needed) {
            fprintf(stderr, "aclnn emulator: this Python has no %s; every call fails with 500000\n", SYMBOLS[i].name);
            return 0;
        }
        memcpy(SYMBOLS[i].place, &found, sizeof found);
    }
    return 1;
}

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static int started; /* 0 not yet, 1 yes, -1 in vain */
static __thread int starts; /* does this thread hold `starting`? */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER; /* dlsym() in a child waits for one that a fork cut off */

/* Does this thread hold the lock of whatever interpreter there is? */
static int locked(void)
{
    pthread_mutex_lock(&looking);
    int (*initialized)(void), (*held)(void);
    void *found = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    memcpy(&initialized, &found, sizeof found);
    found = dlsym(RTLD_DEFAULT, "PyGILState_Check"), memcpy(&held, &found, sizeof found);
    pthread_mutex_unlock(&looking);
    return initialized && held && initialized() && held();
}

/* Have all the symbols been found, and is there an interpreter? */
static int usable(void) { return python.after_child && python.initialized(); }

/* A fork by C code: wait for a start that is under way, as a child cannot end it; then hold the interpreter's lock and
 * tell Python, as os.fork() does. Where this thread holds that lock already, it is os.fork() itself (to do all that
 * twice hangs Python 3.13), or Python runs a program. Once all has started no lock of ours is touched: the thread
 * sanitizer's fork may hold its own. */
static __thread int fork_state, fork_waited, fork_told;
static void before_fork(void)
{
    int first = !__atomic_load_n(&started, __ATOMIC_ACQUIRE);
    fork_waited = first && !starts && !locked();
    fork_told = 0;
    if (fork_waited) {
        pthread_mutex_lock(&starting);
        pthread_mutex_lock(&looking);
    }
    if ((fork_waited || !first) && started && usable() && !python.held()) {
        fork_state = python.ensure();
        python.before_fork();
        fork_told = 1;
    }
}
static void let_start(void)
{
    if (fork_waited) {
        pthread_mutex_unlock(&looking);
        pthread_mutex_unlock(&starting);
    }
}
static void after_fork_in_parent(void)
{
    let_start();
    if (fork_told) {
        python.after_parent();
        python.leave(fork_state);
    }
}
static void after_fork_in_child(void)
{
    let_start();
    if (fork_told) {
        python.after_child();
        python.save(); /* not leave(): the state of this thread is the only one, and Python cannot be without any */
    }
}
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* The host touched a device's or a handle's address, or a call did so with a pointer that it was given: say which
 * before the program dies as it would have. */
static struct sigaction segv_before;
static __thread int explaining;
static uintptr_t instruction(void *context)
{
#if defined __x86_64__
    return (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
#else
    return 0 * (uintptr_t)context;
#endif
}

struct fault { uintptr_t address, at; };
static void *explain(void *given)
{
    const struct fault *fault = given;
    aclnn_explain(fault->address, fault->at);
    return NULL;
}

/* The stack of a signal handler may be too small for Python: ask in a thread then. */
static void explain_elsewhere(struct fault *fault)
{
    pthread_t thread;
    if (!pthread_create(&thread, NULL, explain, fault))
        pthread_join(thread, NULL);
}

static int in_window(uintptr_t address)
{
    for (size_t i = 0; i < sizeof aclnn_windows / sizeof *aclnn_windows; i++)
        if (address >= aclnn_windows[i].low && address < aclnn_windows[i].high)
            return 1;
    return 0;
}

static void tell_fault(uintptr_t address, void *context)
{
    int inside = usable() && python.held(); /* Python runs, not the program */
    if (inside ? !aclnn_from : !in_window(address))
        return;
    char text[160];
    int size = snprintf(text, sizeof text,
                        inside ? "aclnn emulator: a call was given a pointer with which it touched 0x%lx\n"
                               : "aclnn emulator: the host program dereferenced 0x%lx, which is no host memory\n",
                        (unsigned long)address);
    struct fault fault = {address, inside ? (uintptr_t)aclnn_from - 1 : instruction(context)};
    if (write(2, text, (size_t)size) <= 0 || !aclnn_explain || !usable())
        return;
    if (!(segv_before.sa_flags & SA_ONSTACK)) {
        explain(&fault); /* synchronous, in the program's own code or in ctypes: as good as a call */
        return;
    }
    void *state = inside ? python.save() : NULL;
    explain_elsewhere(&fault);
    if (state)
        python.restore(state);
}

static void on_segv(int signal, siginfo_t *info, void *context)
{
    if (!explaining) {
        explaining = 1;
        tell_fault((uintptr_t)info->si_addr, context);
        explaining = 0;
    }
    if ((segv_before.sa_flags & SA_SIGINFO) && segv_before.sa_sigaction)
        segv_before.sa_sigaction(signal, info, context);
    else
        sigaction(SIGSEGV, &segv_before, NULL); /* the instruction runs again: a normal death, with its core */
}

static void watch(void)
{
    struct sigaction action;
    sigaction(SIGSEGV, NULL, &segv_before);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_segv;
    action.sa_flags = SA_SIGINFO | (segv_before.sa_flags & SA_ONSTACK); /* who tells of stack overflows needs it */
    sigaction(SIGSEGV, &action, NULL);
}

/* The lines of the file beside the library: Python's executable, its library, the folder of the packages. */
enum { EXECUTABLE, LIBRARY, PACKAGES, LINES };
static char line[LINES][4096], self[4096];

static int read_lines(void)
{
    Dl_info info;
    char path[4200];
    if (!dladdr((void *)read_lines, &info) || !realpath(info.dli_fname, self))
        return 0;
    char *end = strrchr(self, '/');
    snprintf(path, sizeof path, "%.*s/aclnn_python.txt", (int)(end - self), self);
    FILE *file = fopen(path, "re");
    if (!file) {
        fprintf(stderr, "aclnn emulator: %s: %s\n", path, strerror(errno));
        return 0;
    }
    for (int i = 0; i < LINES; i++) {
        if (!fgets(line[i], sizeof line[i], file))
            line[i][0] = 0;
        line[i][strcspn(line[i], "\n")] = 0;
    }
    fclose(file);
    return 1;
}

static int not_started(void)
{
    python.print();
    fprintf(stderr, "aclnn emulator: its Python part did not start (%s); every call fails with 500000\n",
            line[EXECUTABLE]);
    return 0;
}

static int import_entry(void)
{
    void *sys = python.import("sys"), *path = sys ? python.attribute(sys, "path") : NULL;
    void *known = path ? python.call(path, "count", "s", line[PACKAGES]) : NULL, *done = path;
    if (known && !python.truth(known) && line[PACKAGES][0]) /* a clone: before another copy that is installed */
        done = python.call(path, "insert", "is", 0, line[PACKAGES]);
    void *entry = done ? python.import("aclnn.tools.toolkit.entry") : NULL;
    void *good = entry ? python.call(entry, "attach", "s", self) : NULL;
    return good ? python.truth(good) : not_started();
}

/* In an interpreter of ours: the module signal takes SIGINT, which is the program's; and BLAS, which nobody here uses,
 * has a thread for each core, which would keep a process alive whose own threads have all ended. */
static int import_quietly(void)
{
    static const char threads[] = "OPENBLAS_NUM_THREADS";
    struct sigaction interrupt;
    int set = getenv(threads) == NULL && setenv(threads, "1", 1) == 0;
    sigaction(SIGINT, NULL, &interrupt);
    int good = python.import("signal") ? import_entry() : not_started();
    sigaction(SIGINT, &interrupt, NULL);
    if (set)
        unsetenv(threads);
    return good;
}

static int start(void)
{
    if (aclnn_resolver) { /* Python loaded this library and has attached it already */
        if (dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
            look_up(RTLD_DEFAULT);
        watch();
        return 1;
    }
    int lines = read_lines(), state = 0, mine = 0;
    void *library = RTLD_DEFAULT; /* which is NULL: not to be tested */
    if (!dlsym(RTLD_DEFAULT, "Py_IsInitialized")) {
        const char *name = getenv("ACL_EMULATOR_LIBPYTHON");
        name = name ? name : line[LIBRARY];
        library = name[0] ? dlopen(name, RTLD_NOW | RTLD_GLOBAL) : NULL; /* GLOBAL: modules need its symbols */
        if (!library) {
            fprintf(stderr, "aclnn emulator: cannot load Python (%s): %s; every call fails with 500000\n", name,
                    name[0]  ? dlerror()
                    : lines  ? "that Python has no shared library; run the program with `aclnn run`"
                             : "nothing tells where it is; write the toolkit again: aclnn toolkit DIR");
            return 0;
        }
    }
    if (!look_up(library))
        return 0;
    int good;
    if (!python.initialized()) {
        if (python.set_name && line[EXECUTABLE][0])
            python.set_name(python.decode(line[EXECUTABLE], NULL)); /* so that a virtual environment is found */
        python.initialize(0); /* 0: the process keeps its signal handlers */
        mine = 1;
        good = import_quietly();
    } else {
        state = python.ensure();
        good = import_entry();
    }
    if (good)
        watch();
    if (mine)
        python.save();
    else
        python.leave(state);
    return good;
}

/* The destructor of a library does not get the status that the program exits with. Registered at the first call, as
 * what a constructor of a library registers runs behind all destructors. */
static void keep_status(int status, void *unused)
{
    (void)unused;
    aclnn_exit_status = status & 0xff;
}
static void watch_exit(void)
{
#ifdef __GLIBC__
    on_exit(keep_status, NULL);
#endif
}

/* Not pthread_once: a thread that holds the interpreter's lock must not wait for one that needs it. */
static int ready(void)
{
    int now = __atomic_load_n(&started, __ATOMIC_ACQUIRE);
    if (now)
        return now > 0;
    void *(*save)(void), *state = NULL, *found;
    void (*restore)(void *) = NULL;
    if (locked()) {
        found = dlsym(RTLD_DEFAULT, "PyEval_SaveThread"), memcpy(&save, &found, sizeof found);
        found = dlsym(RTLD_DEFAULT, "PyEval_RestoreThread"), memcpy(&restore, &found, sizeof found);
        state = save();
    }
    pthread_mutex_lock(&starting);
    starts = 1;
    if (!started) {
        watch_exit();
        __atomic_store_n(&started, start() ? 1 : -1, __ATOMIC_RELEASE);
    }
    starts = 0;
    pthread_mutex_unlock(&starting);
    if (state)
        restore(state);
    return started > 0;
}

HIDDEN void *aclnn_resolve(int number)
{
    if (!ready())
        return NULL;
    if (!aclnn_resolver) {
        fprintf(stderr, "aclnn emulator: %s was replaced when it started; this call fails with 500000\n", self);
        return NULL;
    }
    void *made = aclnn_resolver(number); /* anything if Python was interrupted (KeyboardInterrupt) */
    void *slot = __atomic_load_n(&aclnn_table[number], __ATOMIC_ACQUIRE);
    if (made && !slot)
        fprintf(stderr, "aclnn emulator: `%s` was not found in time; this call fails with 500000\n",
                aclnn_prototypes[number]);
    return slot;
}

/* A thread has one Python thread state for all its life: otherwise every callback makes and destroys one (9 us instead
 * of 0.4), and what threading.local() keeps is gone after each call. It is given back by __cxa_thread_atexit_impl and
 * not by a pthread key, as glibc clears Python's own key before the destructor of a later one runs. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle HIDDEN;

static void detach(void *unused)
{
    (void)unused;
    aclnn_attached = 0; /* exit() in this thread: what runs then may call again */
    if (usable()) {
        python.ensure();
        python.leave(0); /* as if the lock had been held before: it is kept */
        python.leave(1); /* the ensure() of aclnn_attach: the state goes, then the lock */
    }
}

HIDDEN void aclnn_attach(void)
{
    int good = ready();
    aclnn_attached = 1;
    if (!good || !python.state || python.state())
        return;
    python.ensure();
    python.save();
    __cxa_thread_atexit_impl(detach, NULL, &__dso_handle);
}

/* After main, static destructors and atexit functions: they may still call. Python is never finalised, so that threads
 * which go on meanwhile find it. */
__attribute__((destructor)) static void finish(void)
{
    if (started <= 0 || !aclnn_finish || !usable())
        return;
    int status = aclnn_finish();
    if (status) {
        fflush(NULL);
        _exit(status);
    }
}
