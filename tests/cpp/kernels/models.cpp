// Models: built ones with labels, switches and activations, and captured ones that run again.
#include "programs.h"

#include "adding.h"

static int persistent(aclmdlRI model, uint32_t flag, aclrtStream *stream)
{
    CHECK(aclrtCreateStreamWithConfig(stream, 0, ACL_STREAM_PERSISTENT));
    CHECK(aclmdlRIBindStream(model, *stream, flag));
    return 0;
}

static int execute(aclmdlRI model)
{
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclmdlRIExecuteAsync(model, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtDestroyStream(stream));
    return 0;
}

static int dissolve(aclmdlRI model, aclrtStream *streams, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        CHECK(aclmdlRIUnbindStream(model, streams[i]));
    }
    CHECK(aclmdlRIDestroy(model));
    for (size_t i = 0; i < count; ++i) {
        CHECK(aclrtDestroyStream(streams[i]));
    }
    return 0;
}

// The first stream jumps to the second of two labels: the task between them does not run.
int simple_label(int, char **)
{
    CHECK(begin());
    {
        OnDevice<uint32_t> index(1), skipped(0), reached(0);
        aclmdlRI model = nullptr;
        aclrtStream streams[2] = {};
        aclrtLabel labels[2] = {};
        aclrtLabelList list = nullptr;
        CHECK(aclmdlRIBuildBegin(&model, 0));
        CHECK(persistent(model, ACL_MODEL_STREAM_FLAG_HEAD, &streams[0]));
        CHECK(persistent(model, ACL_MODEL_STREAM_FLAG_DEFAULT, &streams[1]));
        CHECK(aclrtCreateLabel(&labels[0]));
        CHECK(aclrtCreateLabel(&labels[1]));
        CHECK(aclrtSetLabel(labels[0], streams[1]));
        EasyOP(1, streams[1], skipped.address);
        CHECK(aclrtSetLabel(labels[1], streams[1]));
        EasyOP(1, streams[1], reached.address);
        CHECK(aclrtCreateLabelList(labels, 2, &list));
        CHECK(aclrtSwitchLabelByIndex(index.address, 2, list, streams[0]));
        CHECK(aclmdlRIEndTask(model, streams[0]));
        CHECK(aclmdlRIEndTask(model, streams[1]));
        CHECK(aclmdlRIBuildEnd(model, nullptr));
        CHECK(execute(model));
        INFO("label 1: %u, label 0: %u", reached.value(), skipped.value());
        CHECK(aclrtDestroyLabelList(list));
        CHECK(aclrtDestroyLabel(labels[0]));
        CHECK(aclrtDestroyLabel(labels[1]));
        CHECK(dissolve(model, streams, 2));
    }
    return end();
}

// Five streams. The switch chooses between two streams; one of them activates the next two.
int model_switch(int, char **)
{
    CHECK(begin());
    {
        OnDevice<int64_t> left(1), right(1);
        const Vector y(1, 2.2f);
        const Vector results[3] = {{1, 0}, {1, 0}, {1, 0}};
        const Vector first(1, 1.2f), second(1, 2.2f), third(1, 3.2f);
        Operator adds[3] = {adding(first, y, 1, results[0]), adding(second, y, 1, results[1]), adding(third, y, 1, results[2])};
        aclmdlRI model = nullptr;
        aclrtStream streams[5] = {};
        CHECK(aclmdlRIBuildBegin(&model, 0));
        for (int i = 0; i < 5; ++i) {
            CHECK(persistent(model, i == 0 ? ACL_MODEL_STREAM_FLAG_HEAD : ACL_MODEL_STREAM_FLAG_DEFAULT, &streams[i]));
        }
        CHECK(aclrtSwitchStream(left.address, ACL_RT_EQUAL, right.address, ACL_RT_SWITCH_INT64, streams[1], nullptr, streams[0]));
        CHECK(aclrtActiveStream(streams[2], streams[0]));
        CHECK(adds[0].launch(streams[1]));
        CHECK(aclrtActiveStream(streams[3], streams[1]));
        CHECK(adds[1].launch(streams[2]));
        CHECK(aclmdlRIEndTask(model, streams[2]));
        CHECK(adds[2].launch(streams[3]));
        CHECK(aclrtActiveStream(streams[4], streams[3]));
        CHECK(aclmdlRIEndTask(model, streams[4]));
        CHECK(aclmdlRIBuildEnd(model, nullptr));
        for (int64_t value : {1, 2}) {
            CHECK(aclrtMemcpy(left.address, sizeof(value), &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE));
            CHECK(execute(model));
            for (const Vector &each : results) {
                each.print();
            }
        }
        CHECK(dissolve(model, streams, 5));
    }
    return end();
}

// A sum and a product are captured; the model runs four times.
int simple_model(int, char **)
{
    CHECK(begin());
    {
        const Vector x(8, 2, 1), y(8, 1), two(8, 2);
        const Vector sum(8, 0), product(8, 0);
        Operator add = adding(x, y, 1.2f, sum);
        Operator multiply = multiplying(sum, two, product);
        aclrtStream stream = nullptr;
        aclmdlRI model = nullptr;
        aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        CHECK(aclmdlRICaptureThreadExchangeMode(&mode));
        CHECK(add.launch(stream));
        CHECK(multiply.launch(stream));
        CHECK(aclmdlRICaptureThreadExchangeMode(&mode));
        CHECK(aclmdlRICaptureEnd(stream, &model));
        CHECK(aclmdlRIDebugJsonPrint(model, "simple_model.json", 0));
        for (int i = 0; i < 4; ++i) {
            CHECK(aclmdlRIExecuteAsync(model, stream));
            CHECK(aclrtSynchronizeStream(stream));
            product.print();
        }
        CHECK(aclmdlRIDestroy(model));
        CHECK(aclrtDestroyStream(stream));
    }
    return end();
}

// The factor of a captured sum is changed between two runs.
int model_update(int, char **)
{
    CHECK(begin());
    {
        const Vector x(8, 3, 1), y(8, 2);
        const Vector sum(8, 0);
        Operator add = adding(x, y, 1.2f, sum), other = adding(x, y, 2.3f, sum);
        aclrtStream stream = nullptr, update = nullptr;
        aclmdlRI model = nullptr;
        aclrtTaskGrp group = nullptr;
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtCreateStream(&update));
        CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
        CHECK(aclmdlRICaptureTaskGrpBegin(stream));
        CHECK(add.launch(stream));
        CHECK(aclmdlRICaptureTaskGrpEnd(stream, &group));
        CHECK(aclmdlRICaptureEnd(stream, &model));
        CHECK(aclmdlRIExecuteAsync(model, stream));
        CHECK(aclrtSynchronizeStream(stream));
        sum.print();
        CHECK(aclmdlRICaptureTaskUpdateBegin(update, group));
        CHECK(other.launch(update));
        CHECK(aclmdlRICaptureTaskUpdateEnd(update));
        CHECK(aclrtSynchronizeStream(update));
        CHECK(aclmdlRIExecuteAsync(model, stream));
        CHECK(aclrtSynchronizeStream(stream));
        sum.print();
        CHECK(aclmdlRIDestroy(model));
        CHECK(aclrtDestroyStream(stream));
        CHECK(aclrtDestroyStream(update));
    }
    return end();
}
