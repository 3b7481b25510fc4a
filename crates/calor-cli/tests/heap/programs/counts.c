// Allocates and frees in an order that a seed decides, and counts for itself what each of its call paths did. At its
// end it prints what the profiler has to have found, to the byte.
//
//   counts SEED THREADS EVENTS ordered|racing
//
// "ordered": a lock around each event and its count, so that there is one order of all events and one moment at which
// the heap was largest. "racing": threads allocate at the same time and count for themselves; then nothing is said of
// the peak.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACE __attribute__((noinline, noclone))
#define PHASES 4
#define SLOTS 512
#define EXCHANGED 64
#define MOUND (64 << 20)
#define GIB ((size_t)1 << 30)

// A compiler that turned the last call of a function into a jump would take the function out of the call path.
#define KEEP(block) __asm__ volatile("" : "+r"(block))

enum { LEAVES = 13, ROUTES = 4 };
static const char *const leaf_names[LEAVES] = {
    "site_malloc", "site_calloc", "site_realloc", "site_array", "site_aligned", "site_posix", "site_memalign",
    "site_valloc", "site_pvalloc", "site_strdup", "site_large", "site_other", "site_small",
};
static const char *const route_names[ROUTES] = {"route_straight", "route_deep", "route_wide", "route_local"};

struct block { void *at; size_t size; int site; };
struct truth { int64_t bytes, count, freed_bytes, freed_count, temporary_bytes, temporary_count; };
struct held { int64_t bytes, count; };

static int is_ordered;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t exchange = PTHREAD_MUTEX_INITIALIZER;
static struct truth all[LEAVES * ROUTES];
static struct held now[LEAVES * ROUTES], at_peak[LEAVES * ROUTES];
static int64_t total, peak;
static struct block shared[SLOTS], exchanged[EXCHANGED];
// Slots of the threads that come one after the other in the same place.
static struct block own[8][SLOTS];
// Blocks that are larger than what is left of them in 32 bits are there in one phase only, the one with the peak.
static unsigned n_large;
static int is_high;

struct thread {
    pthread_t id;
    unsigned number;
    uint64_t random;
    long events;
    void *last;
    struct truth truth[LEAVES * ROUTES];
};
static struct thread threads[8];

static uint64_t next(struct thread *self) {
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return self->random >> 11;
}

// ---- the places that allocate ----
PLACE static void *site_malloc(void *old, size_t size) { (void)old; void *b = malloc(size); KEEP(b); return b; }
PLACE static void *site_other(void *old, size_t size) { (void)old; void *b = malloc(size); KEEP(b); return b; }
PLACE static void *site_small(void *old, size_t size) { (void)old; void *b = malloc(size); KEEP(b); return b; }
PLACE static void *site_large(void *old, size_t size) { (void)old; void *b = malloc(size); KEEP(b); return b; }
PLACE static void *site_calloc(void *old, size_t size) { (void)old; void *b = calloc(1, size); KEEP(b); return b; }
PLACE static void *site_realloc(void *old, size_t size) { void *b = realloc(old, size); KEEP(b); return b; }
PLACE static void *site_array(void *old, size_t size) { void *b = reallocarray(old, size, 1); KEEP(b); return b; }
PLACE static void *site_aligned(void *old, size_t size) { (void)old; void *b = aligned_alloc(64, size); KEEP(b); return b; }
PLACE static void *site_posix(void *old, size_t size) {
    (void)old;
    void *b = NULL;
    if (posix_memalign(&b, 256, size) != 0) b = NULL;
    KEEP(b);
    return b;
}
PLACE static void *site_memalign(void *old, size_t size) { (void)old; void *b = memalign(4096, size); KEEP(b); return b; }
PLACE static void *site_valloc(void *old, size_t size) { (void)old; void *b = valloc(size); KEEP(b); return b; }
PLACE static void *site_pvalloc(void *old, size_t size) { (void)old; void *b = pvalloc(size); KEEP(b); return b; }
// Here the C library allocates, on behalf of the program.
PLACE static void *site_strdup(void *old, size_t size) {
    (void)old;
    char text[256];
    memset(text, 'x', sizeof text);
    text[size % 255] = 0;
    void *b = strdup(text);
    KEEP(b);
    return b;
}

typedef void *(*leaf)(void *, size_t);
static const leaf leaves[LEAVES] = {
    site_malloc, site_calloc, site_realloc, site_array, site_aligned, site_posix, site_memalign,
    site_valloc, site_pvalloc, site_strdup, site_large, site_other, site_small,
};

// ---- the ways that lead there ----
PLACE static void *deeper(int depth, leaf get, void *old, size_t size) {
    void *b = depth == 0 ? get(old, size) : deeper(depth - 1, get, old, size);
    KEEP(b);
    return b;
}
PLACE static void *route_straight(int depth, leaf get, void *old, size_t size) {
    (void)depth;
    void *b = get(old, size);
    KEEP(b);
    return b;
}
PLACE static void *route_deep(int depth, leaf get, void *old, size_t size) {
    void *b = deeper(depth, get, old, size);
    KEEP(b);
    return b;
}
// A frame whose size is known only when it runs.
PLACE static void *route_wide(int depth, leaf get, void *old, size_t size) {
    volatile char *room = __builtin_alloca((size_t)depth * 32 + 16);
    room[depth] = 1;
    void *b = deeper(depth % 3, get, old, size);
    KEEP(b);
    room[depth] = 2;
    return b;
}
// A frame that is aligned to more than the stack is.
PLACE static void *route_local(int depth, leaf get, void *old, size_t size) {
    volatile char room[128] __attribute__((aligned(64)));
    room[depth] = 1;
    void *b = get(old, size);
    KEEP(b);
    room[depth] += 1;
    return b;
}
typedef void *(*route)(int, leaf, void *, size_t);
static const route routes[ROUTES] = {route_straight, route_deep, route_wide, route_local};

// ---- the truth ----
static void grew(struct thread *self, int site, void *at, size_t size) {
    struct truth *truth = is_ordered ? &all[site] : &self->truth[site];
    truth->bytes += (int64_t)size;
    truth->count += 1;
    self->last = at;
    if (!is_ordered) return;
    now[site].bytes += (int64_t)size;
    now[site].count += 1;
    total += (int64_t)size;
    if (total > peak) {
        peak = total;
        memcpy(at_peak, now, sizeof now);
    }
}

static void shrank(struct thread *self, int site, void *at, size_t size) {
    struct truth *truth = is_ordered ? &all[site] : &self->truth[site];
    truth->freed_bytes += (int64_t)size;
    truth->freed_count += 1;
    if (at == self->last) {
        truth->temporary_bytes += (int64_t)size;
        truth->temporary_count += 1;
    }
    self->last = NULL;
    if (!is_ordered) return;
    now[site].bytes -= (int64_t)size;
    now[site].count -= 1;
    total -= (int64_t)size;
}

// ---- events ----
extern void free_sized(void *, size_t) __attribute__((weak));
extern void free_aligned_sized(void *, size_t, size_t) __attribute__((weak));

static void give_back(struct thread *self, struct block *block) {
    if (block->at == NULL) return;
    shrank(self, block->site, block->at, block->size);
    n_large -= block->size >= 4 * GIB;
    int leaf = block->site / ROUTES;
    // C23's functions are there only where the profiler brings them.
    if (leaf == 0 && free_sized) free_sized(block->at, block->size);
    else if (leaf == 4 && free_aligned_sized) free_aligned_sized(block->at, 64, block->size);
    else free(block->at);
    block->at = NULL;
}

static size_t some_size(struct thread *self) {
    uint64_t r = next(self);
    switch (r % 16) {
    case 0: return 0;
    case 1: case 2: case 3: case 4: case 5: case 6: return (r >> 8) % 64;
    case 7: case 8: case 9: case 10: case 11: return (r >> 8) % 4096;
    case 12: case 13: return (r >> 8) % 65536;
    case 14: return (r >> 8) % (1 << 20);
    default: return 1;
    }
}

static void get(struct thread *self, struct block *block) {
    int leaf = (int)(next(self) % LEAVES), route = (int)(next(self) % ROUTES), depth = (int)(next(self) % 12);
    size_t size = some_size(self);
    int resizes = leaf == 2 || leaf == 3;
    void *old = NULL;
    if (leaf == 4) size = (size + 63) / 64 * 64;
    if (leaf == 10) {
        // Of these only the address space is taken. One at a time, lest the machine refuses.
        if (!is_high || n_large > 0) leaf = 12;
        else size = 4 * GIB + size;
    }
    if (leaf == 12) size %= 16;
    if (resizes) old = block->at;
    else give_back(self, block);
    void *new = routes[route](depth, leaves[leaf], old, size);
    size_t counted = leaf == 9 ? size % 255 + 1 : size;
    if (resizes && old != NULL) {
        // A refusal leaves the block as it is; nothing of nothing gives it back.
        if (new == NULL && size != 0) return;
        n_large -= block->size >= 4 * GIB;
        shrank(self, block->site, old, block->size);
        block->at = NULL;
    }
    if (new == NULL) return;
    *block = (struct block){new, counted, leaf * ROUTES + route};
    n_large += counted >= 4 * GIB;
    grew(self, block->site, new, counted);
}

// Sizes that no allocator has, which must change nothing.
static void ask_too_much(struct block *block) {
    volatile size_t size = SIZE_MAX / 2;
    void *new = block->at ? realloc(block->at, size) : malloc(size);
    void *second = calloc(size, 8), *third = reallocarray(block->at, size, 8);
    if (new != NULL || second != NULL || third != NULL) abort();
}

static void event(struct thread *self) {
    uint64_t r = next(self);
    struct block *block = is_ordered ? &shared[r % SLOTS] : &own[self->number][r % SLOTS];
    switch ((r >> 16) % 16) {
    case 0: case 1: case 2: case 3: case 4: give_back(self, block); break;
    case 5: get(self, block); give_back(self, block); break;
    case 6: ask_too_much(block); break;
    default: get(self, block); break;
    }
}

// Another thread may free what this one allocated.
static void swap(struct thread *self) {
    struct block *mine = &own[self->number][next(self) % SLOTS], *theirs = &exchanged[next(self) % EXCHANGED];
    pthread_mutex_lock(&exchange);
    struct block block = *mine;
    *mine = *theirs;
    *theirs = block;
    pthread_mutex_unlock(&exchange);
}

static void *run(void *argument) {
    struct thread *self = argument;
    for (long i = 0; i < self->events; i++) {
        if (is_ordered) pthread_mutex_lock(&order);
        event(self);
        if (is_ordered) pthread_mutex_unlock(&order);
        else swap(self);
    }
    return NULL;
}

// Other parts of the program allocate when threads begin and end. So that they do not decide when the peak is, it comes
// while none begins: this block is there in one phase alone.
PLACE static void *mound(size_t size) { void *b = malloc(size); KEEP(b); return b; }

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    uint64_t seed = strtoull(argv[1], NULL, 10);
    unsigned n_threads = (unsigned)atoi(argv[2]);
    long events = atol(argv[3]);
    is_ordered = strcmp(argv[4], "ordered") == 0;
    for (int phase = 0; phase < PHASES; phase++) {
        // All of them wait for the lock, so that none begins within the phase.
        if (is_ordered) pthread_mutex_lock(&order);
        for (unsigned n = 0; n < n_threads; n++) {
            struct thread *self = &threads[n];
            self->number = n;
            self->last = NULL;
            self->events = events / PHASES / n_threads;
            self->random = (seed * 1000 + (uint64_t)phase * 8 + n + 1) * 0x9e3779b97f4a7c15u | 1;
            if (pthread_create(&self->id, NULL, run, self) != 0) return 3;
        }
        is_high = is_ordered && phase == PHASES - 2;
        void *block = is_high ? mound(MOUND) : NULL;
        if (block != NULL) total += MOUND;
        if (is_ordered) pthread_mutex_unlock(&order);
        for (unsigned n = 0; n < n_threads; n++) pthread_join(threads[n].id, NULL);
        if (block == NULL) continue;
        free(block);
        total -= MOUND;
        for (unsigned n = 0; n < SLOTS; n++)
            if (shared[n].size >= 4 * GIB) give_back(&threads[0], &shared[n]);
    }
    for (unsigned n = 0; n < n_threads; n++)
        for (int site = 0; site < LEAVES * ROUTES; site++) {
            struct truth *sum = &all[site], *one = &threads[n].truth[site];
            sum->bytes += one->bytes, sum->count += one->count;
            sum->freed_bytes += one->freed_bytes, sum->freed_count += one->freed_count;
            sum->temporary_bytes += one->temporary_bytes, sum->temporary_count += one->temporary_count;
        }
    for (int site = 0; site < LEAVES * ROUTES; site++) {
        struct truth *t = &all[site];
        dprintf(1, "%s %s %ld %ld %ld %ld %ld %ld %ld %ld\n", leaf_names[site / ROUTES], route_names[site % ROUTES],
                t->bytes, t->count, t->freed_bytes, t->freed_count, t->temporary_bytes, t->temporary_count,
                at_peak[site].bytes, at_peak[site].count);
    }
    return 0;
}
