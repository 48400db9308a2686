// Ranks that are processes, as jittor has them: a process for each device, whose number is the rank. The root information
// goes through a pipe, as by MPI_Bcast. Each call is synchronised before and behind it, and the communicator is destroyed
// by a static destructor.
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "hccl/hccl.h"
#include "sample.h"

static struct Communicator {
    HcclComm comm = nullptr;
    ~Communicator()
    {
        if (comm)
            HcclCommDestroy(comm);
    }
} all;
static uint32_t ranks, own;
static aclrtStream stream;

// The values after a call that works in place.
template <typename Call> static std::vector<float> after(Call call)
{
    std::vector<float> values = {1.0F + own, 10.0F * own};
    void *place = nullptr;
    const size_t size = values.size() * sizeof(float);
    aclrtMalloc(&place, size, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(place, size, values.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtSynchronizeDevice();
    aclrtSynchronizeStream(stream);
    if (HcclResult result = call(place))
        std::printf("%s\n", HcclGetErrorString(result));
    aclrtSynchronizeStream(stream);
    aclrtSynchronizeDevice();
    aclrtMemcpy(values.data(), size, place, size, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtFree(place);
    return values;
}

static int work(int read_end, int write_end)
{
    CHECK(aclInit(nullptr));
    CHECK(aclrtGetDeviceCount(&ranks));
    CHECK(aclrtSetDevice(static_cast<int32_t>(own)));
    HcclRootInfo root;
    if (own == 0) {
        if (HcclGetRootInfo(&root) != HCCL_SUCCESS || write(write_end, &root, sizeof root) != sizeof root)
            return 1;
    } else if (read(read_end, &root, sizeof root) != sizeof root) {
        return 1;
    }
    if (HcclCommInitRootInfo(ranks, &root, own, &all.comm) != HCCL_SUCCESS)
        return 1;
    CHECK(aclrtCreateStream(&stream));
    const auto sum = after([](void *place) {
        return HcclAllReduce(place, place, 2, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, all.comm, stream);
    });
    const auto sent = after([](void *place) {
        return HcclBroadcast(place, 2, HCCL_DATA_TYPE_FP32, 1, all.comm, stream);
    });
    // issued one behind the other, as where groups do nothing
    const auto swapped = after([](void *place) {
        return own == 0 ? HcclSend(place, 2, HCCL_DATA_TYPE_FP32, 1, all.comm, stream)
                        : HcclRecv(place, 2, HCCL_DATA_TYPE_FP32, 0, all.comm, stream);
    });
    const int refused = HcclAllReduce(stream, stream, 1, HCCL_DATA_TYPE_FP64, HCCL_REDUCE_SUM, all.comm, stream);
    std::printf("rank %u of %u: %g %g, %g %g, %g %g, %d\n", own, ranks, sum[0], sum[1], sent[0], sent[1], swapped[0],
                swapped[1], refused);
    CHECK(aclrtDestroyStream(stream));
    return 0;
}

int main()
{
    int ends[2];
    if (pipe(ends))
        return 1;
    const pid_t child = fork();
    own = child == 0;
    int result = work(ends[0], ends[1]), status = 0;
    std::fflush(stdout);
    if (child > 0 && waitpid(child, &status, 0) == child)
        result |= status;
    return result;
}
