// A disk of 4 GiB with 2 GiB for the superuser alone: loaded with LD_PRELOAD, it stands between a program and the C library, and
// answers what the program asks about file systems. The file TRIBUTARY_VOLUME has the bytes that others may still write.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

static int describe(struct statvfs *volume) {
    const char *path = getenv("TRIBUTARY_VOLUME");
    FILE *file = path == NULL ? NULL : fopen(path, "re");
    // While a test writes the file it is empty, and the number before it stays.
    static _Atomic unsigned long long free;
    unsigned long long written;
    if (file == NULL) abort();
    if (fscanf(file, "%llu", &written) == 1) free = written;
    fclose(file);
    memset(volume, 0, sizeof *volume);
    volume->f_bsize = volume->f_frsize = 4096;
    volume->f_blocks = 1 << 20;
    volume->f_bfree = 1 << 19;
    volume->f_bavail = free / 4096;
    volume->f_namemax = 255;
    return 0;
}

int statvfs(const char *restrict path, struct statvfs *restrict volume) {
    (void)path;
    return describe(volume);
}

int statvfs64(const char *restrict path, struct statvfs64 *restrict volume) {
    (void)path;
    _Static_assert(sizeof(struct statvfs64) == sizeof(struct statvfs), "they are the same where offsets have 64 bits");
    return describe((struct statvfs *)volume);
}
