/* A disk that fails at a chosen write, for every program that is started with LD_PRELOAD: Python, Rust, Java.

   Counted are, below FAULT_FOLDER and in paths that contain `within`, all that makes or changes files: opening to write,
   writing, renaming, linking. The count and the fault are in the file FAULT_FILE, which all processes of a run share, and
   which may tell another fault while they live. At number `at` (0: never) happens what `kind` says:
     full    this and all later ones fail: there is no room; what exists can still be opened
     error   this one fails
     late    this one is done, and told as failed
     kill    the process group dies before it; after: behind it */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 65536
static char watched[FILES];
static struct fault { long counted, at; char kind[16], within[240]; } *fault;
static const char *folder;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("FAULT_FILE");
    folder = getenv("FAULT_FOLDER");
    if (!file || !folder) return;
    int (*open_)(const char *, int, ...) = next("open");
    int fd = open_(file, O_RDWR);
    if (fd < 0) return;
    void *page = mmap(0, sizeof(struct fault), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) fault = page;
    close(fd);
}

static int is_watched(const char *path) {
    return fault && path && !strncmp(path, folder, strlen(folder)) && strstr(path, fault->within);
}

enum { GOES_ON, FAILS, IS_TOLD_AS_FAILED, DIES_AFTER };

static int decide(void) {
    long number = __atomic_add_fetch(&fault->counted, 1, __ATOMIC_SEQ_CST), at = fault->at;
    if (!at || number < at) return GOES_ON;
    if (!strcmp(fault->kind, "full")) { errno = ENOSPC; return FAILS; }
    if (number > at) return GOES_ON;
    if (!strcmp(fault->kind, "error")) { errno = EIO; return FAILS; }
    if (!strcmp(fault->kind, "kill")) kill(0, SIGKILL);
    return !strcmp(fault->kind, "late") ? IS_TOLD_AS_FAILED : !strcmp(fault->kind, "after") ? DIES_AFTER : GOES_ON;
}

static long end(int decision, long result) {
    if (decision == DIES_AFTER) kill(0, SIGKILL);
    if (decision != IS_TOLD_AS_FAILED) return result;
    errno = EIO;
    return -1;
}

#define WITH_FAULT(holds, type, call) \
    do { \
        if (!(holds)) return call; \
        int decision = decide(); \
        return decision == FAILS ? -1 : (type)end(decision, (long)(call)); \
    } while (0)

static int is_of_watched_file(int fd) { return fault && fd >= 0 && fd < FILES && watched[fd]; }

static int opened(int fd, int holds) {
    if (fd >= 0 && fd < FILES) watched[fd] = (char)holds;
    return fd;
}

/* Whether a file can be opened all the same: on a full disk, if it exists. `errno` stays if it cannot. */
static int has_room(const char *path) {
    int before = errno, has = before == ENOSPC && !access(path, F_OK);
    errno = before;
    return has;
}

#define OPEN(name, declared, path, given) \
    int name declared { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        int (*real) declared = next(#name); \
        int holds = (flags & O_ACCMODE) != O_RDONLY && is_watched(path); \
        if (holds && flags & O_CREAT && decide() == FAILS && !has_room(path)) return -1; \
        return opened(real given, holds); \
    }

OPEN(open, (const char *path, int flags, ...), path, (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), path, (path, flags, mode))
OPEN(openat, (int base, const char *path, int flags, ...), path, (base, path, flags, mode))
OPEN(openat64, (int base, const char *path, int flags, ...), path, (base, path, flags, mode))

int close(int fd) {
    if (fd >= 0 && fd < FILES) watched[fd] = 0;
    int (*real)(int) = next("close");
    return real(fd);
}

ssize_t write(int fd, const void *from, size_t size) {
    ssize_t (*real)(int, const void *, size_t) = next("write");
    WITH_FAULT(is_of_watched_file(fd), ssize_t, real(fd, from, size));
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t place) {
    ssize_t (*real)(int, const void *, size_t, off64_t) = next("pwrite64");
    WITH_FAULT(is_of_watched_file(fd), ssize_t, real(fd, from, size, place));
}

ssize_t writev(int fd, const struct iovec *parts, int number) {
    ssize_t (*real)(int, const struct iovec *, int) = next("writev");
    WITH_FAULT(is_of_watched_file(fd), ssize_t, real(fd, parts, number));
}

ssize_t sendfile64(int into, int from, off64_t *place, size_t size) {
    ssize_t (*real)(int, int, off64_t *, size_t) = next("sendfile64");
    WITH_FAULT(is_of_watched_file(into), ssize_t, real(into, from, place, size));
}

ssize_t copy_file_range(int from, off64_t *begin, int into, off64_t *place, size_t size, unsigned flags) {
    ssize_t (*real)(int, off64_t *, int, off64_t *, size_t, unsigned) = next("copy_file_range");
    WITH_FAULT(is_of_watched_file(into), ssize_t, real(from, begin, into, place, size, flags));
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = next("rename");
    WITH_FAULT(is_watched(to), int, real(from, to));
}

int renameat(int base, const char *from, int place, const char *to) {
    int (*real)(int, const char *, int, const char *) = next("renameat");
    WITH_FAULT(is_watched(to), int, real(base, from, place, to));
}

int renameat2(int base, const char *from, int place, const char *to, unsigned flags) {
    int (*real)(int, const char *, int, const char *, unsigned) = next("renameat2");
    WITH_FAULT(is_watched(to), int, real(base, from, place, to, flags));
}

int link(const char *from, const char *to) {
    int (*real)(const char *, const char *) = next("link");
    WITH_FAULT(is_watched(to), int, real(from, to));
}

int linkat(int base, const char *from, int place, const char *to, int flags) {
    int (*real)(int, const char *, int, const char *, int) = next("linkat");
    WITH_FAULT(is_watched(to), int, real(base, from, place, to, flags));
}
