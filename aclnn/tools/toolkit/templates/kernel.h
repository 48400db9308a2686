#include <stddef.h>
#include <string.h>

#include <tuple>

namespace aclnn_emulator {

/* the device kernel cannot go on; its task fails */
struct Refused {};

/* A launch of a device kernel. Memory of the device is reached by its functions alone: they tell the checks what the
   kernel reads and writes, and return the address of these elements in this process. */
class Launch {
public:
    explicit Launch(void *launch) : launch_(launch) {}
    uint32_t blocks() const { return aclnnEmulatorKernelBlocks(launch_); }
    /* the blocks, and the threads of a block, in each dimension */
    dim3 grid() const { return {size(0), size(1), size(2)}; }
    dim3 threads() const { return {size(3), size(4), size(5)}; }
    /* the address on the device of a variable of the kernel's binary */
    template <typename T>
    T *variable(const char *name) const
    {
        void *address = aclnnEmulatorKernelVariable(launch_, name);
        if (address == nullptr) {
            throw Refused();
        }
        return static_cast<T *>(address);
    }
    template <typename T>
    const T *read(const T *address, size_t count) const
    {
        return static_cast<const T *>(memory(address, count * sizeof(T), 1));
    }
    template <typename T>
    T *write(T *address, size_t count) const
    {
        return static_cast<T *>(memory(address, count * sizeof(T), 2));
    }
    template <typename T>
    T *update(T *address, size_t count) const
    {
        return static_cast<T *>(memory(address, count * sizeof(T), 3));
    }
    [[noreturn]] void fail(int32_t status = 0) const
    {
        (void)aclnnEmulatorKernelFail(launch_, status);
        throw Refused();
    }

private:
    uint32_t size(uint32_t index) const { return aclnnEmulatorKernelSize(launch_, index); }
    void *memory(const void *address, size_t size, uint32_t access) const
    {
        void *here = size > 0 ? aclnnEmulatorKernelMemory(launch_, address, size, access) : nullptr;
        if (here == nullptr && size > 0) {
            throw Refused();
        }
        return here;
    }
    void *launch_;
};

/* the bytes of an argument in a block of arguments */
template <typename T>
struct Slot {
    static constexpr size_t size = (sizeof(T) + 7) / 8 * 8;
};

template <typename T>
T take(const unsigned char *&from)
{
    T value;
    memcpy(static_cast<void *>(&value), from, sizeof(T));
    from += Slot<T>::size;
    return value;
}

template <size_t... I>
struct Indices {};

template <size_t N, size_t... I>
struct Count : Count<N - 1, N - 1, I...> {};

template <size_t... I>
struct Count<0, I...> {
    using type = Indices<I...>;
};

/* a C++ function that replaces a kernel */
template <typename... A>
struct Replacement {
    void (*function)(Launch &, A...);
    Replacement *next;

    template <size_t... I>
    void call(Launch &launch, std::tuple<A...> &arguments, Indices<I...>)
    {
        function(launch, std::get<I>(arguments)...);
    }
    static void run(void *launch, void *self)
    {
        unsigned char raw[sum<A...>() + 8] = {};
        const unsigned char *from = raw;
        (void)from;
        (void)aclnnEmulatorKernelArguments(launch, raw, sizeof(raw));
        std::tuple<A...> arguments{take<A>(from)...};
        Launch given(launch);
        try {
            static_cast<Replacement *>(self)->call(given, arguments, typename Count<sizeof...(A)>::type());
        } catch (const Refused &) { /* the emulator knows the reason */
        }
    }
    template <typename... B>
    static constexpr size_t sum()
    {
        return total(Slot<B>::size...);
    }
    static constexpr size_t total() { return 0; }
    template <typename... S>
    static constexpr size_t total(size_t first, S... others)
    {
        return first + total(others...);
    }
};

/* Let a C++ function replace the device kernel `name`. It gets the launch and the arguments of the kernel.
   `microseconds`: the simulated time of a launch. */
template <typename... A>
int32_t replace(const char *name, void (*function)(Launch &, A...), uint64_t microseconds = 0)
{
    static Replacement<A...> *all = nullptr; /* kept for ever */
    all = new Replacement<A...>{function, all};
    const uint64_t sizes[sizeof...(A) + 1] = {sizeof(A)...};
    return aclnnEmulatorKernel(name, &Replacement<A...>::run, all, sizes, sizeof...(A), microseconds);
}

/* Register the kernels of an ELF file that is compiled into the program. */
inline void *register_kernels(const void *elf, uint64_t length)
{
    struct {
        uint32_t magic;
        uint32_t version;
        const void *data;
        uint64_t length;
    } binary = {ACL_RT_BINARY_MAGIC_ELF_AICORE, 0, elf, length};
    void *handle = nullptr;
    (void)rtDevBinaryRegister(&binary, &handle);
    return handle;
}

inline void put(unsigned char *) {}

template <typename T, typename... A>
void put(unsigned char *to, const T &first, const A &...others)
{
    memcpy(to, static_cast<const void *>(&first), sizeof(T));
    put(to + Slot<T>::size, others...);
}

/* Launch the kernel for which `stub` stands: what `kernel<<<blocks, nullptr, stream>>>(arguments...)` does. */
template <typename... A>
inline void launch(const void *stub, uint32_t blocks, void *stream, const A &...arguments)
{
    constexpr size_t size = Replacement<A...>::template sum<A...>();
    unsigned char raw[size + 8] = {};
    put(raw, arguments...);
    (void)rtKernelLaunch(stub, blocks, raw, static_cast<uint32_t>(size), nullptr, stream);
}

template <typename T>
struct Same {
    using type = T;
};

/* the same, with the arguments converted to the types of the kernel's parameters */
template <typename... P>
void launch_as(const void *stub, uint32_t blocks, void *stream, typename Same<P>::type... arguments)
{
    launch(stub, blocks, stream, arguments...);
}

}
