// Loads the library NAME at once (RTLD_NOW), as plugins do, and looks functions up in it.
// usage: loading NAME FUNCTION... [$VARIABLE]
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char **words)
{
    void *library = count > 1 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 1;
    }
    for (int i = 2; i < count; ++i) {
        if (words[i][0] == '$') {
            const char *value = std::getenv(words[i] + 1);
            std::printf("%s\n", value ? value : "unset");
        } else {
            std::printf("%s %s\n", words[i], dlsym(library, words[i]) ? "found" : "null");
        }
    }
    auto init = reinterpret_cast<int (*)(const char *)>(dlsym(library, "aclInit"));
    auto name = reinterpret_cast<const char *(*)()>(dlsym(library, "aclrtGetSocName"));
    auto finalize = reinterpret_cast<int (*)()>(dlsym(library, "aclFinalize"));
    if (!init || !name || !finalize || init(nullptr)) return 2;
    std::printf("%s\n", name());
    return finalize();
}
