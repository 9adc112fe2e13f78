#define _GNU_SOURCE
#include "CLinux.h"

#include <grp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

int clinux_peer_credentials(int descriptor, struct clinux_peer_credentials *credentials) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    credentials->pid = peer.pid;
    credentials->uid = peer.uid;
    credentials->gid = peer.gid;
    return 0;
}

int clinux_peer_groups(int descriptor, gid_t *groups, size_t *count) {
    socklen_t length = (socklen_t)(*count * sizeof(gid_t));
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) return -1;
    *count = length / sizeof(gid_t);
    return 0;
}

int clinux_rename_noreplace(int old_directory, const char *old_name, int new_directory, const char *new_name) {
    if (renameat2(old_directory, old_name, new_directory, new_name, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return -1;
    if (linkat(old_directory, old_name, new_directory, new_name, 0) == 0) {
        unlinkat(old_directory, old_name, 0);
        return 0;
    }
    if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP && errno != EINVAL) return -1;
    int claim = openat(new_directory, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (claim < 0) return -1;
    close(claim);
    if (renameat(old_directory, old_name, new_directory, new_name) == 0) return 0;
    int code = errno;
    unlinkat(new_directory, new_name, 0);
    errno = code;
    return -1;
}

int clinux_openat(int directory, const char *name, int flags, mode_t mode) {
    return openat(directory, name, flags, mode);
}

static int closing(int descriptor, int code) {
    if (descriptor >= 0) close(descriptor);
    errno = code;
    return -1;
}

int clinux_open_folder(const char *path) {
    const int shown = O_RDONLY | O_DIRECTORY | O_CLOEXEC, passed = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    char rest[2 * PATH_MAX], target[PATH_MAX];
    if (geteuid() != 0) return open(path, shown);
    if (strlen(path) >= PATH_MAX) return closing(-1, ENAMETOOLONG);
    strcpy(rest, path);
    int folder = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC), links = 0;
    char *name = rest;
    while (folder >= 0 && *(name += strspn(name, "/"))) {
        char *end = name + strcspn(name, "/"), last = *end;
        *end = 0;
        /* O_DIRECTORY has the kernel mount what is mounted on demand. */
        int below = openat(folder, name, passed | O_DIRECTORY);
        int link = below < 0 && (errno == ENOTDIR || errno == ELOOP) ? openat(folder, name, passed) : -1;
        int code = errno;
        *end = last;
        if (link < 0) {
            if (below < 0) return closing(folder, code);
            close(folder);
            folder = below;
            name = end;
            continue;
        }
        struct stat status;
        ssize_t length = fstat(link, &status) == 0 && S_ISLNK(status.st_mode) ? readlinkat(link, "", target, sizeof target) : 0;
        close(link);
        if (length <= 0) return closing(folder, ENOTDIR);
        if (status.st_uid != 0) return closing(folder, ENOLINK);
        if (++links > 40) return closing(folder, ELOOP);
        size_t left = strlen(end) + 1;
        if ((size_t)length + left > sizeof rest) return closing(folder, ENAMETOOLONG);
        memmove(rest + length, end, left);
        memcpy(rest, target, (size_t)length);
        name = rest;
        if (target[0] == '/') {
            close(folder);
            folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        }
    }
    if (folder < 0) return -1;
    int opened = openat(folder, ".", shown), code = errno;
    close(folder);
    errno = code;
    return opened;
}

void clinux_start_writing(int descriptor) {
    sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int clinux_contains(const void *bytes, size_t count, const void *part, size_t part_count) {
    return memmem(bytes, count, part, part_count) != NULL;
}

uint32_t clinux_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (uint32_t)status.f_type : 0;
}

int clinux_read_file_mark(const char *path, struct clinux_file_mark *mark) {
    struct statx status;
    struct statfs system;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &status) != 0) return -1;
    if (statfs(path, &system) != 0) return -1;
    mark->inode = status.stx_ino;
    mark->born = 0;
    if (status.stx_mask & STATX_BTIME) {
        // A time that is out of range is ignored.
        int64_t seconds = status.stx_btime.tv_sec;
        if (seconds > 0 && seconds < INT64_MAX / 1000000000 - 1) mark->born = seconds * 1000000000 + status.stx_btime.tv_nsec;
    }
    mark->file_system = 0;
    memcpy(&mark->file_system, &system.f_fsid, sizeof mark->file_system < sizeof system.f_fsid ? sizeof mark->file_system : sizeof system.f_fsid);
    return 0;
}

void clinux_keep_heap_small(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

int clinux_watch_clock(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (descriptor < 0) return -1;
    /* The timer itself never ends: the last second that every kernel takes. */
    struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};
    if (sizeof(time_t) > 4) never.it_value.tv_sec = (time_t)(INT64_MAX / 1000000000);
    if (timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0) return descriptor;
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
}

int clinux_clock_was_set(int descriptor) {
    uint64_t count;
    return read(descriptor, &count, sizeof count) < 0 && errno == ECANCELED;
}

static _Atomic uint64_t last_request;

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void clinux_note_request(void) { atomic_store_explicit(&last_request, nanoseconds(), memory_order_relaxed); }

void clinux_let_requests_run(void) {
    static _Thread_local uint64_t last;
    struct timespec time;
    uint64_t seen = atomic_load_explicit(&last_request, memory_order_relaxed);
    if (nanoseconds() - seen > 50000000) return;
    clock_gettime(CLOCK_MONOTONIC, &time);
    uint64_t now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    if (now - last < 100000) return;
    last = now;
    sched_yield();
}

int clinux_read_file_owner(const char *path, int follows, struct clinux_file_owner *owner) {
    struct stat status;
    if ((follows ? stat(path, &status) : lstat(path, &status)) != 0) return -1;
    owner->user = status.st_uid;
    owner->group = status.st_gid;
    owner->mode = status.st_mode;
    owner->device = status.st_dev;
    return 0;
}

int clinux_assume_user(uid_t user, gid_t group, const gid_t *groups, size_t count) {
    if (setgroups(count, groups) != 0 || setresgid(group, group, group) != 0) return -1;
    return setresuid(user, user, user);
}
