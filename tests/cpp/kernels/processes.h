// A program that runs in two processes, which pass messages through pipes.
#ifndef PROCESSES_H
#define PROCESSES_H

#include "programs.h"

#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

template <typename T>
bool sends(int pipe, const T &value)
{
    return write(pipe, &value, sizeof(value)) == sizeof(value);
}

template <typename T>
bool receives(int pipe, T &value)
{
    return read(pipe, &value, sizeof(value)) == sizeof(value);
}

// the pipes of the second process
struct Pipes {
    int to = std::atoi(std::getenv("SHARE_TO"));
    int from = std::atoi(std::getenv("SHARE_FROM"));
};

// Run `first(to, from)` here, and the program `second` in another process.
inline int two_processes(char **argv, int (*first)(int, int), const char *second)
{
    int there[2] = {}, back[2] = {}, status = -1;
    CHECK(pipe(there));
    CHECK(pipe(back));
    const pid_t child = fork();
    if (child == 0) {
        setenv("SHARE_FROM", std::to_string(there[0]).c_str(), 1);
        setenv("SHARE_TO", std::to_string(back[1]).c_str(), 1);
        close(there[1]);
        execl("/proc/self/exe", "programs", argv[1], second, static_cast<char *>(nullptr));
        _exit(3);
    }
    close(there[0]);
    close(back[1]);
    CHECK(first(there[1], back[0]));
    CHECK(waitpid(child, &status, 0) != child);
    CHECK(status);
    return 0;
}

#endif
