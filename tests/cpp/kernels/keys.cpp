// Memory and notifies that two processes share by keys: with a list of processes, and without one.
#include "processes.h"

static const size_t SIZE = sizeof(int), LENGTH = 65;
static const int NUMBER = 123;
static const uint64_t ANYBODY = 2;  // of aclrtNotifyGetExportKey

struct Message {
    int32_t pid;
    char key[LENGTH];
};

static int export_memory(void *address, bool listed, int32_t pid, Message &message)
{
    const auto flag = listed ? ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT : ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
    CHECK(aclrtIpcMemGetExportKey(address, SIZE, message.key, LENGTH, flag));
    if (listed) {
        CHECK(aclrtIpcMemSetImportPid(message.key, &pid, 1));
    }
    return 0;
}

// Process A writes, and exports the memory.
static int offer_memory(int to, int from)
{
    int32_t pid = 0;
    CHECK(begin());
    CHECK(!receives(from, pid));
    for (bool listed : {true, false}) {
        OnDevice<int> x(0);
        Message message = {};
        char done = 0;
        WriteDo(1, nullptr, x.address, NUMBER);
        CHECK(aclrtSynchronizeStream(nullptr));
        CHECK(export_memory(x.address, listed, pid, message));
        CHECK(!sends(to, message));
        CHECK(!receives(from, done));
        CHECK(aclrtIpcMemClose(message.key));
    }
    return end();
}

// Process B imports the memory, and reads it.
int memory_importer(int, char **)
{
    const Pipes pipes;
    int32_t pid = 0;
    CHECK(begin());
    CHECK(aclrtDeviceGetBareTgid(&pid));
    CHECK(!sends(pipes.to, pid));
    for (int round = 0; round < 2; ++round) {
        Message message = {};
        void *x = nullptr;
        CHECK(!receives(pipes.from, message));
        CHECK(aclrtIpcMemImportByKey(&x, message.key, 0));
        ReadDo(1, nullptr, static_cast<int *>(x));
        CHECK(aclrtSynchronizeStream(nullptr));
        CHECK(aclrtIpcMemClose(message.key));
        CHECK(!sends(pipes.to, '1'));
    }
    return end();
}

int memory_by_key(int, char **argv) { return two_processes(argv, offer_memory, "memory_importer"); }

static int begin_on(int32_t device, aclrtStream &stream)
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(device));
    CHECK(aclrtCreateStream(&stream));
    return 0;
}

static int end_on(int32_t device, aclrtStream stream)
{
    CHECK(aclrtDestroyStreamForce(stream));
    CHECK(aclrtResetDeviceForce(device));
    CHECK(aclFinalize());
    return 0;
}

// Process A, on device 2, writes, and records the notify of process B.
static int record_notify(int to, int from)
{
    aclrtStream stream = nullptr;
    Message mine = {};
    CHECK(begin_on(2, stream));
    CHECK(aclrtDeviceEnablePeerAccess(3, 0));
    CHECK(aclrtDeviceGetBareTgid(&mine.pid));
    for (bool listed : {true, false}) {
        OnDevice<int> x(0);
        Message theirs = {};
        aclrtNotify notify = nullptr;
        char done = 0;
        CHECK(!sends(to, mine));
        CHECK(!receives(from, theirs));
        CHECK(aclrtNotifyImportByKey(&notify, theirs.key, 0));
        CHECK(export_memory(x.address, listed, theirs.pid, mine));
        CHECK(!sends(to, mine));
        WriteDo(1, stream, x.address, NUMBER);
        CHECK(aclrtRecordNotify(notify, stream));
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(!receives(from, done));
        CHECK(aclrtDestroyNotify(notify));
        CHECK(aclrtIpcMemClose(mine.key));
    }
    return end_on(2, stream);
}

// Process B, on device 3, waits for its notify, and reads the memory of process A.
int notify_waiter(int, char **)
{
    const Pipes pipes;
    aclrtStream stream = nullptr;
    Message mine = {};
    CHECK(begin_on(3, stream));
    CHECK(aclrtDeviceEnablePeerAccess(2, 0));
    CHECK(aclrtDeviceGetBareTgid(&mine.pid));
    for (bool listed : {true, false}) {
        Message theirs = {};
        aclrtNotify notify = nullptr;
        void *x = nullptr;
        CHECK(aclrtCreateNotify(&notify, 0));
        CHECK(aclrtNotifyGetExportKey(notify, mine.key, LENGTH, listed ? 0 : ANYBODY));
        CHECK(!receives(pipes.from, theirs));
        if (listed) {
            CHECK(aclrtNotifySetImportPid(notify, &theirs.pid, 1));
        }
        CHECK(!sends(pipes.to, mine));
        CHECK(!receives(pipes.from, theirs));
        CHECK(aclrtIpcMemImportByKey(&x, theirs.key, 1));
        CHECK(aclrtWaitAndResetNotify(notify, stream, 0));
        ReadDo(1, stream, static_cast<int *>(x));
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(aclrtIpcMemClose(theirs.key));
        CHECK(!sends(pipes.to, '1'));
        CHECK(aclrtDestroyNotify(notify));
    }
    return end_on(3, stream);
}

int notify_by_key(int, char **argv) { return two_processes(argv, record_notify, "notify_waiter"); }
