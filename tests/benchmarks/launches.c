/* Launches of aclnnAdd from C, each with its own three tensors and scalar; tests/benchmarks/launches.py runs it. The
 * argument is the number of launches in a round. Each line of the output is a part with its least microseconds of the
 * processor. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"

enum { ROUNDS = 12, TENSORS = 3, MOST = 4000 };
static const char *const PARTS[] = {"create 3 tensors and a scalar", "first phase", "second phase",
                                    "destroy 3 tensors and a scalar", "synchronise, with the tasks"};
enum { CREATE, FIRST, SECOND, DESTROY, WAIT, ALL };

static void *memory[TENSORS];
static aclrtStream stream;
static aclTensor *tensors[MOST][TENSORS];
static aclScalar *scalars[MOST];
static aclOpExecutor *executors[MOST];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void check(int status)
{
    if (status != 0) {
        fprintf(stderr, "a call returned %d\n", status);
        exit(1);
    }
}

static void run(int part, int at)
{
    const int64_t shape[] = {8}, strides[] = {1};
    float one = 1;
    uint64_t size;
    switch (part) {
    case CREATE:
        for (int i = 0; i < TENSORS; i++)
            tensors[at][i] =
                aclCreateTensor(shape, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 1, memory[i]);
        scalars[at] = aclCreateScalar(&one, ACL_FLOAT);
        break;
    case FIRST:
        check(aclnnAddGetWorkspaceSize(tensors[at][0], tensors[at][1], scalars[at], tensors[at][2], &size,
                                       &executors[at]));
        break;
    case SECOND:
        check(aclnnAdd(NULL, 0, executors[at], stream));
        break;
    case DESTROY:
        for (int i = 0; i < TENSORS; i++)
            check(aclDestroyTensor(tensors[at][i]));
        check(aclDestroyScalar(scalars[at]));
    }
}

int main(int count, char **arguments)
{
    int launches = count > 1 ? atoi(arguments[1]) : 1000;
    double best[ALL + 1];
    launches = launches < MOST ? launches : MOST;
    check(aclInit(NULL));
    check(aclrtSetDevice(0));
    check(aclrtCreateStream(&stream));
    for (int i = 0; i < TENSORS; i++) {
        check(aclrtMalloc(&memory[i], 64, ACL_MEM_MALLOC_HUGE_FIRST));
        check(aclrtMemset(memory[i], 64, 0, 64));
    }
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int at = 0; at < launches; at++)
            for (int part = CREATE; part < WAIT; part++)
                run(part, at);
        check(aclrtSynchronizeStream(stream));
        double whole = now() - begin;
        best[ALL] = round == 0 || whole < best[ALL] ? whole : best[ALL];
        for (int part = CREATE; part <= WAIT; part++) {
            begin = now();
            for (int at = 0; at < launches && part < WAIT; at++)
                run(part, at);
            if (part == WAIT)
                check(aclrtSynchronizeStream(stream));
            double took = now() - begin;
            best[part] = round == 0 || took < best[part] ? took : best[part];
        }
    }
    printf("a launch with its descriptors\t%.2f\n", best[ALL] / launches);
    for (int part = CREATE; part < ALL; part++)
        printf("%s\t%.2f\n", PARTS[part], best[part] / launches);
    for (int i = 0; i < TENSORS; i++)
        check(aclrtFree(memory[i]));
    check(aclrtDestroyStream(stream));
    check(aclrtResetDevice(0));
    return aclFinalize();
}
