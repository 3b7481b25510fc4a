// A program of which it is known where its threads run and wait: it measures that itself and prints it.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

static volatile unsigned long sink;

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void nap(double millis) {
    struct timespec time = {millis / 1e3, (long)(millis * 1e6) % 1000000000};
    nanosleep(&time, 0);
}

// Put into its caller by the compiler.
__attribute__((always_inline)) static inline void inner_loop(int rounds) {
    for (int i = 0; i < rounds; i++) sink += i * sink;
}

__attribute__((noinline)) void heavy(int rounds) { inner_loop(rounds); }
__attribute__((noinline)) void light(int rounds) { inner_loop(rounds); }

__attribute__((noinline)) void descend(int depth, int rounds) {
    if (depth > 0) descend(depth - 1, rounds);
    else inner_loop(rounds);
    sink += depth;
}

// Three quarters of its time in one function, a quarter in another.
static void *share(void *millis) {
    pthread_setname_np(pthread_self(), "sharer");
    double end = seconds(CLOCK_THREAD_CPUTIME_ID) + *(double *)millis / 1e3;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) {
        heavy(60000);
        light(20000);
    }
    return 0;
}

static void *recurse(void *millis) {
    pthread_setname_np(pthread_self(), "recurser");
    double end = seconds(CLOCK_THREAD_CPUTIME_ID) + *(double *)millis / 1e3;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) descend(30, 50000);
    return 0;
}

static int work(double millis) {
    pthread_t one, two;
    pthread_create(&one, 0, share, &millis);
    pthread_create(&two, 0, recurse, &millis);
    pthread_join(one, 0);
    pthread_join(two, 0);
    printf("worked\n");
    return 7;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void sleep_on_purpose(double millis) { nap(millis); sink++; }
__attribute__((noinline)) void wait_for_lock(void) {
    pthread_mutex_lock(&lock);
    sink++;
    pthread_mutex_unlock(&lock);
}

static void *waiter(void *unused) {
    pthread_setname_np(pthread_self(), "waiter");
    wait_for_lock();
    return unused;
}

static void *sleeper(void *millis) {
    pthread_setname_np(pthread_self(), "sleeper");
    sleep_on_purpose(*(double *)millis);
    return 0;
}

// One thread sleeps, another waits for a lock meanwhile.
static int waits(double millis) {
    pthread_t one, two;
    pthread_mutex_lock(&lock);
    pthread_create(&one, 0, waiter, 0);
    pthread_create(&two, 0, sleeper, &millis);
    nap(millis);
    pthread_mutex_unlock(&lock);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

// Frames of twenty thousand bytes, every page of which is touched.
__attribute__((noinline)) void large_frame(int depth, int rounds) {
    volatile char room[20000];
    for (unsigned i = 0; i < sizeof room; i += 512) room[i] = depth;
    if (depth > 0) large_frame(depth - 1, rounds);
    else inner_loop(rounds);
    sink += room[sizeof room / 2];
}

// A frame of which the middle is never touched, as in kernels of linear algebra.
__attribute__((noinline)) void holed_frame(int rounds) {
    volatile char room[40000];
    room[0] = room[sizeof room - 1] = 1;
    inner_loop(rounds);
    sink += room[0];
}

static void *large(void *millis) {
    double end = seconds(CLOCK_THREAD_CPUTIME_ID) + *(double *)millis / 1e3;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) large_frame(1, 50000);
    return 0;
}

static void *holed(void *millis) {
    double end = seconds(CLOCK_THREAD_CPUTIME_ID) + *(double *)millis / 1e3;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) holed_frame(50000);
    return 0;
}

// In a thread whose stack nothing has used before.
static int in_thread(void *(*function)(void *), double millis) {
    pthread_t other;
    pthread_create(&other, 0, function, &millis);
    pthread_join(other, 0);
    return 0;
}

static ucontext_t outside, inside;
static double context_millis;
static char context_stack[1 << 16];

__attribute__((noinline)) void in_context(void) {
    double end = seconds(CLOCK_THREAD_CPUTIME_ID) + context_millis / 1e3;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) heavy(50000);
}

// On a stack that the program made, of which nothing is the beginning but the program's word.
static int context(double millis) {
    context_millis = millis;
    getcontext(&inside);
    inside.uc_stack.ss_sp = context_stack;
    inside.uc_stack.ss_size = sizeof context_stack;
    inside.uc_link = &outside;
    makecontext(&inside, in_context, 0);
    return swapcontext(&outside, &inside);
}

__attribute__((noinline)) void on_signal(int unused) {
    double end = seconds(CLOCK_THREAD_CPUTIME_ID) + context_millis / 1e3;
    while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) light(50000);
    sink += unused;
}

__attribute__((noinline)) void interrupted(void) { raise(SIGUSR2); sink++; }

// In a signal handler with a stack of its own.
static int handler(double millis) {
    context_millis = millis;
    stack_t own = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&own, 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR2, &action, 0);
    interrupted();
    return 0;
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    double millis = argc > 2 ? atof(argv[2]) : 0;
    if (!strcmp(part, "work")) return work(millis);
    if (!strcmp(part, "waits")) return waits(millis);
    if (!strcmp(part, "large")) return in_thread(large, millis);
    if (!strcmp(part, "holed")) return in_thread(holed, millis);
    if (!strcmp(part, "context")) return context(millis);
    if (!strcmp(part, "handler")) return handler(millis);
    return 99;
}
