// Programs that allocate in places where a profiler may be blind, one for each word that it is called with. Each prints
// a line for every function that allocated: its name, bytes, blocks.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PLACE __attribute__((noinline, noclone))
#define KEEP(block) __asm__ volatile("" : "+r"(block) : : "memory")

extern char **environ;
static const char *own;

// Nothing here goes through stdio, which allocates.
static void say(const char *name, size_t bytes, size_t count) {
    char line[128];
    int length = snprintf(line, sizeof line, "%s %zu %zu\n", name, bytes, count);
    if (write(9, line, (size_t)length) != length) abort();
}

static void check(int is_well, const char *what) {
    if (!is_well) {
        dprintf(2, "%s: %s\n", what, strerror(errno));
        _exit(3);
    }
}

static void end_of(pid_t child, int expected) {
    int status = 0;
    check(child > 0 && waitpid(child, &status, 0) == child, "waitpid");
    if (status != expected) {
        dprintf(2, "a child ended with %x\n", status);
        _exit(4);
    }
}

// ---- threads ----
PLACE static void *in_thread(void *size) {
    for (int i = 0; i < 100; i++) {
        void *block = malloc((size_t)size);
        KEEP(block);
        if (i % 2) free(block);
    }
    return NULL;
}

static void threads(size_t stack) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack) check(pthread_attr_setstacksize(&attributes, stack) == 0, "setstacksize");
    for (int wave = 0; wave < 10; wave++) {
        pthread_t ids[8];
        for (int i = 0; i < 8; i++) check(pthread_create(&ids[i], &attributes, in_thread, (void *)1000) == 0, "thread");
        for (int i = 0; i < 8; i++) pthread_join(ids[i], NULL);
    }
    say("in_thread", 80 * 100 * 1000, 80 * 100);
}

// ---- processes ----
PLACE static void in_child(void) {
    for (int i = 0; i < 1000; i++) {
        void *block = malloc(500);
        KEEP(block);
    }
}

static void forks(void) {
    void *before = malloc(123);
    for (int i = 0; i < 8; i++) {
        pid_t child = fork();
        if (child == 0) {
            // What the parent allocated is given back here: a copy of it.
            free(before);
            in_child();
            if (i % 2) {
                pthread_t id;
                check(pthread_create(&id, NULL, in_thread, (void *)10) == 0, "thread");
                pthread_join(id, NULL);
            }
            _exit(0);
        }
        end_of(child, 0);
    }
    free(before);
    say("in_child", 8 * 1000 * 500, 8 * 1000);
    say("in_thread", 4 * 100 * 10, 4 * 100);
}

// The heap is largest with the first block of all; others come when it is free again.
PLACE static void *spike(void) { return malloc(160000000); }

static void spikes(void) {
    void *block = spike();
    KEEP(block);
    free(block);
    pthread_t ids[4];
    for (int i = 0; i < 4; i++) check(pthread_create(&ids[i], NULL, in_thread, (void *)10000) == 0, "thread");
    for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
}

// Blocks that are rounded up to many times their size, long after the peak.
static void crumbs(void) {
    void *blocks[400];
    for (int i = 0; i < 400; i++) {
        blocks[i] = malloc(100000);
        KEEP(blocks[i]);
    }
    for (int i = 0; i < 400; i++) free(blocks[i]);
    for (int i = 0; i < 2000000; i++) {
        void *block = malloc(1);
        KEEP(block);
        free(block);
    }
}

static void clears(void) {
    check(clearenv() == 0, "clearenv");
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            in_child();
            _exit(0);
        }
        end_of(child, 0);
    }
    say("in_child", 2 * 1000 * 500, 2 * 1000);
}

PLACE static void after_exec(void) {
    for (int i = 0; i < 1000; i++) {
        void *block = malloc(700);
        KEEP(block);
    }
}

static void spawns(void) {
    char *words[] = {(char *)own, "after", NULL}, *nothing[] = {"/nowhere", NULL};
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            in_child();
            execv(own, words);
            _exit(1);
        }
        end_of(child, 0);
        child = vfork();
        if (child == 0) {
            execv(own, words);
            _exit(1);
        }
        end_of(child, 0);
        check(posix_spawn(&child, own, NULL, NULL, words, environ) == 0, "posix_spawn");
        end_of(child, 0);
        // One that cannot be started: its end is not the end of this process, whose memory it has.
        child = vfork();
        if (child == 0) {
            execv(nothing[0], nothing);
            _exit(1);
        }
        end_of(child, 1 << 8);
    }
    say("in_child", 3 * 1000 * 500, 3 * 1000);
    say("after_exec", 9 * 1000 * 700, 9 * 1000);
}

// ---- code that comes and goes ----
static void plugins(char **paths, int count) {
    static const char *const names[] = {"plugin_here", "plugin_more"};
    for (int i = 0; i < 100; i++) {
        void *handle = dlopen(paths[i % count], RTLD_NOW);
        if (handle == NULL) {
            dprintf(2, "%s\n", dlerror());
            _exit(3);
        }
        void *(*get)(size_t) = (void *(*)(size_t))dlsym(handle, names[i % count]);
        check(get != NULL, "dlsym");
        for (int turn = 0; turn < 10; turn++) {
            void *block = get(100 + (size_t)i % 2);
            KEEP(block);
        }
        dlclose(handle);
    }
    say("plugin_here", 50 * 10 * 100, 50 * 10);
    say("plugin_more", 50 * 10 * 101, 50 * 10);
}

// ---- stacks ----
static ucontext_t home, away;
static int turns;

PLACE static void in_coroutine(void) {
    void *block = malloc(64);
    KEEP(block);
}

static void coroutine(void) {
    for (;;) {
        in_coroutine();
        turns++;
        swapcontext(&away, &home);
    }
}

static void contexts(void) {
    for (int i = 0; i < 20; i++) {
        // Some lie among blocks, others in memory of their own that goes away again.
        size_t length = 64 << 10;
        int is_mapped = i % 2;
        void *stack = is_mapped ? mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                : malloc(length);
        check(stack != NULL && stack != MAP_FAILED, "stack");
        getcontext(&away);
        away.uc_stack.ss_sp = stack;
        away.uc_stack.ss_size = length;
        away.uc_link = &home;
        makecontext(&away, coroutine, 0);
        for (int turn = 0; turn < 50; turn++) {
            swapcontext(&home, &away);
            void *block = malloc(8);
            KEEP(block);
            free(block);
        }
        if (is_mapped) munmap(stack, length);
        else free(stack);
    }
    say("in_coroutine", (size_t)turns * 64, (size_t)turns);
}

PLACE static void *in_handler(size_t size) {
    void *block = malloc(size);
    KEEP(block);
    return block;
}

static void *handled[2000];
static volatile int n_handled;

static void handle(int signal) {
    (void)signal;
    handled[n_handled] = in_handler(48);
    n_handled = n_handled + 1;
}

static void handlers(void) {
    stack_t other = {.ss_sp = malloc(64 << 10), .ss_size = 64 << 10};
    check(sigaltstack(&other, NULL) == 0, "sigaltstack");
    for (int i = 0; i < 1000; i++) {
        struct sigaction action = {.sa_handler = handle, .sa_flags = i % 2 ? SA_ONSTACK : 0};
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
    }
    say("in_handler", (size_t)n_handled * 48, (size_t)n_handled);
}

PLACE static void at_bottom(void) {
    void *block = malloc(32);
    KEEP(block);
}

static int n_deep;
PLACE static int down(int depth) {
    volatile int here = depth;
    if (depth % 100 == 0) {
        at_bottom();
        n_deep++;
    }
    if (depth > 0) here += down(depth - 1);
    if (depth % 100 == 1) {
        at_bottom();
        n_deep++;
    }
    return here;
}

// ---- sizes ----
PLACE static void in_large(void) {
    for (int i = 0; i < 3; i++) {
        void *block = malloc(64 << 20);
        KEEP(block);
        free(block);
    }
    say("in_large", 3 * (64 << 20), 3);
}

// ---- ends ----
PLACE static void left_behind(void) {
    for (int i = 0; i < 300; i++) {
        void *block = malloc(1000);
        KEEP(block);
    }
    say("left_behind", 300 * 1000, 300);
}

// Whoever looks at this process now and then sees it.
static void linger(void) {
    left_behind();
    sleep(1);
}

// ---- allocators of the program's own ----
PLACE static char *pool_get(size_t size) {
    static char *next, *end;
    if (next == NULL || next + size > end) {
        next = sbrk(4 << 20);
        check(next != (void *)-1, "sbrk");
        end = next + (4 << 20);
    }
    char *block = next;
    next += size;
    return block;
}

static void pool(void) {
    for (int i = 0; i < 100 * 1024; i++) memset(pool_get(1024), 1, 1024);
    // Whoever looks at this process sees it with all of it.
    sleep(1);
}

// ---- narrow circumstances ----
PLACE static void in_need(void) {
    void *block = malloc(2000);
    KEEP(block);
}

static void *need(void *unused) {
    for (int i = 0; i < 50; i++) in_need();
    return unused;
}

static void in_threads_of_need(void) {
    for (int i = 0; i < 4; i++) {
        pthread_t id;
        check(pthread_create(&id, NULL, need, NULL) == 0, "thread");
        pthread_join(id, NULL);
    }
    need(NULL);
    say("in_need", 5 * 50 * 2000, 5 * 50);
}

static void closed(void) {
    for (int file = 3; file < 1024; file++)
        if (file != 9) close(file);
    in_threads_of_need();
}

static void no_files(void) {
    struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    check(setrlimit(RLIMIT_NOFILE, &none) == 0, "setrlimit");
    in_threads_of_need();
}

static void chrooted(const char *folder) {
    if (chroot(folder) != 0) _exit(77);
    check(chdir("/") == 0, "chdir");
    in_threads_of_need();
}

// Memory of the kernel's, at most two pieces at a time.
PLACE static char *map_pages(size_t pages) {
    char *at = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(at != MAP_FAILED, "mmap");
    KEEP(at);
    return at;
}

static void mappings(void) {
    char *before = map_pages(256);
    for (int i = 1; i < 64; i++) {
        char *next = map_pages(256);
        // In one piece, or from its end to its beginning.
        for (size_t piece = i % 2 ? 256 : 64, from = 256; from > 0; from -= piece)
            munmap(before + (from - piece) * 4096, piece * 4096);
        before = next;
    }
    munmap(before, 256 * 4096);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    own = argv[0];
    // What is said must come through whatever is closed.
    if (strcmp(what, "after") != 0) dup2(1, 9);
    if (strcmp(what, "threads") == 0) threads(0);
    else if (strcmp(what, "tiny") == 0) threads(16 << 10);
    else if (strcmp(what, "forks") == 0) forks();
    else if (strcmp(what, "spikes") == 0) spikes();
    else if (strcmp(what, "crumbs") == 0) crumbs();
    else if (strcmp(what, "clears") == 0) clears();
    else if (strcmp(what, "spawns") == 0) spawns();
    else if (strcmp(what, "after") == 0) after_exec();
    else if (strcmp(what, "plugins") == 0) plugins(argv + 2, argc - 2);
    else if (strcmp(what, "contexts") == 0) contexts();
    else if (strcmp(what, "handlers") == 0) handlers();
    else if (strcmp(what, "deep") == 0) down(10000), say("at_bottom", (size_t)n_deep * 32, (size_t)n_deep);
    else if (strcmp(what, "large") == 0) in_large();
    else if (strcmp(what, "exit") == 0) left_behind(), _exit(5);
    else if (strcmp(what, "kill") == 0) left_behind(), raise(SIGKILL);
    else if (strcmp(what, "abort") == 0) left_behind(), abort();
    else if (strcmp(what, "linger") == 0) linger();
    else if (strcmp(what, "pool") == 0) pool();
    else if (strcmp(what, "need") == 0) in_threads_of_need();
    else if (strcmp(what, "closed") == 0) closed();
    else if (strcmp(what, "no-files") == 0) no_files();
    else if (strcmp(what, "chroot") == 0) chrooted(argv[2]);
    else if (strcmp(what, "mappings") == 0) mappings();
    else return 2;
    return 0;
}
