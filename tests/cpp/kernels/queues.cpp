// Channels that carry tensors, queues and their attributes, and routes between queues.
#include "programs.h"

#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"

static const int32_t AT_ONCE = 0;

// A data set with one tensor of the shape (2, 2).
struct Tensor {
    float values[4] = {1, 2, 3, 4};
    const int64_t dims[2] = {2, 2};
    acltdtDataset *set = acltdtCreateDataset();
    acltdtDataItem *item = acltdtCreateDataItem(ACL_TENSOR_DATA_TENSOR, dims, 2, ACL_FLOAT, values, sizeof(values));
    Tensor() { acltdtAddDataItem(set, item); }
    ~Tensor()
    {
        acltdtDestroyDataItem(item);
        acltdtDestroyDataset(set);
    }
};

static int describe(const acltdtDataset *set)
{
    const acltdtDataItem *item = acltdtGetDataItem(set, 0);
    int64_t dims[2] = {};
    CHECK(acltdtGetDimsFromItem(item, dims, acltdtGetDimNumFromItem(item)));
    INFO("items: %zu, tensor type: %d, data type: %d", acltdtGetDatasetSize(set), acltdtGetTensorTypeFromItem(item),
         acltdtGetDataTypeFromItem(item));
    INFO("bytes: %zu, dims: (%d, %d), first value: %.3f", acltdtGetDataSizeFromItem(item), static_cast<int>(dims[0]),
         static_cast<int>(dims[1]), *static_cast<float *>(acltdtGetDataAddrFromItem(item)));
    return 0;
}

static int size_of(const acltdtChannelHandle *channel)
{
    size_t size = 0;
    CHECK(acltdtQueryChannelSize(channel, &size));
    return static_cast<int>(size);
}

int simple_channel(int, char **)
{
    CHECK(begin());
    {
        Tensor tensor;
        acltdtDataset *received = acltdtCreateDataset();
        acltdtChannelHandle *channel = acltdtCreateChannelWithCapacity(0, "simple_channel", 4);
        CHECK(channel == nullptr);
        CHECK(acltdtSendTensor(channel, tensor.set, -1));
        INFO("channel size: %d", size_of(channel));
        CHECK(acltdtReceiveTensor(channel, received, -1));
        CHECK(describe(received));
        INFO("channel size: %d", size_of(channel));
        CHECK(acltdtDestroyDataset(received));
        CHECK(acltdtStopChannel(channel));
        CHECK(acltdtDestroyChannel(channel));
    }
    return end();
}

int channel_capacity(int, char **)
{
    CHECK(begin());
    {
        Tensor tensor;
        size_t slices = 9, slice = 9;
        acltdtChannelHandle *channel = acltdtCreateChannelWithCapacity(0, "capacity", 2);
        CHECK(channel == nullptr);
        const int status = acltdtGetSliceInfoFromItem(tensor.item, &slices, &slice);
        INFO("slice information: %d, %zu of %zu", status, slice, slices);
        for (int i = 0; i < 2; ++i) {
            CHECK(acltdtSendTensor(channel, tensor.set, AT_ONCE));
            INFO("channel size: %d", size_of(channel));
        }
        INFO("third tensor: %d", acltdtSendTensor(channel, tensor.set, AT_ONCE));
        aclGetRecentErrMsg();
        CHECK(acltdtCleanChannel(channel));
        INFO("channel size: %d", size_of(channel));
        CHECK(acltdtStopChannel(channel));
        CHECK(acltdtDestroyChannel(channel));
    }
    return end();
}

static int queue(const char *name, uint32_t depth, uint32_t *id)
{
    acltdtQueueAttr *attributes = acltdtCreateQueueAttr();
    CHECK(acltdtSetQueueAttr(attributes, ACL_TDTQUEUE_NAME_PTR, sizeof(name), &name));
    CHECK(acltdtSetQueueAttr(attributes, ACL_TDTQUEUE_DEPTH_UINT32, sizeof(depth), &depth));
    const char *its_name = nullptr;
    uint32_t its_depth = 0;
    size_t size = 0;
    CHECK(acltdtGetQueueAttr(attributes, ACL_TDTQUEUE_NAME_PTR, sizeof(its_name), &size, &its_name));
    CHECK(acltdtGetQueueAttr(attributes, ACL_TDTQUEUE_DEPTH_UINT32, sizeof(its_depth), &size, &its_depth));
    INFO("queue: %s, depth: %u", its_name, its_depth);
    CHECK(acltdtCreateQueue(attributes, id));
    CHECK(acltdtDestroyQueueAttr(attributes));
    return 0;
}

int simple_queue(int, char **)
{
    uint32_t id = 0xFFFFFFFF;
    CHECK(begin());
    CHECK(queue("simple_queue", 4, &id));
    INFO("id: %d", id != 0xFFFFFFFF);
    CHECK(acltdtDestroyQueue(id));
    return end();
}

static int routes_of(uint32_t source, acltdtQueueRouteList *found)
{
    acltdtQueueRouteQueryInfo *query = acltdtCreateQueueRouteQueryInfo();
    acltdtQueueRouteQueryMode mode = ACL_TDTQUEUE_ROUTE_QUERY_SRC;
    CHECK(acltdtSetQueueRouteQueryInfo(query, ACL_TDTQUEUE_ROUTE_QUERY_MODE_ENUM, sizeof(mode), &mode));
    CHECK(acltdtSetQueueRouteQueryInfo(query, ACL_TDTQUEUE_ROUTE_QUERY_SRC_ID_UINT32, sizeof(source), &source));
    CHECK(acltdtQueryQueueRoutes(query, found));
    CHECK(acltdtDestroyQueueRouteQueryInfo(query));
    return 0;
}

static int describe(const acltdtQueueRouteList *list, uint32_t source, uint32_t destination)
{
    acltdtQueueRoute *route = acltdtCreateQueueRoute(0, 0);
    uint32_t from = 0, to = 0;
    int32_t status = -1;
    size_t size = 0;
    CHECK(acltdtGetQueueRoute(list, 0, route));
    CHECK(acltdtGetQueueRouteParam(route, ACL_TDTQUEUE_ROUTE_SRC_UINT32, sizeof(from), &size, &from));
    CHECK(acltdtGetQueueRouteParam(route, ACL_TDTQUEUE_ROUTE_DST_UINT32, sizeof(to), &size, &to));
    CHECK(acltdtGetQueueRouteParam(route, ACL_TDTQUEUE_ROUTE_STATUS_INT32, sizeof(status), &size, &status));
    INFO("routes: %zu, source: %d, destination: %d, status: %d", acltdtGetQueueRouteNum(list), from == source,
         to == destination, status);
    CHECK(acltdtDestroyQueueRoute(route));
    return 0;
}

int queue_route(int, char **)
{
    uint32_t source = 0, destination = 0;
    CHECK(begin());
    CHECK(queue("source", 4, &source));
    CHECK(queue("destination", 4, &destination));
    acltdtQueueRouteList *list = acltdtCreateQueueRouteList(), *found = acltdtCreateQueueRouteList();
    acltdtQueueRoute *route = acltdtCreateQueueRoute(source, destination);
    CHECK(acltdtAddQueueRoute(list, route));
    CHECK(acltdtBindQueueRoutes(list));
    CHECK(routes_of(source, found));
    CHECK(describe(found, source, destination));
    INFO("queue with a route: %d", acltdtDestroyQueue(source));
    aclGetRecentErrMsg();
    CHECK(acltdtUnbindQueueRoutes(list));
    CHECK(acltdtDestroyQueueRoute(route));
    CHECK(acltdtDestroyQueueRouteList(list));
    CHECK(acltdtDestroyQueueRouteList(found));
    CHECK(acltdtDestroyQueue(source));
    CHECK(acltdtDestroyQueue(destination));
    return end();
}
