// A file system without files that have no name (O_TMPFILE) and without renames that replace nothing, such as NFS, for
// every program that has this library preloaded. With PLAIN_FILES_LINKS=none it has no hard links either, as 9p and many
// file systems in user space.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int renameat2(int oldFolder, const char *oldName, int newFolder, const char *newName, unsigned flags) {
    if (!flags) return renameat(oldFolder, oldName, newFolder, newName);
    errno = EINVAL;
    return -1;
}

int linkat(int oldFolder, const char *oldName, int newFolder, const char *newName, int flags) {
    if (!getenv("PLAIN_FILES_LINKS")) return (int)syscall(SYS_linkat, oldFolder, oldName, newFolder, newName, flags);
    errno = EPERM;
    return -1;
}

static int openNamed(int folder, const char *path, int flags, mode_t mode) {
    if ((flags & O_TMPFILE) != O_TMPFILE) return (int)syscall(SYS_openat, folder, path, flags, mode);
    errno = EOPNOTSUPP;
    return -1;
}

#define MODE(flags)                                               \
    mode_t mode = 0;                                              \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                      \
        va_list arguments;                                        \
        va_start(arguments, flags);                               \
        mode = va_arg(arguments, mode_t);                         \
        va_end(arguments);                                        \
    }

int open(const char *path, int flags, ...) { MODE(flags) return openNamed(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return openNamed(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return openNamed(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return openNamed(folder, path, flags, mode); }
