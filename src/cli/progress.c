#include "cli/progress.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

static const char wipe[] = "\r\033[K";
static const int64_t quiet_ns = 500 * 1000 * 1000, pause_ns = 100 * 1000 * 1000;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void put(const char *data, size_t length)
{
    /* a terminal that takes nothing is no reason to stop */
    ssize_t n = write(STDERR_FILENO, data, length);
    (void)n;
}

/* --- a signal that ends us must not leave the line behind --- */

static const int fatal_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* write() and raise() alone, which are safe in a handler. Its action was reset before it ran, and
 * the signal is blocked until it returns: then it ends the process as it would have. */
static void wipe_and_leave(int signal_number)
{
    put(wipe, sizeof wipe - 1);
    raise(signal_number);
}

static void catch_signals(bool on)
{
    struct sigaction ours = {.sa_handler = wipe_and_leave, .sa_flags = (int)SA_RESETHAND}, now;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++) {
        if (sigaction(fatal_signals[i], NULL, &now) != 0)
            continue;
        if (on && now.sa_handler == SIG_DFL) /* nohup's SIG_IGN stays */
            sigaction(fatal_signals[i], &ours, NULL);
        else if (!on && now.sa_handler == wipe_and_leave)
            signal(fatal_signals[i], SIG_DFL);
    }
}

void progress_start(struct progress *progress)
{
    const char *term = getenv("TERM"), *ci = getenv("CI");
    *progress = (struct progress){0};
    progress->is_on = isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0 &&
                      !(ci && *ci && strcmp(ci, "false") != 0);
    if (progress->is_on)
        progress->start_ns = now_ns();
}

static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 10 ? size.ws_col : 80;
}

/* The words come from a probe, and may name a file. */
static void add_line(struct text *line, const char *what, size_t done, size_t total)
{
    CLEANUP_TEXT struct text words = {0};
    text_add_safe(&words, what ? what : "working", strlen(what ? what : "working"), false);
    if (total)
        text_printf(&words, " %zu/%zu", done, total);
    else if (done)
        text_printf(&words, " %zu", done);
    size_t width = 0, most = columns() - 1; /* a full line would wrap */
    for (size_t at = 0; at < words.length;) {
        size_t from = at;
        char point[8] = "";
        utf8_next(words.data, words.length, &at);
        memcpy(point, words.data + from, at - from < sizeof point ? at - from : 0);
        width += utf8_width(point);
        if (width > most)
            break;
        text_add_bytes(line, words.data + from, at - from);
    }
}

void progress_tell(void *watcher, const char *what, size_t done, size_t total)
{
    struct progress *progress = watcher;
    if (!progress->is_on)
        return;
    int64_t now = now_ns();
    if (now - progress->start_ns < quiet_ns || now - progress->shown_ns < pause_ns)
        return;
    CLEANUP_TEXT struct text line = {0};
    text_add(&line, wipe);
    add_line(&line, what, done, total);
    if (!progress->shown_ns)
        catch_signals(true);
    put(text_get(&line), line.length);
    progress->shown_ns = now;
}

void progress_end(struct progress *progress)
{
    if (!progress->shown_ns)
        return;
    put(wipe, sizeof wipe - 1);
    catch_signals(false);
    progress->shown_ns = 0;
}

int progress_collect(struct session *session, struct session_options *options, struct error *err)
{
    struct progress progress;
    progress_start(&progress);
    options->progress = progress.is_on ? progress_tell : NULL;
    options->watcher = &progress;
    int code = session_collect(session, err);
    progress_end(&progress);
    options->progress = NULL;
    options->watcher = NULL;
    return code;
}
