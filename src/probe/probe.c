#include "probe/probe.h"

#include <errno.h>
#include <string.h>

static const char *status_of(int code)
{
    switch (-code) {
    case 0:
        return "ok";
    case ENOENT:
    case ENOTDIR: /* a file where a folder on the way should be: nothing lies there */
        return "absent";
    case EACCES:
    case EPERM:
        return "denied";
    case ENODATA:
        return "skipped"; /* the record has no such part */
    default:
        return "malformed";
    }
}

static const char *detail_of(int code)
{
    switch (-code) {
    case 0:
    case ENOENT:
    case ENOTDIR:
        return NULL;
    case EFBIG:
        return "it is larger than any such file is";
    case EINVAL:
        return "it is not a regular file";
    case EISDIR:
        return "it is a folder";
    case ELOOP:
        return "its links lead in a circle";
    case EBADMSG:
        return "it does not hold what such a file holds";
    case ENODATA:
        return "what was recorded, or is unpacked, does not hold this";
    default:
        return strerror(-code);
    }
}

static void add_note(struct probe_context *context, const struct row_probe *row)
{
    struct row_probe full = *row;
    if (!full.scope)
        full.scope = "machine";
    facts_add_probe(context->facts, &full);
}

void probe_note(struct probe_context *context, const char *name, const char *scope,
                const char *path, int code, const char *fills, const char *detail)
{
    add_note(context,
             &(struct row_probe){
                 .name = name,
                 .scope = scope,
                 .status = status_of(code),
                 .path = path,
                 .error = code && code != -ENODATA && code != -EBADMSG ? known(-code) : UNKNOWN,
                 .detail = detail ? detail : detail_of(code),
                 .fills = fills,
             });
}

void probe_note_status(struct probe_context *context, const char *name, const char *scope,
                       const char *path, const char *status, const char *fills, const char *detail)
{
    add_note(context, &(struct row_probe){
                          .name = name,
                          .scope = scope,
                          .status = status,
                          .path = path,
                          .detail = detail,
                          .fills = fills,
                      });
}
