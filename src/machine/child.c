#include "machine/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
    POLL_SLICE_MS = 50, /* how often we look whether the child still lives */
    KILL_WAIT_MS = 100, /* how long a killed child may take to disappear */
    CHUNK = 16 * 1024,
    SETUP_FAILED = 126,
};

double monotonic_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* --- in the child --- */

static void close_from(unsigned first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0U) == 0)
        return;
#endif
    long limit = sysconf(_SC_OPEN_MAX); /* kernels before 5.9, and some sandboxes */
    if (limit < 0 || limit > 65536)
        limit = 65536;
    for (int fd = (int)first; fd < (int)limit; fd++)
        close(fd);
}

/* A handler of ours must not run for a fault of the driver's library, and a signal that we block
 * or ignore must reach it. */
static void reset_signals(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&plain.sa_mask);
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &plain, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool set_up_descriptors(int out, int place)
{
    /* Out of the way first: with standard streams closed by our caller, the pipe may be one. */
    int high = fcntl(out, F_DUPFD, 16);
    int null = open("/dev/null", O_RDWR);
    if (null < 0)
        null = memfd_create("null", 0); /* a chroot without /dev */
    if (high < 0 || null < 0)
        return false;
    for (int fd = 0; fd < 3; fd++)
        if (fd != null && dup2(null, fd) < 0)
            return false;
    if (dup2(high, place) < 0)
        return false;
    close_from(place < 3 ? 3 : (unsigned)place + 1);
    return true;
}

/* A library may call exit(): what our caller registered with atexit() is not the child's to run. */
static void leave(int status, void *context)
{
    (void)context;
    _exit(status);
}

static void restrain(pid_t parent)
{
    on_exit(leave, NULL);
    struct rlimit no_core = {0, 0};
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) /* it died before that call */
        _exit(SETUP_FAILED);
    reset_signals();
}

/* --- in the parent --- */

int child_start(struct child *child, int place, int (*body)(int fd, void *context), void *context)
{
    int ends[2];
    *child = (struct child){.pid = -1, .fd = -1};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        int code = -errno;
        close(ends[0]);
        close(ends[1]);
        return code;
    }
    if (pid == 0) {
        restrain(parent);
        _exit(set_up_descriptors(ends[1], place) ? body(place, context) : SETUP_FAILED);
    }
    setpgid(pid, pid); /* the child does it too; whoever is first */
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    child->pid = pid;
    child->fd = ends[0];
    return 0;
}

static bool has_ended(struct child *child)
{
    if (child->ended)
        return true;
    pid_t pid = waitpid(child->pid, &child->status, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR))
        return false;
    child->ended = true; /* or ECHILD: our caller ignores SIGCHLD, so the kernel reaped it */
    child->status_known = pid == child->pid;
    return true;
}

/* One read: 1 something came, 0 the pipe is closed, -1 nothing is there. */
static int read_some(int fd, struct text *out)
{
    char chunk[CHUNK];
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n > 0) {
        text_add_bytes(out, chunk, (size_t)n);
        return 1;
    }
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? -1 : 0;
}

enum child_end child_read(struct child *child, double deadline, size_t cap, struct text *out,
                          bool (*enough)(void *context), void *context)
{
    /* A caller who comes late, having done other work, still gets what is in the pipe already. */
    double began = monotonic_ms(), last = (began > deadline ? began : deadline) + POLL_SLICE_MS;
    for (;;) {
        /* Ended is asked before reading: what it wrote before its end is then in the pipe. A
         * grandchild may hold the pipe open, so its closing alone is no sign. */
        bool ended = has_ended(child);
        int got = read_some(child->fd, out);
        if (out->length > cap)
            return CHILD_TOO_MUCH;
        if (got == 0)
            return CHILD_ENDED;
        if (got > 0) {
            if (enough && enough(context))
                return CHILD_ENOUGH;
            if (monotonic_ms() >= last)
                return CHILD_LATE;
            continue;
        }
        if (ended)
            return CHILD_ENDED;
        double left = deadline - monotonic_ms();
        if (left <= 0)
            return CHILD_LATE;
        if (child->waiting)
            child->waiting(child->waiter);
        struct pollfd wait = {.fd = child->fd, .events = POLLIN};
        poll(&wait, 1, left < POLL_SLICE_MS ? (int)left + 1 : POLL_SLICE_MS);
    }
}

static bool wait_for_end(struct child *child, int milliseconds)
{
    double until = monotonic_ms() + milliseconds;
    struct timespec pause = {.tv_nsec = 100 * 1000};
    while (!has_ended(child)) {
        if (monotonic_ms() >= until)
            return false;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 4 * 1000 * 1000)
            pause.tv_nsec *= 2;
    }
    return true;
}

void child_stop(struct child *child, int grace_ms)
{
    if (child->fd >= 0)
        close(child->fd);
    child->fd = -1;
    if (child->pid <= 0)
        return;
    bool ended = wait_for_end(child, grace_ms);
    /* Only while the child is not reaped is its number surely its own. */
    if (!ended) {
        kill(-child->pid, SIGKILL);
        kill(child->pid, SIGKILL);
        wait_for_end(child, KILL_WAIT_MS);
    }
}
