// C++'s ways to allocate, each in a function of its own; prints name, bytes and blocks of each, and ends with 0 only if
// a size that nobody has was refused by an exception.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#define PLACE extern "C" __attribute__((noinline, noclone)) void

template <class T> static T *kept(T *block) {
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

struct alignas(128) Wide { char room[256]; };
struct Plain { char room[40]; };

PLACE one_new() { delete kept(new Plain); }
PLACE array_new() { delete[] kept(new Plain[10]); }
PLACE aligned_new() { delete kept(new Wide); }
PLACE aligned_array_new() { delete[] kept(new Wide[3]); }
PLACE quiet_new() { delete kept(new (std::nothrow) Plain); }
PLACE quiet_array_new() { delete[] kept(new (std::nothrow) Plain[5]); }
PLACE quiet_aligned_new() { delete kept(new (std::nothrow) Wide); }
PLACE left_new() { kept(new Plain); }
PLACE in_vector() {
    std::vector<int> numbers;
    numbers.reserve(1000);
    kept(numbers.data());
}
PLACE in_string() {
    std::string text(200, 'x');
    kept(text.data());
}
PLACE shared() { kept(std::make_shared<Plain>().get()); }

// The place above an exception: what it allocates after the frames below are gone.
PLACE thrower(int depth) {
    if (depth == 0) throw std::runtime_error("a text that is too long to be kept in the exception object itself");
    thrower(depth - 1);
    kept(&depth);
}
PLACE catcher() {
    for (int i = 0; i < 100; i++) {
        try {
            thrower(i % 10);
        } catch (const std::exception &) {
            delete kept(new Plain);
        }
    }
}

static bool is_refused(bool is_aligned, bool is_quiet) {
    volatile size_t size = SIZE_MAX / 4;
    try {
        void *block = is_aligned ? (is_quiet ? operator new(size, std::align_val_t(64), std::nothrow)
                                             : operator new(size, std::align_val_t(64)))
                                 : (is_quiet ? operator new(size, std::nothrow) : operator new(size));
        return block == nullptr && is_quiet;
    } catch (const std::bad_alloc &) {
        return !is_quiet;
    }
}

static int n_handled;

int main() {
    for (int i = 0; i < 100; i++) {
        one_new(); array_new(); aligned_new(); aligned_array_new(); quiet_new(); quiet_array_new();
        quiet_aligned_new(); left_new(); in_vector(); in_string(); shared();
    }
    catcher();
    for (int way = 0; way < 4; way++)
        if (!is_refused(way & 1, way & 2)) return 10 + way;
    // A handler is asked first, as long as it stays.
    std::set_new_handler([] { if (++n_handled == 3) std::set_new_handler(nullptr); });
    if (!is_refused(false, false) || n_handled != 3) return 20;
    dprintf(1, "one_new 4000 100\narray_new 40000 100\naligned_new 25600 100\naligned_array_new 76800 100\n");
    dprintf(1, "quiet_new 4000 100\nquiet_array_new 20000 100\nquiet_aligned_new 25600 100\nleft_new 4000 100\n");
    dprintf(1, "in_vector 400000 100\nin_string 20100 100\nshared %zu 100\n", size_t(100 * (sizeof(Plain) + 16)));
    return 0;
}
