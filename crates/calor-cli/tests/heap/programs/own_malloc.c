// A program with a `malloc` of its own in it, over memory that it maps: nothing that it allocates comes by the system's.
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

__attribute__((noinline)) static char *chunk(void) {
    char *at = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void *malloc(size_t size) {
    static char *next, *end;
    size = (size + 15) & ~(size_t)15;
    if (size > CHUNK) return NULL;
    if (next == NULL || next + size > end) {
        next = chunk();
        if (next == NULL) return NULL;
        end = next + CHUNK;
    }
    char *block = next;
    next += size;
    return block;
}

void free(void *block) { (void)block; }

void *calloc(size_t count, size_t size) { return malloc(count * size); }

void *realloc(void *block, size_t size) {
    void *new = malloc(size);
    if (new != NULL && block != NULL) memcpy(new, block, size);
    return new;
}

int main(void) {
    for (int i = 0; i < 10000; i++) {
        char *block = malloc(1000);
        if (block == NULL) return 3;
        memset(block, 1, 1000);
    }
    dprintf(1, "done\n");
    return 0;
}
