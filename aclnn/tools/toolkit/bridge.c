/* The bridge between a host program in C or C++ and Python. aclnn/tools/toolkit/__init__.py describes the whole design.
 *
 * This file has five parts. Each exists because the process belongs to the program, not to Python:
 *
 * - Start. The first call loads libpython, starts an interpreter and imports aclnn.tools.toolkit.entry. If the process
 *   has an interpreter already, because Python loaded the program as a library, the bridge joins it. A lock makes other
 *   threads wait for the start. A thread that holds the interpreter lock (GIL) releases it before it waits, as the
 *   starting thread needs it.
 * - Threads. ctypes would make a thread state of Python for each callback and delete it afterwards. The bridge makes
 *   one at the first call of a thread and keeps it until the thread ends. So thread-local data, such as the current
 *   context and the last error text, lasts as long as the thread, and a call is cheap.
 * - Fork. A child has only the thread that forked. The handlers of pthread_atfork take the locks before the fork and
 *   call the fork functions of Python, as os.fork() does. Otherwise a lock that another thread held would stay locked
 *   in the child for ever.
 * - SIGSEGV. Device addresses and handles are addresses of reserved, inaccessible pages. A program that dereferences
 *   one gets a signal. The handler prints which object the address belongs to. Then the program dies as it would
 *   without the handler.
 * - End. The destructor of the library writes the report. It runs after main, atexit functions and static destructors,
 *   which may still call. It needs the exit status of the program, which only on_exit of glibc passes on. If the process
 *   is Python itself, the interpreter has ended by then: the report is written by an atexit function, and every later
 *   call returns 0 and does nothing. The library registers this function when it is loaded.
 *
 * Python.h is not included. Functions of the stable ABI are looked up by name, so one library serves every version of
 * Python.
 *
 * Known limits. A handler for SIGSEGV that the program installs later replaces the one here. The handler runs Python
 * code, which is not async-signal-safe: it relies on the fault being synchronous, and the process ends anyway.
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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include "bridge.h"

extern void *aclnn_table[];
extern const char *const aclnn_prototypes[];

/* filled by aclnn.tools.toolkit.entry.attach */
EXPORTED void *(*aclnn_resolver)(int);
EXPORTED int (*aclnn_finish)(void);
EXPORTED void (*aclnn_explain)(uintptr_t, const void **);
EXPORTED struct { uintptr_t low, high; } aclnn_windows[32];

EXPORTED int aclnn_exit_status = -1; /* -1: exit() was not called, or this C library does not pass the status on */

/* 1 after the report in a process of Python: its interpreter ends, and no call may enter it any more */
EXPORTED int aclnn_over;
EXPORTED int aclnn_running; /* the number of calls that run now */
static int end_with; /* exit status for such a process; 0: its own status */

HIDDEN __thread int aclnn_attached;
HIDDEN __thread int aclnn_ctrl_c; /* 1 if Ctrl-C has interrupted the running call */
HIDDEN __thread struct place aclnn_from; /* the place of the running call */
EXPORTED struct place *aclnn_from_address(void) { return &aclnn_from; }

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
    void *(*bytes)(const char *, intptr_t);
    void *(*frame)(void), *(*back)(void *), *(*code)(void *);
    int (*offset)(void *);
    void (*take)(void *), (*drop)(void *);
    void (*interrupt)(void);
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
    {"PyBytes_FromStringAndSize", &python.bytes, 1},
    {"PyEval_GetFrame", &python.frame, 1},
    {"PyFrame_GetBack", &python.back, 0},
    {"PyFrame_GetCode", &python.code, 0},
    {"PyFrame_GetLasti", &python.offset, 0}, /* from Python 3.11 on */
    {"Py_IncRef", &python.take, 1},
    {"Py_DecRef", &python.drop, 1},
    {"PyErr_SetInterrupt", &python.interrupt, 1},
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

/* A key of the Python stack of the running call: the place, then the address of the code and the offset in the code for
 * each frame from `frame` on. Returns its length; 0 if this Python lacks a function, or if the stack is very deep. The
 * code is C because every call makes a key. */
static int key_of(void *frame, uintptr_t *key)
{
    int used = FRAMES;
    memcpy(key, &aclnn_from, sizeof aclnn_from);
    if (!python.back || !python.code || !python.offset)
        return 0;
    python.take(frame);
    while (frame && used < LONGEST_KEY) {
        void *code = python.code(frame), *back = python.back(frame);
        key[used++] = (uintptr_t)code;
        key[used++] = (uintptr_t)python.offset(frame);
        python.drop(code);
        python.drop(frame);
        frame = back;
    }
    if (frame)
        python.drop(frame);
    return frame ? 0 : used;
}

EXPORTED void *aclnn_stack(void *frame)
{
    uintptr_t key[LONGEST_KEY];
    return python.bytes((const char *)key, (intptr_t)((size_t)key_of(frame, key) * sizeof *key));
}

HIDDEN int aclnn_key_of_call(uintptr_t *key) { return python.frame ? key_of(python.frame(), key) : 0; }
HIDDEN int aclnn_take_python(void) { return python.ensure(); }
HIDDEN void aclnn_leave_python(int state) { python.leave(state); }
HIDDEN void aclnn_keep_codes(const uintptr_t *key, int used, int keep)
{
    for (int at = FRAMES; at < used; at += 2)
        (keep ? python.take : python.drop)((void *)key[at]);
}

/* Try to read the word at this address: EINVAL if it can be read, else EFAULT. The kernel copies a signal mask before it
 * refuses an unknown operation. This system call is faster than process_vm_readv. */
static int probe(uintptr_t word)
{
    return syscall(SYS_rt_sigprocmask, -1L, word, NULL, 8L) == -1 ? errno : 0;
}

/* 1 if all these bytes can be read. 0 also if a sandbox changes the result of `probe`: then Python reads the bytes, as
 * acl_runtime/memory/host.py does. */
HIDDEN int aclnn_readable(uintptr_t from, uintptr_t size)
{
    static int answers; /* 1: as expected; -1: otherwise */
    int known = __atomic_load_n(&answers, __ATOMIC_RELAXED);
    if (!known) {
        known = probe(8) == EFAULT && probe((uintptr_t)&aclnn_windows) == EINVAL ? 1 : -1;
        __atomic_store_n(&answers, known, __ATOMIC_RELAXED);
    }
    if (known < 0 || from < 8 || from + size < from)
        return size == 0;
    for (uintptr_t word = from & ~(uintptr_t)7; word < from + size; word = (word | 4095) + 1)
        if (probe(word) != EINVAL)
            return 0;
    return 1;
}

HIDDEN void *aclnn_new_bytes(const void *from, uintptr_t size) { return python.bytes(from, (intptr_t)size); }

/* The bytes of three ranges of the program's memory, one after the other, as `bytes` of Python. Empty if the program has
 * no such memory, or if the ranges are long. Nearly every tensor of a program comes with three small arrays. Another
 * thread that unmaps the memory between the probe and the copy ends the program, as with the real library. */
enum { LONGEST = 256 };
EXPORTED void *aclnn_bytes(uintptr_t one, uintptr_t size, uintptr_t two, uintptr_t size_two, uintptr_t three,
                           uintptr_t size_three)
{
    char copy[3 * LONGEST];
    if (size > LONGEST || size_two > LONGEST || size_three > LONGEST || !aclnn_readable(one, size) ||
        !aclnn_readable(two, size_two) || !aclnn_readable(three, size_three))
        return python.bytes("", 0);
    memcpy(copy, (const void *)one, size);
    memcpy(copy + size, (const void *)two, size_two);
    memcpy(copy + size + size_two, (const void *)three, size_three);
    return python.bytes(copy, (intptr_t)(size + size_two + size_three));
}

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static int started; /* 0: not yet; 1: Python runs; -1: the start failed */
static __thread int starts; /* 1 while this thread holds `starting` */
/* held around dlsym(): a fork must not happen while another thread holds the lock inside dlsym() */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

/* 1 if there is an interpreter and this thread holds its lock. */
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

/* 1 if all symbols were found and there is an interpreter. */
static int usable(void) { return python.after_child && python.initialized(); }

HIDDEN void *aclnn_release_lock(void) { return !aclnn_over && usable() && python.held() ? python.save() : NULL; }
HIDDEN void aclnn_take_lock(void *state)
{
    if (state)
        python.restore(state);
}

/* Before a fork by C code: wait for a start that another thread is making, as the child could not finish it. Then take
 * the interpreter lock and call PyOS_BeforeFork, as os.fork() does.
 *
 * If this thread holds the interpreter lock already, nothing is done, because Python itself forks: in os.fork() (Python
 * 3.13 hangs if PyOS_BeforeFork is called twice), or to start another program. After the start the mutexes above are not
 * touched any more, because the fork of the thread sanitizer may hold locks of its own. */
static __thread int fork_state, fork_waited, fork_announced;
static void before_fork(void)
{
    int first = !__atomic_load_n(&started, __ATOMIC_ACQUIRE);
    fork_waited = first && !starts && !locked();
    fork_announced = 0;
    if (fork_waited) {
        pthread_mutex_lock(&starting);
        pthread_mutex_lock(&looking);
    }
    if ((fork_waited || !first) && started && usable() && !python.held()) {
        fork_state = python.ensure();
        python.before_fork();
        fork_announced = 1;
    }
    aclnn_hold_descriptors();
    aclnn_hold_events();
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
    aclnn_release_events();
    aclnn_release_descriptors();
    let_start();
    if (fork_announced) {
        python.after_parent();
        python.leave(fork_state);
    }
}
static void after_fork_in_child(void)
{
    aclnn_release_events();
    aclnn_events_of_child();
    aclnn_release_descriptors();
    aclnn_descriptors_of_child();
    let_start();
    aclnn_running = 0; /* the calls of other threads, which the child does not have */
    if (fork_announced) {
        python.after_child();
        python.save(); /* not leave(): that would delete the only thread state, and Python needs one */
    }
}
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Switch off the queue thread of torch_npu, the plugin of PyTorch, in a Python process that loads this library. The
 * plugin launches operators from that thread if TASK_QUEUE_ENABLE is 1, the default, or 2. The queue thread would wait
 * for the interpreter lock, while a thread with this lock may wait for the queue thread: a deadlock. With 0 there is no
 * queue thread. The plugin reads the variable after this constructor has run, because it needs this library. */
__attribute__((constructor)) static void prepare_plugin(void)
{
    static const char queue[] = "TASK_QUEUE_ENABLE";
    int (*initialized)(void);
    void *found = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    memcpy(&initialized, &found, sizeof found);
    if (!initialized || !initialized())
        return;
    const char *value = getenv(queue);
    if (value && strcmp(value, "0") != 0)
        fprintf(stderr,
                "aclnn emulator: advice: %s=%s becomes %s=0 in this process. A queue thread and a thread of Python could "
                "wait for each other here.\n",
                queue, value, queue);
    setenv(queue, "0", 1);
}

/* Register the report of a Python process when the process loads this library. Python runs such functions in the reverse
 * order of their registration. A plugin registers its own clean-up after it has loaded this library, and often before
 * its first call: if the first call registered the report, the clean-up would come too late.
 *
 * Python holds its lock while it loads an extension module. A loading thread without the lock does not wait for it here,
 * as the thread that has it may wait for the loader. Then the first call registers the report. So does the import of
 * acl_runtime/machine/installation.py, if the program has imported it already. */
EXPORTED int aclnn_registered;
__attribute__((constructor)) static void register_report(void)
{
    static const char report[] = "import sys\n"
                                 "if entry := sys.modules.get('aclnn.tools.toolkit.entry'):\n"
                                 "    entry.leave()\n";
    if (!locked() || !look_up(RTLD_DEFAULT))
        return;
    void *modules = python.attribute(python.import("sys"), "modules");
    if (python.truth(python.call(modules, "__contains__", "s", "acl_runtime.machine.installation")))
        return;
    void *run = python.attribute(python.import("builtins"), "exec");
    aclnn_registered = python.call(python.import("atexit"), "register", "Os{}", run, report) != NULL;
    if (!aclnn_registered)
        python.print();
}

/* The host program accessed the address of a device or of a handle, or a call accessed a bad pointer among its
 * arguments: print the address and its object before the program dies. */
static struct sigaction segv_before;
static __thread int explaining;
struct fault { uintptr_t address; const void *frames[DEEP]; /* as of aclnn_interrupted */ };
static void *explain(void *argument)
{
    struct fault *fault = argument;
    aclnn_explain(fault->address, fault->frames);
    return NULL;
}

/* Explain in another thread, because an alternate signal stack may be too small for Python code. */
static void explain_elsewhere(struct fault *fault)
{
    pthread_t thread;
    if (!pthread_create(&thread, NULL, explain, fault))
        pthread_join(thread, NULL);
}

HIDDEN int aclnn_in_window(uintptr_t address)
{
    for (size_t i = 0; i < sizeof aclnn_windows / sizeof *aclnn_windows; i++)
        if (address >= aclnn_windows[i].low && address < aclnn_windows[i].high)
            return 1;
    return 0;
}

static void report_fault(uintptr_t address, const void **frames)
{
    int inside = usable() && python.held(); /* the fault is in the emulator, not in the program's own code */
    if (inside ? !aclnn_from.at[0] : !aclnn_in_window(address))
        return;
    char text[160];
    int size = snprintf(text, sizeof text,
                        inside ? "aclnn emulator: a call was given a pointer with which it touched 0x%lx\n"
                               : "aclnn emulator: the host program dereferenced 0x%lx, which is no host memory\n",
                        (unsigned long)address);
    struct fault fault = {address, {NULL}};
    if (inside)
        memcpy(fault.frames, aclnn_from.at, sizeof aclnn_from.at);
    else
        memcpy(fault.frames, frames, sizeof fault.frames);
    if (write(2, text, (size_t)size) <= 0 || !aclnn_explain || !usable())
        return;
    if (!(segv_before.sa_flags & SA_ONSTACK)) {
        explain(&fault); /* the fault is synchronous, in the program's own code or in ctypes: like an ordinary call */
        return;
    }
    void *state = inside ? python.save() : NULL;
    explain_elsewhere(&fault);
    if (state)
        python.restore(state);
}

HIDDEN void aclnn_fault(int signal, siginfo_t *info, void *context, const void **frames)
{
    int sent = info->si_code <= 0; /* by raise() or kill(), without an address */
    if (!sent && !explaining) {
        explaining = 1;
        report_fault((uintptr_t)info->si_addr, frames);
        explaining = 0;
    }
    if ((segv_before.sa_flags & SA_SIGINFO) && segv_before.sa_sigaction)
        segv_before.sa_sigaction(signal, info, context);
    else {
        sigaction(SIGSEGV, &segv_before, NULL); /* the instruction runs again and ends the program, with a core dump */
        if (sent)
            raise(signal); /* no instruction does it */
    }
}

static void watch(void)
{
    struct sigaction action;
    sigaction(SIGSEGV, NULL, &segv_before);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = aclnn_on_segv;
    action.sa_flags = SA_SIGINFO | (segv_before.sa_flags & SA_ONSTACK); /* an earlier handler needs it for overflows */
    sigaction(SIGSEGV, &action, NULL);
}

/* The first lines of aclnn_python.txt beside the library: executable of Python, libpython, folder of the packages. */
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
    if (known && !python.truth(known) && line[PACKAGES][0]) /* first, so that a clone comes before an installed copy */
        done = python.call(path, "insert", "is", 0, line[PACKAGES]);
    void *entry = done ? python.import("aclnn.tools.toolkit.entry") : NULL;
    void *good = entry ? python.call(entry, "attach", "s", self) : NULL;
    return good ? python.truth(good) : not_started();
}

/* Set up the interpreter after `import_entry`. `where`: the function of `entry` for this interpreter. */
static void set_up(const char *where)
{
    void *entry = python.import("aclnn.tools.toolkit.entry");
    if (entry)
        python.call(entry, where, NULL);
}

/* Import `entry` into an interpreter that the bridge started. The module `signal` would take SIGINT, which belongs to the
 * program. BLAS would start a thread for each core, and these threads would keep the process alive after its own threads
 * have ended. Tasks of large tensors use the option `threads` of the machine (acl_runtime/streams/blas_threads.py). */
static int import_quietly(void)
{
    static const char threads[] = "OPENBLAS_NUM_THREADS";
    struct sigaction interrupt;
    int set = getenv(threads) == NULL && setenv(threads, "1", 1) == 0;
    sigaction(SIGINT, NULL, &interrupt);
    int good = python.import("signal") ? import_entry() : not_started();
    if (good)
        set_up("alone");
    sigaction(SIGINT, &interrupt, NULL);
    if (set)
        unsetenv(threads);
    return good;
}

static int start(void)
{
    if (aclnn_resolver) { /* Python loaded this library and has called `attach` already */
        if (dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
            look_up(RTLD_DEFAULT);
        watch();
        aclnn_watch_joins();
        return 1;
    }
    int lines = read_lines(), state = 0, mine = 0;
    void *library = RTLD_DEFAULT; /* RTLD_DEFAULT is NULL, so a test for NULL would mislead */
    if (!dlsym(RTLD_DEFAULT, "Py_IsInitialized")) {
        const char *name = getenv("ACL_EMULATOR_LIBPYTHON");
        name = name ? name : line[LIBRARY];
        library = name[0] ? dlopen(name, RTLD_NOW | RTLD_GLOBAL) : NULL; /* GLOBAL: modules need its symbols */
        if (!library) {
            fprintf(stderr, "aclnn emulator: cannot load Python (%s): %s; every call fails with 500000\n", name,
                    name[0]  ? dlerror()
                    : lines  ? "that Python has no shared library; run the program with `aclnn run`"
                             : "its path is not known; write the toolkit again: aclnn toolkit DIR");
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
        aclnn_python_below = 0;
        good = import_quietly();
    } else {
        state = python.ensure();
        good = import_entry();
        if (good) {
            set_up("beside_a_program");
            aclnn_watch_joins();
        }
    }
    if (good)
        watch();
    if (mine)
        python.save();
    else
        python.leave(state);
    return good;
}

/* Store the exit status of the program, which a destructor of a library does not get. The first call registers this
 * function: if the constructor of the library registered it, it would run after all destructors. */
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

/* Start Python if no thread has done so. pthread_once would deadlock: a thread that holds the interpreter lock must
 * release it before it waits for the starting thread, which needs the lock. */
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
    void *callback = aclnn_resolver(number); /* an undefined value if Python was interrupted (KeyboardInterrupt) */
    void *slot = __atomic_load_n(&aclnn_table[number], __ATOMIC_ACQUIRE);
    if (callback && !slot && !aclnn_ctrl_c)
        fprintf(stderr, "aclnn emulator: the lookup of `%s` was interrupted; this call fails with 500000\n",
                aclnn_prototypes[number]);
    return slot;
}

/* Python handles Ctrl-C where its code runs, and this may be the code of a call. So the program gets it again behind the
 * call. */
EXPORTED void aclnn_note_interrupt(void) { aclnn_ctrl_c = 1; }
HIDDEN void aclnn_interrupt(void)
{
    aclnn_ctrl_c = 0;
    python.interrupt();
}

/* A thread keeps one thread state of Python for its whole life. Otherwise every callback would make and delete a state,
 * and data in threading.local() would be lost after each call. __cxa_thread_atexit_impl registers the function that
 * deletes the state. A pthread key would not work: glibc clears the key of Python before a later key is destroyed. */
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle HIDDEN;

static void detach(void *unused)
{
    (void)unused;
    aclnn_attached = 0; /* after exit() in this thread, functions that run later may call again */
    if (!aclnn_over && usable()) {
        python.ensure();
        python.leave(0); /* 0: as if the lock had been held before, so this thread keeps the lock */
        python.leave(1); /* 1: undoes the ensure() of aclnn_attach; deletes the state and releases the lock */
    }
}

HIDDEN int aclnn_known_to_python(void) { return aclnn_attached || !python.state || python.state(); }

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

/* Wait, when the interpreter of a Python process ends, until other threads have left it: Python kills a thread that
 * waits for the lock of an ended interpreter. The caller has released this lock. A call of another thread may never
 * return, so the wait is limited to a second. */
EXPORTED void aclnn_end(int status)
{
    static const struct timespec step = {0, 100000};
    end_with = status;
    __atomic_store_n(&aclnn_over, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 10000 && __atomic_load_n(&aclnn_running, __ATOMIC_SEQ_CST) > 0; i++)
        nanosleep(&step, NULL);
}

/* This runs after main, static destructors and atexit functions, which may still call. Python is never finalised, as
 * other threads may still run and call. */
__attribute__((destructor)) static void finish(void)
{
    if (started <= 0 || !aclnn_finish)
        return;
    int status = 0;
    if (aclnn_over)
        status = aclnn_exit_status ? 0 : end_with; /* Python's own failure stays visible */
    else if (usable())
        status = aclnn_finish();
    if (status) {
        fflush(NULL);
        _exit(status);
    }
}
