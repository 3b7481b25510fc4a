// A program of which it is known what it costs: worker PART [NUMBER]
#define _GNU_SOURCE
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

// Touches so many new pages: a fault for each, since none is huge.
__attribute__((noinline)) void touch(long pages) {
    long page = sysconf(_SC_PAGESIZE);
    char *memory = mmap(0, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (long i = 0; i < pages; i++) memory[i * page] = 1;
    munmap(memory, pages * page);
}

// Naps so many times, and says how often it left its processor for that: a nap that is over before it began, since the machine
// did something else just then, is no switch.
static void nap(long times) {
    struct timespec time = {0, 100000};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (long i = 0; i < times; i++) nanosleep(&time, 0);
    getrusage(RUSAGE_SELF, &after);
    long switches = after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw;
    printf("%ld switches\n", switches);
}

// So many rounds of a loop that the compiler leaves as it is: at least one instruction each.
__attribute__((noinline)) void turn(long rounds) {
    for (long i = 0; i < rounds; i++) sink += i;
}

// Three quarters of the faults are in one function, a quarter in another.
__attribute__((noinline)) void much(long pages) { touch(3 * pages); __asm__ volatile(""); }
__attribute__((noinline)) void little(long pages) { touch(pages); __asm__ volatile(""); }
static void split(long times) {
    for (long i = 0; i < times; i++) {
        much(1000);
        turn(300000);
        little(1000);
    }
}

// The same in a child.
static void child(long rounds) {
    pid_t pid = fork();
    if (pid == 0) {
        touch(rounds);
        _exit(0);
    }
    waitpid(pid, 0, 0);
}

// Waits for the end of the world.
static int ready(void) {
    printf("ready\n");
    fflush(stdout);
    for (;;) pause();
}

// Counts the lines of its standard input.
static int lines(void) {
    int letter, count = 0;
    while ((letter = getchar()) != EOF) count += letter == '\n';
    printf("%d lines\n", count);
    return 0;
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    long number = argc > 2 ? atol(argv[2]) : 0;
    if (!strcmp(part, "touch")) return touch(number), 0;
    if (!strcmp(part, "nap")) return nap(number), 0;
    if (!strcmp(part, "turn")) return turn(number), 0;
    if (!strcmp(part, "child")) return child(number), 0;
    if (!strcmp(part, "split")) return split(number), 0;
    if (!strcmp(part, "exit")) return (int)number;
    if (!strcmp(part, "say")) return printf("said\n"), fprintf(stderr, "told\n"), 0;
    if (!strcmp(part, "ready")) return ready();
    if (!strcmp(part, "lines")) return lines();
    if (!strcmp(part, "killed")) return raise(SIGKILL);
    fprintf(stderr, "there is no part %s\n", part);
    return 99;
}
