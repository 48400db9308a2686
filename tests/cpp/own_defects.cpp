// Defects of the program itself beside calls of the API, one in each run. A sanitizer must report them as usual.
#include <climits>
#include <cstdlib>
#include <string>
#include <thread>

#include "sample.h"

static int shared = 0;

static void *volatile lost;  // volatile: so that the compiler does not see through it

static void *mine(size_t size) { return std::malloc(size); }

static int deeper(int level)
{
    volatile char bytes[4096];
    bytes[0] = static_cast<char>(level);
    return (level < INT_MAX ? deeper(level + 1) : 0) + bytes[0];
}

int main(int, char **arguments)
{
    const std::string what = arguments[1];
    aclrtStream stream = nullptr;
    CHECK(begin(0, &stream));
    if (what == "leak") {
        lost = mine(12345);
        lost = nullptr;
    }
    if (what == "use-after-free") {
        lost = mine(64);
        std::free(lost);
        static_cast<volatile char *>(lost)[8] = 1;
    }
    if (what == "stack-overflow") std::printf("%d\n", deeper(0));
    if (what == "overflow") {
        volatile int most = INT_MAX;
        most = most + 1;
    }
    if (what == "race") {
        std::thread other([] {
            uint32_t count = 0;
            for (int round = 0; round < 1000; round++) shared++;
            aclrtGetDeviceCount(&count);
        });
        for (int round = 0; round < 1000; round++) shared++;
        other.join();
    }
    if (what == "device-pointer") {
        Tensor tensor;
        CHECK(create<float>({1, 2}, {2}, &tensor));
        *static_cast<volatile float *>(tensor.address) = 3;
    }
    return end(0, stream);
}
