/* Threads that wait for the end of another thread, in a process of Python.
 *
 * A plugin of PyTorch joins its threads, and keeps Python's lock meanwhile. The last calls of such a thread need the lock
 * here, and so does the end of a thread that has called: both threads would wait for ever. So a thread that joins another
 * one by std::thread::join releases the lock, and takes it back afterwards.
 *
 * std::thread::join is a function of libstdc++. It calls pthread_join through a table of pointers, as a shared library
 * calls every function of another one. `aclnn_watch_joins` replaces this pointer.
 *
 * Rejected. A function `pthread_join` of this library: libstdc++ finds that of the C library first. LD_PRELOAD: all
 * programs that the process starts would inherit it. Answers in C for the calls of such a thread: each would be a second
 * copy of a rule.
 *
 * Known limits. A thread that waits in another way, such as for a condition, keeps the lock. So does one whose
 * libstdc++ is part of another library, or is loaded after the first call. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bridge.h"

static const char replaced[] = "pthread_join";

static int join(pthread_t thread, void **result)
{
    void *state = aclnn_release_lock();
    int status = pthread_join(thread, result);
    aclnn_take_lock(state);
    return status;
}

/* The pages that the loader has made read-only after it had filled the tables: whole ones. */
static int sealed(const struct dl_phdr_info *library, uintptr_t address, uintptr_t size)
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t start = library->dlpi_addr + part->p_vaddr, end = (start + part->p_memsz) & ~(size - 1);
        if (part->p_type == PT_GNU_RELRO && address >= start && address < end)
            return 1;
    }
    return 0;
}

static void replace(const struct dl_phdr_info *library, uintptr_t slot)
{
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)(slot & ~(size - 1));
    int (*ours)(pthread_t, void **) = join;
    void *value;
    memcpy(&value, &ours, sizeof value);
    if (!sealed(library, slot, size)) {
        __atomic_store_n((void **)slot, value, __ATOMIC_RELEASE);
    } else if (mprotect(page, size, PROT_READ | PROT_WRITE) == 0) {
        __atomic_store_n((void **)slot, value, __ATOMIC_RELEASE);
        mprotect(page, size, PROT_READ);
    }
}

/* An address of the dynamic section. The loader of glibc has added the address of the library, that of musl has not. */
static uintptr_t of_library(const struct dl_phdr_info *library, uintptr_t address)
{
    return address < library->dlpi_addr ? address + library->dlpi_addr : address;
}

static void replace_in(const struct dl_phdr_info *library, const ElfW(Dyn) *dynamic)
{
    uintptr_t tables[2] = {0, 0}, sizes[2] = {0, 0}, symbols = 0, names = 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t value = dynamic->d_un.d_val;
        switch (dynamic->d_tag) {
        case DT_JMPREL: tables[0] = of_library(library, value); break;
        case DT_PLTRELSZ: sizes[0] = value; break;
        case DT_RELA: tables[1] = of_library(library, value); break;
        case DT_RELASZ: sizes[1] = value; break;
        case DT_SYMTAB: symbols = of_library(library, value); break;
        case DT_STRTAB: names = of_library(library, value); break;
        }
    }
    for (int i = 0; symbols && names && i < 2; i++) {
        const ElfW(Rela) *one = (const void *)tables[i];
        for (uintptr_t left = tables[i] ? sizes[i] / sizeof *one : 0; left > 0; left--, one++) {
            const ElfW(Sym) *symbol = (const ElfW(Sym) *)symbols + ELF64_R_SYM(one->r_info);
            if (strcmp((const char *)names + symbol->st_name, replaced) == 0)
                replace(library, library->dlpi_addr + one->r_offset);
        }
    }
}

static int look(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(library->dlpi_name, "/libstdc++.so"))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            replace_in(library, (const void *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr));
    return 0;
}

HIDDEN void aclnn_watch_joins(void) { dl_iterate_phdr(look, NULL); }
