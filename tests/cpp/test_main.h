// A test main of a hundred lines: TEST(name) { EXPECT(...); } in one file, and each test runs in a fresh machine.
//
// EXPECT(condition), EXPECT_EQ(left, right) and EXPECT_TEXT(text, part) go on after a failure. EXPECT_DEATH(statement,
// part) runs the statement in a forked child, which has to die with `part` on its stderr. Each failure is a line on
// stderr. The exit status is 1 if anything failed; a test also fails for what the emulator found in it and no
// aclnnEmulatorTakeFindings took. An argument runs the tests whose name contains it; without a test to run it fails.
#pragma once
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "aclnn_emulator.h"

namespace test_main {

struct Test {
    const char *name;
    void (*body)();
};

inline std::vector<Test> &tests()
{
    static std::vector<Test> all;
    return all;
}

inline int &failures()
{
    static int count = 0;
    return count;
}

inline bool add(const char *name, void (*body)())
{
    tests().push_back({name, body});
    return true;
}

inline std::ostream &fail(const char *file, int line)
{
    failures()++;
    return std::cerr << file << ":" << line << ": ";
}

template <typename Left, typename Right>
void equal(const Left &left, const Right &right, const char *text, const char *file, int line)
{
    if (!(left == right)) fail(file, line) << text << ": " << left << " is not " << right << "\n";
}

inline void contains(const char *text, const char *part, const char *file, int line)
{
    if (text == nullptr || std::strstr(text, part) == nullptr)
        fail(file, line) << (text == nullptr ? "(null)" : text) << "\n  does not contain: " << part << "\n";
}

template <typename Statement>
void dies(Statement statement, const char *part, const char *text, const char *file, int line)
{
    int ends[2];
    std::fflush(nullptr);
    if (pipe(ends) != 0) {
        fail(file, line) << "no pipe\n";
        return;
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        statement();
        _exit(0);
    }
    close(ends[1]);
    std::string printed;
    char piece[512];
    ssize_t size;
    while ((size = read(ends[0], piece, sizeof piece)) > 0) printed.append(piece, static_cast<size_t>(size));
    close(ends[0]);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail(file, line) << "no child\n";
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        fail(file, line) << text << " did not die\n" << printed;
    else
        contains(printed.c_str(), part, file, line);
}

inline int run(const char *part)
{
    int count = 0;
    for (const Test &test : tests()) {
        if (std::strstr(test.name, part) == nullptr) continue;
        count++;
        const int before = failures();
        test.body();
        if (const int found = aclnnEmulatorReset()) fail(test.name, 0) << found << " finding(s) not asked for\n";
        std::cout << (failures() == before ? "passed " : "FAILED ") << test.name << std::endl;
    }
    if (count == 0) std::cerr << "no test is named like " << part << "\n";
    return failures() != 0 || count == 0 ? 1 : 0;
}

}  // namespace test_main

#define TEST(name)                                                               \
    static void name();                                                          \
    static const bool name##_is_known = test_main::add(#name, name);             \
    static void name()
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(test_main::fail(__FILE__, __LINE__) << #condition << " is false\n"))
#define EXPECT_EQ(left, right) test_main::equal(left, right, #left, __FILE__, __LINE__)
#define EXPECT_TEXT(text, part) test_main::contains(text, part, __FILE__, __LINE__)
#define EXPECT_DEATH(statement, part) test_main::dies([&] { statement; }, part, #statement, __FILE__, __LINE__)

int main(int count, char **arguments) { return test_main::run(count > 1 ? arguments[1] : ""); }
