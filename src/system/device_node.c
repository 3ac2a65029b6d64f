/* Device nodes and whether this user may open them; none is opened. */
#include <errno.h>

#include "probe/probe.h"

/* A folder that is closed must not read as one without nodes. */
static void note_unread(struct probe_context *context, const struct machine_unread *unread)
{
    if (unread->error == -EFBIG)
        probe_note_status(context, "device_node", NULL, unread->path, "malformed", "device_node",
                          "there are more device nodes than are listed");
    else
        probe_note(context, "device_node", NULL, unread->path, unread->error, "device_node",
                   unread->error ? NULL : "only the first of its nodes are listed");
}

static int run(struct probe_context *context)
{
    struct machine_devices devices = {0};
    int code = machine_devices(context->machine, context->arena, &devices);
    probe_note(context, "device_node", NULL, "/dev", code, "device_node", NULL);
    for (size_t i = 0; code == 0 && i < devices.unread_count; i++)
        note_unread(context, &devices.unread[i]);
    for (size_t i = 0; code == 0 && i < devices.count; i++) {
        const struct machine_device *d = &devices.items[i];
        facts_add_device_node(
            context->facts,
            &(struct row_device_node){
                .path = d->path,
                .mode = known(d->mode),
                .owner = d->owner,
                .owner_group = d->group,
                .major = known(d->major),
                .minor = known(d->minor),
                .usable = d->access_errno < 0 ? UNKNOWN : known(d->access_errno == 0),
                .error = d->access_errno > 0 ? known(d->access_errno) : UNKNOWN,
            });
    }
    return 0;
}

const struct probe probe_device_node = {
    .name = "device_node",
    .phase = PHASE_PASSIVE,
    .writes = "device_node",
    .run = run,
};
