/* One run: knowledge, a machine, its facts, the verdicts. The command line and libgpudoctor both
 * work through this and nothing else. */
#ifndef API_SESSION_H
#define API_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/engine.h"
#include "machine/machine.h"
#include "probe/probe.h"

/* Who is to blame for a negative return: the caller's input (exit status 2), or the tool and its
 * rules (exit status 3). */
enum { SESSION_INPUT = -1, SESSION_BROKEN = -2 };

struct session_options {
    const char *root;       /* recorded tree or image; NULL: the live machine */
    const char *facts_file; /* snapshot to replay; NULL: probes run */
    const char *rules_dir;  /* more rules; NULL: none */
    struct probe_options probe;
    /* Only probes that fill one of these tables run, and those that fill what they read; `without`:
     * tables that they do without. Separated by spaces; `tables` NULL: all. Without rules_dir and
     * facts_file no rules are opened then (a tenth of the time), so that nothing can be judged and
     * only facts_query() may ask. */
    const char *tables, *without;
    bool with_rules; /* they are opened with `tables` too: what asks the matrix needs that */
    /* Nothing but facts is wanted: all probes run, and no rules are opened, as above. */
    bool only_facts;
    /* session_judge() follows: what can be got ready for it is, while the driver is awaited. */
    bool judges;
    /* Is told what is being done, as probe_context has it; NULL: nobody asks. */
    void (*progress)(void *watcher, const char *what, size_t done, size_t total);
    void *watcher;
    const char *const *require; /* "gpu", "driver" or FRAMEWORK[SPEC] */
    size_t require_count;
};

struct session;

/* Opens the knowledge: what was compiled in, /etc/gpudoctor/rules.d, then rules_dir. */
int session_open(const struct session_options *options, struct session **ret, struct error *err);
/* Fills the fact tables: runs the probes, or loads the snapshot. */
int session_collect(struct session *session, struct error *err);
/* Judges. result_done() by the caller. */
int session_judge(struct session *session, const struct engine_options *options, struct result *ret,
                  struct error *err);
struct engine *session_engine(struct session *session);
void session_free(struct session *session);
static inline void session_freep(struct session **session)
{
    session_free(*session);
}

/* Frameworks that can be required: is `name` one that a descriptor describes? */
bool session_knows_framework(struct session *session, const char *name);

#endif
