// Functions that plugins bind when they load. Each run does one thing; the argument names it.
#include <cstring>
#include <dlfcn.h>
#include <string>

#include "acl/acl_dump.h"
#include "acl/acl_emulator_rt.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "hccl/hccl.h"
#include "mstx/ms_tools_ext.h"
#include "sample.h"
#include "toolchain/prof_api.h"

static aclrtStream stream;
static const int kernel_stub = 0;  // its address stands for the kernel

struct DevBinary {
    uint32_t magic, version;
    const void *data;
    uint64_t length;
};

// As generated launch code does it: before main, without aclInit and without a device.
static const int registered = [] {
    static const DevBinary binary = {ACL_RT_BINARY_MAGIC_ELF_AICORE, 0, "no code", 7};
    void *handle = nullptr;
    return rtDevBinaryRegister(&binary, &handle) == 0 && handle != nullptr ? 1 : 0;
}();

static int objects()
{
    int64_t dims[2] = {2, 3}, size = 0;
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT16, 2, dims, ACL_FORMAT_ND);
    CHECK(aclSetTensorShape(desc, 1, dims));
    CHECK(aclGetTensorDescDimV2(desc, 1, &size));
    std::printf("%d %zu %d\n", aclGetTensorDescType(desc), aclGetTensorDescNumDims(desc), static_cast<int>(size));
    aclopAttr *attr = aclopCreateAttr();
    const int counts[2] = {1, 2};
    const int64_t *const lists[2] = {dims, dims};
    CHECK(aclopSetAttrListListInt(attr, "lists", 2, counts, lists));
    CHECK(aclopSetAttrFloat(attr, "alpha", 0.5F));
    aclDataBuffer *buffer = aclCreateDataBuffer(nullptr, 0);
    const aclTensorDesc *const descs[] = {desc};
    const aclDataBuffer *const inputs[] = {buffer};
    aclDataBuffer *const outputs[] = {buffer};
    std::printf("%d\n", aclopCompileAndExecute("AddCustom", 1, descs, inputs, 1, descs, outputs, attr, ACL_ENGINE_SYS,
                                               ACL_COMPILE_SYS, nullptr, stream));
    std::printf("%d\n", std::strstr(aclGetRecentErrMsg(), "There is no aclnnAddCustom") != nullptr);
    char value[16];
    CHECK(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, aclGetCompileoptSize(ACL_OP_JIT_COMPILE)));
    std::printf("%s\n", value);
    CHECK(aclDestroyDataBuffer(buffer));
    aclopDestroyAttr(attr);
    aclDestroyTensorDesc(desc);
    return 0;
}

static int instruments()
{
    uint32_t devices[1] = {0}, number = 0;
    aclprofConfig *config = aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_MSPROFTX);
    CHECK(aclprofInit("here", 4));
    CHECK(aclprofStart(config));
    void *stamp = aclprofCreateStamp();
    CHECK(aclprofSetStampTraceMessage(stamp, "stamp", 5));
    CHECK(aclprofRangeStart(stamp, &number));
    CHECK(aclprofRangeStop(number));
    std::printf("%u %d\n", number, aclprofPop());
    aclGetRecentErrMsg();
    aclprofDestroyStamp(stamp);
    CHECK(aclprofStop(config));
    CHECK(aclprofDestroyConfig(config));
    CHECK(aclprofFinalize());
    const mstxDomainHandle_t domain = mstxDomainCreateA("domain");
    const mstxRangeId range = mstxDomainRangeStartA(domain, "range", stream);
    mstxMarkA("mark", nullptr);
    mstxDomainRangeEnd(domain, range);
    mstxDomainDestroy(domain);
    std::printf("%d\n", static_cast<int>(range));
    std::printf("%d\n", MsprofGetHashId("abc", 3) == MsprofGetHashId("abcd", 3));
    HcclConfigValue one;
    one.value = 1;
    std::printf("%d\n", HcclSetConfig(HCCL_DETERMINISTIC, one));
    return 0;
}

static int kernel()
{
    static const DevBinary binary = {ACL_RT_BINARY_MAGIC_ELF_AICORE, 0, "no code", 7};
    void *handle = nullptr;
    CHECK(rtDevBinaryRegister(&binary, &handle));
    std::printf("%d\n", rtFunctionRegister(handle, &kernel_stub, "label", "add_custom", 0));
    uint64_t arguments[2] = {1, 2};
    std::printf("%d\n", rtKernelLaunch(&kernel_stub, 1, arguments, sizeof arguments, nullptr, stream));
    return 0;
}

static int loading()
{
    void *library = dlopen("libascendcl.so", RTLD_NOW);
    int there = 0;
    for (const char *name : {"aclSetCompileopt", "HcclSetConfig", "MsprofReportApi", "rtKernelLaunch", "mstxMarkA",
                             "aclopCompileAndExecute", "aclrtBinaryLoadFromData", "aclmdlInitDump"})
        there += dlsym(library, name) != nullptr;
    for (const char *name : {"aclrtFunctionGetAvailDynUbufPerBlock", "rtKernelLaunchWithFlag", "aclnnTopkV2"})
        there += dlsym(library, name) != nullptr ? 100 : 0;
    std::printf("%d\n", there);
    return 0;
}

int main(int, char **arguments)
{
    const std::string what = arguments[1];
    CHECK(begin(0, &stream));
    std::printf("%d\n", registered);
    if (what == "objects") CHECK(objects());
    if (what == "instruments") CHECK(instruments());
    if (what == "kernel") CHECK(kernel());
    if (what == "loading") CHECK(loading());
    if (what == "dead-descriptor") {
        aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 0, nullptr, ACL_FORMAT_ND);
        aclDestroyTensorDesc(desc);
        std::printf("%d\n", aclSetTensorFormat(desc, ACL_FORMAT_ND));  // dead-descriptor
    }
    if (what == "wild-dims") aclCreateTensorDesc(ACL_FLOAT, 1 << 30, reinterpret_cast<int64_t *>(16), ACL_FORMAT_ND);  // wild-dims
    if (what == "wild-lists") {
        aclopAttr *attr = aclopCreateAttr();
        const int counts[1] = {3};
        const int64_t *const lists[1] = {reinterpret_cast<int64_t *>(16)};
        std::printf("%d\n", aclopSetAttrListListInt(attr, "lists", 1, counts, lists));  // wild-lists
        aclopDestroyAttr(attr);
    }
    if (what == "wild-binary") {
        aclrtBinHandle handle = nullptr;
        std::printf("%d\n", aclrtBinaryLoadFromData(reinterpret_cast<void *>(16), 1UL << 40, nullptr, &handle));  // wild-binary
    }
    return end(0, stream);
}
