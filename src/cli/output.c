/* Output to standard output or to a file that is whole or not there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"

static int write_all(int fd, const char *data, size_t length)
{
    while (length) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        data += n;
        length -= (size_t)n;
    }
    return 0;
}

/* Writes beside the target and renames; what is at the path now stays whole until then. */
static int write_file(const char *path, const char *data, size_t length)
{
    CLEANUP_TEXT struct text beside = {0};
    text_printf(&beside, "%s.XXXXXX", path);
    int fd = mkostemp(beside.data, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    mode_t mask = umask(0);
    umask(mask);
    int code = write_all(fd, data, length);
    if (code == 0 && fchmod(fd, 0666 & ~mask) < 0)
        code = -errno;
    if (close(fd) < 0 && code == 0)
        code = -errno;
    if (code == 0 && rename(beside.data, path) < 0)
        code = -errno;
    if (code < 0)
        unlink(beside.data);
    return code;
}

/* A device or pipe (/dev/stdout, /dev/null) is written to, never replaced. */
static int write_path(const char *path, const char *data, size_t length)
{
    struct stat status;
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        return write_file(path, data, length);
    CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? -errno : write_all(fd, data, length);
}

int write_output(const char *path, const char *data, size_t length)
{
    if (path && strcmp(path, "-") == 0)
        path = NULL;
    int code = path ? write_path(path, data, length) : write_all(STDOUT_FILENO, data, length);
    if (code == -EPIPE && !path)
        return STATUS_BROKEN; /* the reader has gone; nobody is left to tell */
    if (code < 0)
        return complain(path ? STATUS_USAGE : STATUS_BROKEN, "cannot write %s: %s",
                        path ? path : "standard output", strerror(-code));
    return STATUS_OK;
}

int write_json(const char *path, json_t *json)
{
    /* ASCII only: nothing in the document can steer a terminal that shows it */
    char *document = json_dumps(json, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(json);
    if (!document)
        return complain(STATUS_BROKEN, "cannot make the JSON document");
    CLEANUP_TEXT struct text line = {0};
    text_add(&line, document);
    text_add_char(&line, '\n');
    free(document);
    return write_output(path, text_get(&line), line.length);
}
