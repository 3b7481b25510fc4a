/* `scaling VARIANT N CALLS`: every number of an array times another, in pairs of implementations of which the second has what
 * shows neither in a loop nor in a function: it waits, has fewer threads, moves more memory, or takes more instructions. All
 * print the same. */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline)) static
#define ONE_BY_ONE __attribute__((noinline, optimize("no-tree-vectorize"))) static
#define SEEN(pointer) __asm__ volatile("" ::"r"(pointer) : "memory")

static uint32_t *from, *to;
static size_t length;

APART void in_place(size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        from[i] = from[i] * 5 + 1;
    SEEN(from);
}

/* The line that is written is read before, and both leave the caches. */
APART void elsewhere(size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        to[i] = from[i] * 5 + 1;
    SEEN(to);
}

static void call_in_place(void) { in_place(0, length); }

static void call_elsewhere(void) {
    elsewhere(0, length);
    uint32_t *other = from;
    from = to;
    to = other;
}

static void call_waiting(void) {
    in_place(0, length);
    struct timespec moment = {0, 300 * 1000};
    nanosleep(&moment, NULL);
}

/* Enough for a processor to be worth starting. */
APART void steps(size_t begin, size_t end) {
    for (int step = 0; step < 64; step++)
        in_place(begin, end);
}

static void *second_half(void *unused) {
    steps(length / 2, length);
    return unused;
}

static void call_two_threads(void) {
    pthread_t other;
    pthread_create(&other, NULL, second_half, NULL);
    steps(0, length / 2);
    pthread_join(other, NULL);
}

static void call_one_thread(void) { steps(0, length); }

/* What a processor tells at once, */
ONE_BY_ONE uint32_t widths(void) {
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += 31 - (uint32_t)__builtin_clz(from[i] | 1);
    return sum;
}

/* and what takes two dozen instructions, none of them slow. */
ONE_BY_ONE uint32_t widths_by_hand(void) {
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t x = from[i] | 1, width = 0;
        for (uint32_t step = 16; step > 0; step /= 2) {
            uint32_t more = (uint32_t)(x >> step != 0) * step;
            x >>= more;
            width += more;
        }
        sum += width;
    }
    return sum;
}

static volatile uint32_t counted;
static void call_widths(void) { counted = widths(); }
static void call_widths_by_hand(void) { counted = widths_by_hand(); }

int main(int count, char **words) {
    static const struct { const char *name; void (*does)(void); } variants[] = {
        {"good", call_in_place},          {"waiting", call_waiting},        {"elsewhere", call_elsewhere},
        {"two-threads", call_two_threads}, {"one-thread", call_one_thread}, {"widths", call_widths},
        {"widths-by-hand", call_widths_by_hand},
    };
    if (count != 4)
        return 2;
    length = strtoull(words[2], NULL, 10);
    unsigned long long calls = strtoull(words[3], NULL, 10);
    from = malloc(length * sizeof *from);
    to = malloc(length * sizeof *to);
    for (size_t i = 0; i < length; i++)
        from[i] = to[i] = (uint32_t)(i * 2654435761u);
    for (size_t at = 0; at < sizeof variants / sizeof *variants; at++) {
        if (strcmp(variants[at].name, words[1]) != 0)
            continue;
        for (unsigned long long call = 0; call < calls; call++)
            variants[at].does();
        uint32_t sum = counted;
        for (size_t i = 0; i < length; i++)
            sum += from[i];
        printf("%u\n", sum);
        return 0;
    }
    return 2;
}
