// A file system without files that have no name (O_TMPFILE) and without renames that replace nothing, such as NFS, for
// every program that has this library preloaded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

int renameat2(int oldFolder, const char *oldName, int newFolder, const char *newName, unsigned flags) {
    if (!flags) return renameat(oldFolder, oldName, newFolder, newName);
    errno = EINVAL;
    return -1;
}

static int openNamed(const char *path, int flags, va_list arguments) {
    static int (*real)(const char *, int, ...);
    if (!real) real = dlsym(RTLD_NEXT, "open64");
    if ((flags & O_TMPFILE) != O_TMPFILE) return real(path, flags, va_arg(arguments, mode_t));
    errno = EOPNOTSUPP;
    return -1;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int descriptor = openNamed(path, flags, arguments);
    va_end(arguments);
    return descriptor;
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int descriptor = openNamed(path, flags, arguments);
    va_end(arguments);
    return descriptor;
}
