// Failures of a disk below a running program: loaded with LD_PRELOAD, it stands between the program (SQLite included) and
// the C library, and has calls fail as the rules say that it shares with a test through the file TRIBUTARY_FAULTS.
//
// The test writes a rule and sets `active` last; from then on calls of the kinds in `calls` on paths that match `pattern`
// fail. The program needs no restart for a failure to begin or to end. Without the file nothing fails.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The kinds of calls, as bits of `calls`. FaultRule.swift has the same values.
enum { OPEN = 1, WRITE = 2, SYNC = 4, TRUNCATE = 8, RENAME = 16, READ = 32, LOOK = 64 };
enum { RULES = 4, PATTERN = 256 };

// FaultControl.swift writes this layout.
struct rule {
    uint32_t active;
    uint32_t calls;
    // errno of the failure; 0 for none: then only `torn` has an effect.
    int32_t error;
    // Half of the bytes are written before the failure, or instead of all bytes when there is no failure.
    uint32_t torn;
    // The calls that still succeed, and the calls that fail after them; a negative count is for all.
    int64_t skip;
    int64_t count;
    // The calls that have failed.
    int64_t hits;
    char pattern[PATTERN];
};

struct fault {
    int error;
    int torn;
};

static struct rule *rules;

__attribute__((constructor)) static void attach(void) {
    const char *path = getenv("TRIBUTARY_FAULTS");
    if (path == NULL) return;
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (descriptor < 0) abort();
    void *memory = mmap(NULL, sizeof(struct rule) * RULES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    syscall(SYS_close, descriptor);
    if (memory == MAP_FAILED) abort();
    rules = memory;
}

static int any(uint32_t call) {
    if (rules == NULL) return 0;
    for (int index = 0; index < RULES; index++)
        if (__atomic_load_n(&rules[index].active, __ATOMIC_ACQUIRE) && (rules[index].calls & call)) return 1;
    return 0;
}

// Whether a call on a path is to fail, and how.
static int fails(uint32_t call, const char *path, struct fault *fault) {
    for (int index = 0; index < RULES; index++) {
        struct rule *rule = &rules[index];
        if (!__atomic_load_n(&rule->active, __ATOMIC_ACQUIRE) || !(rule->calls & call)) continue;
        if (fnmatch(rule->pattern, path, 0) != 0) continue;
        if (__atomic_load_n(&rule->skip, __ATOMIC_RELAXED) > 0
            && __atomic_fetch_sub(&rule->skip, 1, __ATOMIC_RELAXED) > 0) continue;
        if (__atomic_load_n(&rule->count, __ATOMIC_RELAXED) >= 0) {
            int64_t left = __atomic_fetch_sub(&rule->count, 1, __ATOMIC_RELAXED);
            if (left <= 0) {
                __atomic_store_n(&rule->count, 0, __ATOMIC_RELAXED);
                continue;
            }
        }
        __atomic_fetch_add(&rule->hits, 1, __ATOMIC_RELAXED);
        fault->error = rule->error;
        fault->torn = (int)rule->torn;
        return 1;
    }
    return 0;
}

static int failsAt(uint32_t call, int folder, const char *name, struct fault *fault) {
    if (!any(call) || name == NULL) return 0;
    int former = errno;
    char path[2 * PATH_MAX + 2] = "";
    if (name[0] != '/' && folder != AT_FDCWD) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX);
        if (length < 0) length = 0;
        path[length] = '/';
        path[length + 1] = 0;
    }
    strncat(path, name, PATH_MAX);
    int result = fails(call, path, fault);
    errno = former;
    return result;
}

static int failsOn(uint32_t call, int descriptor, struct fault *fault) {
    if (!any(call)) return 0;
    int former = errno;
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX);
    path[length < 0 ? 0 : length] = 0;
    int result = length > 0 && fails(call, path, fault);
    errno = former;
    return result;
}

static int failure(int error) {
    errno = error;
    return -1;
}

// MARK: Opening

static int openAt(int folder, const char *path, int flags, mode_t mode) {
    struct fault fault;
    if (failsAt(OPEN, folder, path, &fault) && fault.error) return failure(fault.error);
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE(flags)                                               \
    mode_t mode = 0;                                              \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                      \
        va_list arguments;                                        \
        va_start(arguments, flags);                               \
        mode = va_arg(arguments, mode_t);                         \
        va_end(arguments);                                        \
    }

int open(const char *path, int flags, ...) { MODE(flags) return openAt(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return openAt(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return openAt(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return openAt(folder, path, flags, mode); }

// MARK: Looking

int access(const char *path, int mode) {
    struct fault fault;
    if (failsAt(LOOK, AT_FDCWD, path, &fault) && fault.error) return failure(fault.error);
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

int stat(const char *restrict path, struct stat *restrict status) {
    struct fault fault;
    if (failsAt(LOOK, AT_FDCWD, path, &fault) && fault.error) return failure(fault.error);
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

// MARK: Writing and reading

ssize_t write(int descriptor, const void *bytes, size_t count) {
    struct fault fault;
    if (!failsOn(WRITE, descriptor, &fault)) return syscall(SYS_write, descriptor, bytes, count);
    ssize_t written = fault.torn && count > 1 ? syscall(SYS_write, descriptor, bytes, count / 2) : 0;
    if (fault.error) return failure(fault.error);
    return count > 1 ? written : syscall(SYS_write, descriptor, bytes, count);
}

static ssize_t writeAt(int descriptor, const void *bytes, size_t count, off_t offset) {
    struct fault fault;
    if (!failsOn(WRITE, descriptor, &fault)) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    ssize_t written = fault.torn && count > 1 ? syscall(SYS_pwrite64, descriptor, bytes, count / 2, offset) : 0;
    if (fault.error) return failure(fault.error);
    return count > 1 ? written : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return writeAt(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return writeAt(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    struct fault fault;
    if (!failsOn(WRITE, descriptor, &fault)) return syscall(SYS_writev, descriptor, parts, count);
    if (fault.error) return failure(fault.error);
    // The first part only.
    return syscall(SYS_writev, descriptor, parts, count > 1 ? 1 : count);
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    struct fault fault;
    if (failsOn(READ, descriptor, &fault) && fault.error) return failure(fault.error);
    return syscall(SYS_read, descriptor, bytes, count);
}

static ssize_t readAt(int descriptor, void *bytes, size_t count, off_t offset) {
    struct fault fault;
    if (failsOn(READ, descriptor, &fault) && fault.error) return failure(fault.error);
    return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return readAt(descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    return readAt(descriptor, bytes, count, offset);
}

// MARK: Syncing, truncating, naming

int fsync(int descriptor) {
    struct fault fault;
    if (failsOn(SYNC, descriptor, &fault) && fault.error) return failure(fault.error);
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    struct fault fault;
    if (failsOn(SYNC, descriptor, &fault) && fault.error) return failure(fault.error);
    return (int)syscall(SYS_fdatasync, descriptor);
}

static int truncateTo(int descriptor, off_t length) {
    struct fault fault;
    if (failsOn(TRUNCATE, descriptor, &fault) && fault.error) return failure(fault.error);
    return (int)syscall(SYS_ftruncate, descriptor, length);
}

int ftruncate(int descriptor, off_t length) { return truncateTo(descriptor, length); }
int ftruncate64(int descriptor, off64_t length) { return truncateTo(descriptor, length); }

int renameat2(int oldFolder, const char *oldName, int newFolder, const char *newName, unsigned flags) {
    struct fault fault;
    if (failsAt(RENAME, newFolder, newName, &fault) && fault.error) return failure(fault.error);
    return (int)syscall(SYS_renameat2, oldFolder, oldName, newFolder, newName, flags);
}

int renameat(int oldFolder, const char *oldName, int newFolder, const char *newName) {
    return renameat2(oldFolder, oldName, newFolder, newName, 0);
}

int rename(const char *oldName, const char *newName) { return renameat2(AT_FDCWD, oldName, AT_FDCWD, newName, 0); }

int linkat(int oldFolder, const char *oldName, int newFolder, const char *newName, int flags) {
    struct fault fault;
    if (failsAt(RENAME, newFolder, newName, &fault) && fault.error) return failure(fault.error);
    return (int)syscall(SYS_linkat, oldFolder, oldName, newFolder, newName, flags);
}
