/* Helper threads, and scratch memory of each thread.
 *
 * The process has one pool of helpers. The caller also runs jobs, and never waits for a sleeping helper: threads take
 * jobs one by one, and at the end the caller waits only for helpers that have taken some. Each thread begins with its
 * own share of the jobs. The share is the same in the next call, so its data may be in the cache of the thread's core.
 *
 * Waking a thread takes as long as the arithmetic of a medium tensor. So a helper spins for a short time before it
 * sleeps, and the caller spins while it waits for the last helper, if there is a core for each thread. If another
 * caller uses the pool, a caller runs all jobs alone. After fork the child has no helpers, and creates new ones. */
#define _GNU_SOURCE
#include "internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };
/* Nanoseconds. Between two calls Python takes 50 to 250 microseconds. Helpers spin for LONG_SPIN if the last pause between
 * two calls was shorter, as the next one probably is, too. */
enum { SPIN = 100000, LONG_SPIN = 250000 };

/* The jobs that one thread takes first, in a separate cache line. */
struct share { _Alignas(64) atomic_llong next; int64_t end; };
struct batch {
    job job;
    void *about;
    int64_t threads;
    struct share share[MAX_THREADS];
};

static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;  /* held by the caller that uses the pool */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;   /* guards the variables below */
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER, left = PTHREAD_COND_INITIALIZER;
static struct batch *current;
static int64_t helpers_needed, helpers;
static atomic_llong active, posts;  /* also read without the lock */
static int64_t last_end;            /* the time at which the last call ended */
static int64_t idle_spin;           /* nanoseconds that helpers spin until the next call */
static int64_t cores;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

/* Run the share of this thread, then the jobs of other shares that are not taken. */
static void work(struct batch *batch, int64_t thread) {
    for (int64_t i = 0; i < batch->threads; i++) {
        struct share *share = batch->share + (thread + i) % batch->threads;
        for (int64_t number; (number = atomic_fetch_add(&share->next, 1)) < share->end;)
            batch->job(batch->about, number);
    }
}

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Spin for some nanoseconds while the count has this value. The lock is released, as other threads need it. */
static void spin(atomic_llong *count, long long value, int64_t time) {
    if (helpers_needed >= cores || atomic_load(count) != value) return;
    pthread_mutex_unlock(&lock);
    for (int64_t end = nanoseconds() + time; atomic_load(count) == value && nanoseconds() < end;) {
#if defined(__x86_64__)
        for (int i = 0; i < 16; i++) __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&lock);
}

static void *run_helper(void *argument) {
    int64_t number = (int64_t)(intptr_t)argument;
    long long seen = 0;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!current || posts == seen || number >= helpers_needed) pthread_cond_wait(&posted, &lock);
        struct batch *batch = current;
        seen = posts;
        active++;
        pthread_mutex_unlock(&lock);
        work(batch, number + 1);
        pthread_mutex_lock(&lock);
        if (!--active) pthread_cond_signal(&left);
        spin(&posts, seen, idle_spin);
    }
    return 0;
}

static void in_child(void) {
    pthread_mutex_init(&taken, 0);
    pthread_mutex_init(&lock, 0);
    pthread_cond_init(&posted, 0);
    pthread_cond_init(&left, 0);
    current = 0;
    helpers_needed = helpers = active = 0;
}

static void prepare(void) {
    pthread_atfork(0, 0, in_child);
    pthread_key_create(&key, free);
    cores = sysconf(_SC_NPROCESSORS_ONLN);
}

/* Create helpers until there are `count`, or the system allows no more threads. */
static void create_helpers(int64_t count) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    while (helpers < count && !pthread_create(&thread, &attributes, run_helper, (void *)(intptr_t)helpers)) helpers++;
    pthread_attr_destroy(&attributes);
}

void each_job(int64_t count, int64_t threads, job job, void *about) {
    threads = min_of(min_of(threads, count), MAX_THREADS);
    pthread_once(&once, prepare);
    if (threads < 2 || pthread_mutex_trylock(&taken)) {
        for (int64_t number = 0; number < count; number++) job(about, number);
        return;
    }
    struct batch batch = {.job = job, .about = about, .threads = threads};
    for (int64_t i = 0; i < threads; i++) {
        atomic_init(&batch.share[i].next, count * i / threads);
        batch.share[i].end = count * (i + 1) / threads;
    }
    pthread_mutex_lock(&lock);
    create_helpers(threads - 1);
    idle_spin = nanoseconds() - last_end < LONG_SPIN ? LONG_SPIN : SPIN;
    current = &batch;
    helpers_needed = threads - 1;
    posts++;
    pthread_cond_broadcast(&posted);
    pthread_mutex_unlock(&lock);
    work(&batch, 0);
    pthread_mutex_lock(&lock);
    current = 0;
    if (active) spin(&active, active, SPIN);
    while (active) pthread_cond_wait(&left, &lock);
    last_end = nanoseconds();
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&taken);
}

/* The first cache line of a thread's scratch memory has its size. */
void *scratch(int64_t bytes) {
    pthread_once(&once, prepare);
    char *mine = pthread_getspecific(key);
    if (mine && *(int64_t *)mine >= bytes) return mine + 64;
    free(mine);
    mine = aligned_alloc(64, (size_t)(bytes + 64 + 63) / 64 * 64);
    pthread_setspecific(key, mine);
    if (!mine) return 0;
    *(int64_t *)mine = bytes;
    return mine + 64;
}
