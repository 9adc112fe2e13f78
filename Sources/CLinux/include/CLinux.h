#ifndef TRIBUTARY_CLINUX_H
#define TRIBUTARY_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The peer of a connected Unix socket (SO_PEERCRED).
struct clinux_peer_credentials {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// Fills `credentials`; 0, or -1 with errno.
int clinux_peer_credentials(int descriptor, struct clinux_peer_credentials *credentials);

/// The supplementary groups of the peer (SO_PEERGROUPS). `count` is the room in `groups` on entry and the number of groups
/// on return; -1 with errno ERANGE when there is too little room.
int clinux_peer_groups(int descriptor, gid_t *groups, size_t *count);

/// renameat2(2) with RENAME_NOREPLACE: never replaces a file; 0, or -1 with errno. On a file system without this flag, such
/// as NFS, it makes a hard link with the new name, which does not replace a file either, and removes the old name. Without
/// hard links, an empty file takes the new name first and is then replaced: readers may see it for a moment.
int clinux_rename_noreplace(int old_directory, const char *old_name, int new_directory, const char *new_name);

/// openat(2) without C variadics; a file descriptor, or -1 with errno.
int clinux_openat(int directory, const char *name, int flags, mode_t mode);

/// Opens a folder to list it; a descriptor, or -1 with errno. For root, the error is ENOLINK if the path contains a symbolic
/// link of another user, because that user could lead root to any file. Other users follow all links.
int clinux_open_folder(const char *path);

/// A descriptor that becomes readable when somebody sets the wall clock (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET); -1 with
/// errno.
int clinux_watch_clock(void);

/// Reads the event of the descriptor of `clinux_watch_clock`; 1 when the wall clock was set, else 0. Does not wait.
int clinux_clock_was_set(int descriptor);

/// sync_file_range(2): starts to write the bytes of a file to the disk, without waiting. It is a hint, and does not fail.
void clinux_start_writing(int descriptor);

/// Whether `bytes` contain `part` (memmem(3)); 1 or 0.
int clinux_contains(const void *bytes, size_t count, const void *part, size_t part_count);

/// The kind of the file system at `path` (statfs(2) f_type); 0 when it cannot be determined.
uint32_t clinux_file_system(const char *path);

/// The marks that distinguish a file from others: its inode, its birth time in nanoseconds since 1970 (0 when the file
/// system does not record it), and the number of its file system.
struct clinux_file_mark {
    uint64_t inode;
    int64_t born;
    uint64_t file_system;
};

/// Fills the mark of the file at `path`, behind symbolic links (statx(2), statfs(2)); 0, or -1 with errno.
int clinux_read_file_mark(const char *path, struct clinux_file_mark *mark);

/// The owner and the permissions of a file.
struct clinux_file_owner {
    uid_t user;
    gid_t group;
    mode_t mode;
    uint64_t device;
};

/// Fills the owner of the file at `path` (stat(2)), or of the symbolic link itself without `follows`; 0, or -1 with errno.
int clinux_read_file_owner(const char *path, int follows, struct clinux_file_owner *owner);

/// Changes the user and the groups of this process, which runs as root, permanently (setgroups(2), setresgid(2),
/// setresuid(2)); 0, or -1 with errno. The process must end after an error.
int clinux_assume_user(uid_t user, gid_t group, const gid_t *groups, size_t count);

/// Writes the text to standard error if the calling thread stops the program by a trap or abort() before
/// `clinux_disarm_last_words`. One thread at a time; the text must keep its address.
void clinux_arm_last_words(const char *text, size_t length);

/// Reverts `clinux_arm_last_words`.
void clinux_disarm_last_words(void);

/// Keeps the heap small in a program where threads free the memory of other threads: all threads share one arena, and large
/// blocks return to the system when they are freed. Threads that have allocated before keep their arenas. Does nothing
/// without glibc.
void clinux_keep_heap_small(void);

/// Records the begin or the end of the answer to a request that should not wait for a processor.
void clinux_note_request(void);

/// Yields the calling thread's processor to waiting threads, for 50 ms after `clinux_note_request`, at most every 0.1 ms. A
/// request that takes longer has had its turn. Linux interrupts a thread for a thread that wakes up only at the next tick,
/// up to 4 ms later, whatever their priorities are. Without a request the thread does not yield: since Linux 6.6 another
/// busy program would get a whole slice each time.
void clinux_let_requests_run(void);

/// Swift's runtime: retains an object and returns it, or null when its end has begun.
void *swift_tryRetain(void *object);

#endif
