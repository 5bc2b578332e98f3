/* Makes the n-th write to a file fail as on a full disk (FAIL_WRITE=n, in the environment of a program that is
 * started with LD_PRELOAD); writes to pipes and terminals do not count. FAIL_SYNC=1 makes fsync fail, FAIL_RENAME=1
 * rename. scripts/soak.sh builds and uses it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long written;

static int fails(int file) {
    const char *wanted = getenv("FAIL_WRITE");
    struct stat facts;
    if (!wanted || fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return 0;
    return atomic_fetch_add(&written, 1) + 1 == atol(wanted);
}

ssize_t write(int file, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (fails(file)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, bytes, count);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    static ssize_t (*real)(int, const struct iovec *, int);
    if (!real) real = (ssize_t (*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
    if (fails(file)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, parts, count);
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    if (getenv("FAIL_SYNC")) {
        errno = EIO;
        return -1;
    }
    return real(file);
}

int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (!real) real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    if (getenv("FAIL_RENAME")) {
        errno = EDQUOT;
        return -1;
    }
    return real(from, to);
}
