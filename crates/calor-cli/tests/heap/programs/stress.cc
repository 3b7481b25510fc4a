// Everything at once, for so many seconds: threads that allocate and free each other's blocks, forks, programs that are
// started, libraries that come and go, exceptions, signals. It ends with 0 if all of it came to its end, and says which
// process it was and what its own functions allocated, handlers of signals aside, all of which it has freed: name, bytes,
// blocks.
//
//   stress SECONDS PLUGIN PLUGIN
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <malloc.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<bool> is_over{false};
static std::atomic<long> n_events{0}, n_children{0}, n_loads{0}, n_thrown{0}, n_signals{0};
static std::atomic<unsigned long> n_bytes{0}, n_blocks{0};

struct Random {
    unsigned long state;
    unsigned long operator()() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state >> 11;
    }
};

static std::mutex exchange;
static void *exchanged[256];

static void fail(const char *what) {
    dprintf(2, "%s: %s\n", what, strerror(errno));
    _exit(3);
}

// Blocks hold their own size, so that one that is given out twice is noticed.
static void *filled(void *block, size_t size) {
    if (size >= sizeof size) memcpy(block, &size, sizeof size);
    return block;
}

extern "C" __attribute__((noinline)) void churn(Random &random, void **slots, int n_slots, int n_turns) {
    unsigned long bytes = 0, blocks = 0;
    for (int turn = 0; turn < n_turns; turn++) {
        void *&slot = slots[random() % n_slots];
        size_t size = random() % 8 ? random() % 500 : random() % 200000;
        unsigned long way = random() % 8;
        if (way == 2 || way == 3 || way > 4) {
            bytes += size + 1;
            blocks++;
        }
        switch (way) {
        case 0: case 1: free(slot); slot = nullptr; break;
        case 2: slot = realloc(slot, size + 1); filled(slot, size + 1); break;
        case 3: free(slot); slot = memalign(64, size + 1); break;
        case 4: {
            std::lock_guard<std::mutex> held(exchange);
            std::swap(slot, exchanged[random() % 256]);
            break;
        }
        default: free(slot); slot = filled(malloc(size + 1), size + 1); break;
        }
        n_events.fetch_add(1, std::memory_order_relaxed);
    }
    n_bytes += bytes;
    n_blocks += blocks;
}

static void short_lived(unsigned seed) {
    Random random{seed * 7919ul + 1};
    void *slots[64] = {};
    churn(random, slots, 64, 300);
    for (void *slot : slots) free(slot);
}

static void allocating(unsigned seed) {
    Random random{seed * 104729ul + 1};
    static thread_local void *slots[512];
    while (!is_over) {
        churn(random, slots, 512, 1000);
        std::thread(short_lived, seed + 100).join();
    }
    for (void *slot : slots) free(slot);
}

__attribute__((noinline)) static int thrown(int depth, Random &random) {
    std::string text(random() % 100, 'x');
    if (depth == 0) throw std::runtime_error(text);
    int answer = thrown(depth - 1, random);
    __asm__ volatile("" : "+r"(answer));
    return answer + (int)text.size();
}

static void throwing(unsigned seed) {
    Random random{seed * 31ul + 1};
    while (!is_over) {
        try {
            thrown((int)(random() % 20), random);
        } catch (const std::exception &error) {
            n_thrown += (long)strlen(error.what()) >= 0;
        }
    }
}

static void loading(char **plugins) {
    static const char *const names[] = {"plugin_here", "plugin_more"};
    for (unsigned turn = 0; !is_over; turn++) {
        void *handle = dlopen(plugins[turn % 2], RTLD_NOW);
        if (handle == nullptr) fail(dlerror());
        auto get = (void *(*)(size_t))dlsym(handle, names[turn % 2]);
        for (int i = 0; i < 10; i++) free(get(100));
        dlclose(handle);
        n_loads++;
    }
}

static void forking(const char *own) {
    for (unsigned turn = 0; !is_over; turn++) {
        // Held, so that the child does not find it held by a thread that it does not have.
        exchange.lock();
        pid_t child = fork();
        exchange.unlock();
        if (child == 0) {
            signal(SIGALRM, SIG_IGN);
            // No thread may be started here: the loader's lock may be held by one that the child does not have.
            short_lived(turn);
            if (turn % 4 == 1) execl(own, own, "leaf", nullptr);
            if (turn % 4 == 2) raise(SIGKILL);
            _exit(0);
        }
        int status = 0;
        if (child < 0) fail("fork");
        while (waitpid(child, &status, 0) != child)
            if (errno != EINTR) fail("waitpid");
        int expected = turn % 4 == 2 ? SIGKILL : 0;
        if (status != expected) {
            dprintf(2, "child %u ended with %x\n", turn, status);
            _exit(4);
        }
        n_children++;
    }
}

// Only what a handler may do: memory from the kernel, not from the allocator.
extern "C" void handle(int) {
    int saved = errno;
    void *at = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) munmap(at, 8192);
    n_signals++;
    errno = saved;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "leaf") == 0) {
        short_lived(1);
        return 0;
    }
    if (argc != 4) return 2;
    struct sigaction action = {};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    itimerval every = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &every, nullptr);
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 3; seed++) threads.emplace_back(allocating, seed);
    for (unsigned seed = 1; seed <= 2; seed++) threads.emplace_back(throwing, seed);
    threads.emplace_back(loading, argv + 2);
    threads.emplace_back(forking, argv[0]);
    // Until an instant: a sleep that a signal interrupts a thousand times a second would become ever longer.
    timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += atol(argv[1]);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) != 0) {
    }
    is_over = true;
    for (auto &thread : threads) thread.join();
    itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    for (void *block : exchanged) free(block);
    dprintf(1, "done %ld events %ld children %ld loads %ld thrown %ld signals\n", n_events.load(), n_children.load(),
            n_loads.load(), n_thrown.load(), n_signals.load());
    long here = (n_loads + 1) / 2, more = n_loads / 2;
    dprintf(1, "process %d\nchurn %lu %lu\nplugin_here %ld %ld\nplugin_more %ld %ld\n", getpid(), n_bytes.load(),
            n_blocks.load(), here * 1000, here * 10, more * 1000, more * 10);
    return 0;
}
