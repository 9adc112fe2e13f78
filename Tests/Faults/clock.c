// A wrong clock of a running program: loaded with LD_PRELOAD, it stands between the program and the C library, and adds the
// milliseconds in the file TRIBUTARY_CLOCK to the time of day. A test changes them while the program runs.
//
// Deadlines are not moved: the clocks that only measure durations stay as they are, and so does libdispatch, which computes
// absolute deadlines for the kernel.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// ClockControl.swift writes this number.
static int64_t *milliseconds;

__attribute__((constructor)) static void attach(void) {
    const char *path = getenv("TRIBUTARY_CLOCK");
    if (path == NULL) return;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) abort();
    void *memory = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED) abort();
    milliseconds = memory;
}

static int moves(const void *caller) {
    Dl_info library;
    return milliseconds != NULL
        && !(dladdr(caller, &library) != 0 && library.dli_fname != NULL && strstr(library.dli_fname, "libdispatch.so"));
}

static void move(struct timespec *time) {
    int64_t offset = __atomic_load_n(milliseconds, __ATOMIC_ACQUIRE);
    time->tv_sec += offset / 1000;
    time->tv_nsec += offset % 1000 * 1000000;
    if (time->tv_nsec >= 1000000000) {
        time->tv_sec += 1;
        time->tv_nsec -= 1000000000;
    } else if (time->tv_nsec < 0) {
        time->tv_sec -= 1;
        time->tv_nsec += 1000000000;
    }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && clock == CLOCK_REALTIME && moves(__builtin_return_address(0))) move(now);
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    if (syscall(SYS_clock_gettime, CLOCK_REALTIME, &time) != 0) return -1;
    if (moves(__builtin_return_address(0))) move(&time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec time;
    if (syscall(SYS_clock_gettime, CLOCK_REALTIME, &time) != 0) return -1;
    if (moves(__builtin_return_address(0))) move(&time);
    if (now != NULL) *now = time.tv_sec;
    return time.tv_sec;
}
