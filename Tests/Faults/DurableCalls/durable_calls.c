// Stands between the code under test and the C library, in the test's own process: a program's symbols come before those of
// its libraries. A missing fsync is seen in no other way than by a power failure.
#define _GNU_SOURCE
#include "durable_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct durable_calls {
    struct durable_calls *next;
    char *folder;
    char *text;
    size_t length;
    FILE *stream;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct durable_calls *recordings;

struct durable_calls *durable_calls_begin(const char *folder) {
    struct durable_calls *recording = calloc(1, sizeof *recording);
    if (recording == NULL) abort();
    recording->folder = realpath(folder, NULL);
    recording->stream = open_memstream(&recording->text, &recording->length);
    if (recording->folder == NULL || recording->stream == NULL) abort();
    pthread_mutex_lock(&lock);
    recording->next = recordings;
    recordings = recording;
    pthread_mutex_unlock(&lock);
    return recording;
}

char *durable_calls_end(struct durable_calls *recording) {
    pthread_mutex_lock(&lock);
    struct durable_calls **place = &recordings;
    while (*place != recording) place = &(*place)->next;
    *place = recording->next;
    pthread_mutex_unlock(&lock);
    fclose(recording->stream);
    char *text = recording->text;
    free(recording->folder);
    free(recording);
    return text;
}

static void record(const char *call, int folder, const char *name) {
    int former = errno;
    char path[2 * PATH_MAX + 2] = "";
    if (folder != AT_FDCWD && (name == NULL || name[0] != '/')) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        long length = readlink(link, path, PATH_MAX);
        path[length < 0 ? 0 : length] = 0;
        if (name != NULL) strcat(path, "/");
    }
    if (name != NULL) strncat(path, name, PATH_MAX);
    pthread_mutex_lock(&lock);
    for (struct durable_calls *each = recordings; each != NULL; each = each->next) {
        size_t length = strlen(each->folder);
        if (strncmp(path, each->folder, length) != 0 || (path[length] != '/' && path[length] != 0)) continue;
        fprintf(each->stream, "%s %s\n", call, path[length] == 0 ? "." : path + length + 1);
    }
    pthread_mutex_unlock(&lock);
    errno = former;
}

int fsync(int descriptor) {
    record("sync", descriptor, NULL);
    return (int)syscall(SYS_fsync, descriptor);
}

int renameat2(int old_folder, const char *old_name, int new_folder, const char *new_name, unsigned flags) {
    record("name", new_folder, new_name);
    return (int)syscall(SYS_renameat2, old_folder, old_name, new_folder, new_name, flags);
}

int rename(const char *old_name, const char *new_name) {
    return renameat2(AT_FDCWD, old_name, AT_FDCWD, new_name, 0);
}

int unlinkat(int folder, const char *name, int flags) {
    record("remove", folder, name);
    return (int)syscall(SYS_unlinkat, folder, name, flags);
}
