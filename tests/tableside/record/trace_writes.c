/* Preloaded into a writer. It lets a write, truncation or flush of a file in the folder TRACE_DIR fail
   if `fail_at` was called. It also notes every write, truncation, flush, removal and renaming of files in the
   folder, in the file TRACE_FILE, in the order in which they happen. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int trace = -1;
static char folder[4096];
static int path_of(int fd, char *path);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ssize_t (*real_write)(int, const void *, size_t);

static long calls, fail_from = -1, fail_until;
static int fail_with;

/* From now on, of the calls counted from 0, the next `count` from number `first` on fail. */
void fail_at(long first, long count, int error)
{
    calls = 0;
    fail_from = first;
    fail_until = first + count;
    fail_with = error;
}

long calls_made(void)
{
    return calls;
}

static int fails(int fd)
{
    char path[4096];
    if (fail_from < 0 || !path_of(fd, path))
        return 0;
    long call = calls++;
    if (call < fail_from || call >= fail_until)
        return 0;
    errno = fail_with;
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    real_write = dlsym(RTLD_NEXT, "write");
    const char *dir = getenv("TRACE_DIR"), *file = getenv("TRACE_FILE");
    if (dir && realpath(dir, folder) && file)
        trace = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_traced(const char *path)
{
    size_t length = strlen(folder);
    return length && strncmp(path, folder, length) == 0 && path[length] == '/';
}

static int path_of(int fd, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = !*folder || fd == trace ? -1 : readlink(link, path, 4095);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_traced(path);
}

static void note(char what, const char *path, long long offset, const void *data, size_t size)
{
    char head[4200];
    int length = snprintf(head, sizeof head, "%c\t%s\t%lld\t%zu\n", what, path, offset, size);
    if (trace < 0)
        return;
    pthread_mutex_lock(&lock);
    if (real_write(trace, head, length) != length
        || (size && real_write(trace, data, size) != (ssize_t)size))
        abort();
    pthread_mutex_unlock(&lock);
}

ssize_t write(int fd, const void *data, size_t size)
{
    char path[4096];
    if (fails(fd))
        return -1;
    int traced = path_of(fd, path);
    off_t at = traced ? lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR) : 0;
    ssize_t done = real_write(fd, data, size);
    if (traced && done > 0)
        note('W', path, at, data, done);
    return done;
}

#define PWRITE(name, offset_type)                                                 \
    ssize_t name(int fd, const void *data, size_t size, offset_type at)           \
    {                                                                             \
        ssize_t (*real)(int, const void *, size_t, offset_type) = dlsym(RTLD_NEXT, #name); \
        char path[4096];                                                          \
        if (fails(fd))                                                            \
            return -1;                                                            \
        ssize_t done = real(fd, data, size, at);                                  \
        if (done > 0 && path_of(fd, path))                                        \
            note('W', path, at, data, done);                                      \
        return done;                                                              \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset_type)                                               \
    int name(int fd, offset_type size)                                            \
    {                                                                             \
        int (*real)(int, offset_type) = dlsym(RTLD_NEXT, #name);                  \
        char path[4096];                                                          \
        if (fails(fd))                                                            \
            return -1;                                                            \
        int done = real(fd, size);                                                \
        if (done == 0 && path_of(fd, path))                                       \
            note('T', path, size, NULL, 0);                                       \
        return done;                                                              \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define FLUSH(name)                                                               \
    int name(int fd)                                                              \
    {                                                                             \
        int (*real)(int) = dlsym(RTLD_NEXT, #name);                               \
        char path[4096];                                                          \
        if (fails(fd))                                                            \
            return -1;                                                            \
        int done = real(fd);                                                      \
        if (done == 0 && path_of(fd, path))                                       \
            note('S', path, 0, NULL, 0);                                          \
        return done;                                                              \
    }
FLUSH(fsync)
FLUSH(fdatasync)

int unlink(const char *path)
{
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    int done = real(path);
    if (done == 0 && is_traced(path))
        note('U', path, 0, NULL, 0);
    return done;
}
