// A program that behaves in the way it is told to: actor PART [NUMBER...]
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

// Uses CPU time of the calling thread, in milliseconds.
__attribute__((noinline)) void spin(double millis) {
    double end = cpu_seconds() + millis / 1e3;
    while (cpu_seconds() < end)
        for (int i = 0; i < 2000; i++) sink += i * sink;
}

static void nap(double millis) {
    struct timespec time = {millis / 1e3, (long)(millis * 1e6) % 1000000000};
    nanosleep(&time, 0);
}

static void *spinning(void *millis) {
    spin(*(double *)millis);
    return 0;
}

// Threads that each spin: threads COUNT MILLIS
static int threads(int count, double millis) {
    pthread_t *all = calloc(count, sizeof *all);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    int begun = 0;
    while (begun < count && pthread_create(&all[begun], &small, spinning, &millis) == 0) begun++;
    for (int i = 0; i < begun; i++) pthread_join(all[i], 0);
    printf("%d threads\n", begun);
    return 0;
}

// Children that each spin: children COUNT MILLIS
static int children(int count, double millis) {
    int ended = 0;
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            spin(millis);
            _exit(0);
        }
        if (child > 0 && waitpid(child, 0, 0) == child) ended++;
    }
    printf("%d children\n", ended);
    return 0;
}

static volatile sig_atomic_t n_interrupts;
static void interrupted(int signal) { n_interrupts++; (void)signal; }

// Counts interrupts until MILLIS after the first one.
static int count(double millis) {
    signal(SIGINT, interrupted);
    printf("ready\n");
    fflush(stdout);
    while (!n_interrupts) spin(5);
    nap(millis);
    printf("%d interrupts\n", n_interrupts);
    return 40 + n_interrupts;
}

// Pays no heed to requests to end.
static int stubborn(double millis) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    printf("ready %d\n", getpid());
    fflush(stdout);
    spin(millis);
    return 0;
}

// Leaves a child behind that goes on in a session of its own.
static int daemonise(double millis) {
    if (fork() == 0) {
        setsid();
        freopen("/dev/null", "w", stdout);
        freopen("/dev/null", "w", stderr);
        spin(millis);
        _exit(0);
    }
    spin(50);
    return 3;
}

// The first thread ends before the other.
static int leaderless(double millis) {
    static double time;
    pthread_t other;
    time = millis;
    pthread_create(&other, 0, spinning, &time);
    pthread_exit(0);
}

// Code in many pieces of memory without a file, as runtimes that compile as they go make it.
static int regions(int count, double millis) {
    size_t page = sysconf(_SC_PAGESIZE);
    void (*last)(void) = 0;
    for (int i = 0; i < count; i++) {
        // Two pages, of which one is code, so that pieces do not grow together.
        unsigned char *piece = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED) break;
        piece[0] = 0xc3;
        mprotect(piece, page, PROT_READ | PROT_EXEC);
        last = (void (*)(void))piece;
    }
#ifdef __x86_64__
    last();
#endif
    spin(millis);
    printf("%d regions\n", count);
    return last == 0;
}

// Threads that come and go all the time.
static int bustle(double millis) {
    static double short_time = 2;
    double end = cpu_seconds() + millis / 1e3;
    while (cpu_seconds() < end) {
        pthread_t other;
        spin(1);
        if (pthread_create(&other, 0, spinning, &short_time) == 0) pthread_join(other, 0);
    }
    return 0;
}

// What it finds: open files and their limit, held back and ignored signals.
static int limits(void) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, 0, &blocked);
    int n_blocked = 0;
    for (int signal = 1; signal < 32; signal++) n_blocked += sigismember(&blocked, signal) == 1;
    struct sigaction child;
    sigaction(SIGCHLD, 0, &child);
    int n_open = 0;
    for (int file = 0; file < 4096; file++) n_open += fcntl(file, F_GETFD) != -1;
    printf("%d of %lu files, %d blocked, children %s\n", n_open, (unsigned long)files.rlim_cur, n_blocked,
           child.sa_handler == SIG_IGN ? "ignored" : "heard of");
    return 0;
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    double first = argc > 2 ? atof(argv[2]) : 0, second = argc > 3 ? atof(argv[3]) : 0;
    if (!strcmp(part, "spin")) return spin(first), (int)second;
    if (!strcmp(part, "ready")) return printf("ready\n"), fflush(stdout), spin(first), (int)second;
    if (!strcmp(part, "threads")) return threads(first, second);
    if (!strcmp(part, "children")) return children(first, second);
    if (!strcmp(part, "count")) return count(first);
    if (!strcmp(part, "stubborn")) return stubborn(first);
    if (!strcmp(part, "daemonise")) return daemonise(first);
    if (!strcmp(part, "leaderless")) return leaderless(first);
    if (!strcmp(part, "regions")) return regions(first, second);
    if (!strcmp(part, "bustle")) return bustle(first);
    if (!strcmp(part, "limits")) return limits();
    if (!strcmp(part, "mute")) return close(2), spin(first), 0;
    if (!strcmp(part, "deaf")) return signal(SIGCHLD, SIG_IGN), execvp(argv[2], argv + 2);
    if (!strcmp(part, "killed")) return spin(first), raise(SIGKILL);
    fprintf(stderr, "there is no part %s\n", part);
    return 99;
}
