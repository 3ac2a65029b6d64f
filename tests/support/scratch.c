#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    abort();
}

char *scratch_new(void)
{
    const char *parent = getenv("TMPDIR");
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/gpudoctor-test-XXXXXX", parent ? parent : "/tmp");
    check(mkdtemp(name) != NULL, name);
    return strdup(name);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    remove(path);
    return 0;
}

void scratch_remove(char *root)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(root);
}

/* Makes the folders above `path` and gives the whole path, in a buffer that the next call reuses.
 */
static const char *place(const char *root, const char *path)
{
    static char full[PATH_MAX];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    return full;
}

void scratch_folder(const char *root, const char *path)
{
    mkdir(place(root, path), 0755);
}

void scratch_write_bytes(const char *root, const char *path, const void *bytes, size_t size)
{
    const char *full = place(root, path);
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    check(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0, full);
}

void scratch_write(const char *root, const char *path, const char *text)
{
    scratch_write_bytes(root, path, text, strlen(text));
}

void scratch_link(const char *root, const char *path, const char *target)
{
    const char *full = place(root, path);
    check(symlink(target, full) == 0, full);
}

void scratch_fifo(const char *root, const char *path)
{
    const char *full = place(root, path);
    check(mkfifo(full, 0644) == 0, full);
}

void scratch_socket(const char *root, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *full = place(root, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(fd >= 0 && strlen(full) < sizeof address.sun_path, full);
    memcpy(address.sun_path, full, strlen(full) + 1);
    check(bind(fd, (struct sockaddr *)&address, sizeof address) == 0, full);
    close(fd);
}

size_t scratch_open_files(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    check(folder != NULL, "/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

size_t scratch_children(void)
{
    size_t count = 0;
    char path[64];
    FILE *file;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "r");
    if (!file) {
        /* A kernel without that file still tells whether there is any. */
        siginfo_t info = {0};
        return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    }
    for (int pid; fscanf(file, "%d", &pid) == 1;)
        count++;
    fclose(file);
    return count;
}
