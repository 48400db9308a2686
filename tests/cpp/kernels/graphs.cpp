// Captured models: conditions that choose bodies, and events across the border of a model.
#include "adding.h"

// A capture with a condition; the bodies are captured in a stream of their own.
struct Conditional {
    aclrtStream stream = nullptr, inner = nullptr;
    aclmdlRI model = nullptr;
    aclmdlRICondHandle condition = nullptr;
    uint64_t *cell = nullptr;

    int begin(uint32_t number)
    {
        aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtCreateStream(&inner));
        CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        CHECK(aclmdlRICaptureGetInfo(stream, &status, &model));
        CHECK(aclmdlRICondHandleCreate(model, number, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &condition));
        CHECK(aclmdlRICondHandleGetCondPtr(condition, &cell));
        return 0;
    }
    int add(aclmdlRICondTaskType type, aclmdlRI *bodies, uint32_t size)
    {
        aclmdlRICondTaskParams params = {condition, type, size, bodies};
        CHECK(aclmdlRIAddCondTask(params, stream, 0));
        return 0;
    }
    int fill(aclmdlRI body, Operator &add, const uint64_t *next)
    {
        CHECK(aclmdlRICaptureToModelRIBegin(inner, body, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        CHECK(add.launch(inner));
        if (next != nullptr) {
            CHECK(aclrtMemcpyAsync(cell, sizeof(*next), next, sizeof(*next), ACL_MEMCPY_DEVICE_TO_DEVICE, inner));
        }
        CHECK(aclmdlRICaptureEnd(inner, nullptr));
        return 0;
    }
    int run()
    {
        CHECK(aclmdlRICaptureEnd(stream, &model));
        CHECK(aclmdlRIExecuteAsync(model, stream));
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(aclmdlRIDestroy(model));
        CHECK(aclrtDestroyStream(inner));
        CHECK(aclrtDestroyStream(stream));
        return 0;
    }
};

// IF runs its body, WHILE runs it until the body sets the number to 0, SWITCH runs the body of the number.
int cond_model(int, char **)
{
    CHECK(begin());
    {
        const Vector x(4, 1, 1), y(4, 2), sum(4, 0);
        const Vector others[3] = {{4, 0}, {4, 0}, {4, 0}};
        const OnDevice<uint64_t> zero(0);
        Operator once = adding(x, y, 1, sum), again = adding(sum, y, 1, sum);
        Operator choices[3] = {adding(x, y, 1, others[0]), adding(x, y, 2, others[1]), adding(x, y, 3, others[2])};
        aclmdlRI bodies[3] = {};
        Conditional first, loop, choice;
        CHECK(first.begin(1));
        CHECK(first.add(ACL_MODEL_RI_COND_TYPE_IF, bodies, 1));
        CHECK(first.fill(bodies[0], once, nullptr));
        CHECK(first.run());
        sum.print();
        CHECK(loop.begin(1));
        CHECK(loop.add(ACL_MODEL_RI_COND_TYPE_WHILE, bodies, 1));
        CHECK(loop.fill(bodies[0], again, zero.address));
        CHECK(loop.run());
        sum.print();
        CHECK(choice.begin(2));
        CHECK(choice.add(ACL_MODEL_RI_COND_TYPE_SWITCH, bodies, 3));
        for (int i = 0; i < 3; ++i) {
            CHECK(choice.fill(bodies[i], choices[i], nullptr));
        }
        CHECK(choice.run());
        for (const Vector &each : others) {
            each.print();
        }
    }
    return end();
}

static int copy(const OnDevice<int> &to, const OnDevice<int> &from, aclrtStream stream)
{
    CHECK(aclrtMemcpyAsync(to.address, sizeof(int), from.address, sizeof(int), ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    return 0;
}

static const auto GLOBAL = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

// An event orders a model and a stream, or two models: recorded outside, inside, and between two models.
int model_sync_external(int, char **)
{
    CHECK(begin());
    {
        const OnDevice<int> one(1), two(2), three(3), middle(0), out(0);
        aclrtEvent event = nullptr;
        aclrtStream stream = nullptr, other = nullptr;
        aclmdlRI reader = nullptr, writer = nullptr;
        CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtCreateStream(&other));
        CHECK(aclmdlRICaptureBegin(stream, GLOBAL));
        CHECK(aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL));
        CHECK(copy(out, middle, stream));
        CHECK(aclmdlRICaptureEnd(stream, &reader));
        CHECK(aclmdlRICaptureBegin(other, GLOBAL));
        CHECK(copy(middle, two, other));
        CHECK(aclrtRecordEventWithFlag(event, other, ACL_EVENT_RECORD_EXTERNAL));
        CHECK(aclmdlRICaptureEnd(other, &writer));
        // recorded outside, awaited inside
        CHECK(copy(middle, one, other));
        CHECK(aclrtRecordEvent(event, other));
        CHECK(aclmdlRIExecuteAsync(reader, stream));
        CHECK(aclrtSynchronizeStream(stream));
        INFO("outside, inside: %d", out.value());
        // recorded inside, awaited outside
        CHECK(aclmdlRIExecuteAsync(writer, other));
        CHECK(aclrtStreamWaitEvent(stream, event));
        CHECK(copy(out, middle, stream));
        CHECK(aclrtSynchronizeStream(stream));
        INFO("inside, outside: %d", out.value());
        // between two models
        CHECK(copy(middle, three, stream));
        CHECK(aclrtSynchronizeStream(stream));
        CHECK(aclmdlRIExecuteAsync(writer, other));
        CHECK(aclmdlRIExecuteAsync(reader, stream));
        CHECK(aclrtSynchronizeStream(stream));
        INFO("between models: %d", out.value());
        CHECK(aclmdlRIDestroy(reader));
        CHECK(aclmdlRIDestroy(writer));
        CHECK(aclrtDestroyEvent(event));
        CHECK(aclrtDestroyStream(stream));
        CHECK(aclrtDestroyStream(other));
    }
    return end();
}
