// Allocates on 4,096 call paths: each turn of a path goes through one of two functions. Nearly all of them take 16 bytes
// and keep them; one takes a megabyte and keeps it, and another takes and frees one a hundred times.
#include <stdlib.h>

enum { DEPTH = 12 };

static void *kept[1 << DEPTH];

static void turn(unsigned depth, unsigned path);

__attribute__((noinline)) static void left(unsigned depth, unsigned path) {
    turn(depth + 1, path << 1);
    __asm__ volatile("");
}

__attribute__((noinline)) static void right(unsigned depth, unsigned path) {
    turn(depth + 1, path << 1 | 1);
    __asm__ volatile("");
}

__attribute__((noinline)) static void small(unsigned path) {
    kept[path] = malloc(16);
    __asm__ volatile("");
}

__attribute__((noinline)) static void large(unsigned path) {
    kept[path] = malloc(1 << 20);
    __asm__ volatile("");
}

__attribute__((noinline)) static void churn(void) {
    for (int time = 0; time < 100; time++)
        free(malloc(1 << 16));
    __asm__ volatile("");
}

__attribute__((noinline)) static void turn(unsigned depth, unsigned path) {
    if (depth < DEPTH) {
        left(depth, path);
        right(depth, path);
    } else if (path == 0x555) {
        large(path);
    } else if (path == 0xaaa) {
        churn();
    } else {
        small(path);
    }
    __asm__ volatile("");
}

int main(void) {
    turn(0, 0);
    return kept[0x555] == NULL;
}
