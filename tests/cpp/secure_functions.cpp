// The functions of securec.h for test_secure_functions.py: each check gives the number of its line when it fails.

#include <cerrno>
#include <cstring>

#include "securec.h"

#define CHECK(what) \
    do {            \
        if (!(what)) return __LINE__; \
    } while (0)

static int copies()
{
    char to[4] = {1, 1, 1, 1};
    const char from[] = {5, 6, 7, 8, 9};
    CHECK(memcpy_s(to, 4, from, 3) == EOK && to[2] == 7 && to[3] == 1);
    CHECK(memcpy_s(to, 4, from, 5) == ERANGE_AND_RESET && to[0] == 0 && to[3] == 0);
    CHECK(memcpy_s(nullptr, 4, from, 1) == EINVAL && memcpy_s(to, 0, from, 1) == ERANGE);
    CHECK(memcpy_s(to, 4, nullptr, 1) == EINVAL_AND_RESET);
    CHECK(memset_s(to, 4, 3, 2) == EOK && to[1] == 3 && to[2] == 0);
    CHECK(memset_s(to, 4, 4, 5) == ERANGE_AND_RESET && to[3] == 4);
    CHECK(memcpy_s(to, 4, to + 1, 3) == EOVERLAP_AND_RESET && to[0] == 0);
    for (char at = 0; at < 4; ++at) to[static_cast<int>(at)] = at;
    CHECK(memmove_s(to, 4, to + 1, 3) == EOK && to[0] == 1 && to[2] == 3);
    return 0;
}

static int texts()
{
    char to[6];
    CHECK(strcpy_s(to, sizeof(to), "abcde") == EOK && strcmp(to, "abcde") == 0);
    CHECK(strcpy_s(to, sizeof(to), "abcdef") == ERANGE_AND_RESET && to[0] == 0);
    CHECK(strncpy_s(to, sizeof(to), "abcdef", 2) == EOK && strcmp(to, "ab") == 0);
    CHECK(strcat_s(to, sizeof(to), "cd") == EOK && strcmp(to, "abcd") == 0);
    CHECK(strncat_s(to, sizeof(to), "efg", 1) == EOK && strcmp(to, "abcde") == 0);
    CHECK(strcat_s(to, sizeof(to), "f") == ERANGE_AND_RESET && to[0] == 0);
    CHECK(sprintf_s(to, sizeof(to), "%d", 123) == 3 && strcmp(to, "123") == 0);
    CHECK(sprintf_s(to, sizeof(to), "%d", 1234567) == -1 && to[0] == 0);
    CHECK(snprintf_s(to, sizeof(to), 2, "%d", 1234) == -1 && strcmp(to, "12") == 0);
    CHECK(snprintf_s(to, sizeof(to), 5, "%d", 1234) == 4);
    return 0;
}

int main()
{
    const int copy = copies();
    return copy != 0 ? copy : texts();
}
