// Maps, unmaps, moves and replaces memory at random, any part of it, in areas that it has reserved, and keeps a book of
// every page. Prints for each function that mapped: bytes and mappings that came, those that went, and what it had when
// all had most. With more than one thread the last two are not decided.
//
//   mappings SEED THREADS TURNS
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACE __attribute__((noinline, noclone))
#define KEEP(block) __asm__ volatile("" : "+r"(block) : : "memory")
enum { PAGE = 4096, PAGES = 1024, SITES = 4, MAX_THREADS = 8, MAX_TURNS = 20000 };
enum { MINE = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

// A mapping, until the last page of it is gone.
struct mapping {
    int site;
    int pages;
};
struct book {
    uint64_t state;
    char *area;
    int turns, used;
    uint16_t bytes[PAGES];           // of a mapping, in each page
    struct mapping *owner[PAGES];    // NULL for a page that is only reserved
    unsigned char is_lost[PAGES];    // somebody else has it
    struct mapping mappings[MAX_TURNS];
    long came[SITES][2], went[SITES][2];
};
static struct book books[MAX_THREADS];
static long most_bytes = -1, at_most[SITES][2];

static void fail(const char *what) {
    dprintf(2, "%s: %s\n", what, strerror(errno));
    _exit(3);
}

static unsigned draw(struct book *book, unsigned below) {
    book->state ^= book->state << 13;
    book->state ^= book->state >> 7;
    book->state ^= book->state << 17;
    return (unsigned)((book->state >> 11) % below);
}

PLACE static void *site_0(void *at, size_t length) { at = mmap(at, length, MINE, ANON | MAP_FIXED, -1, 0); KEEP(at); return at; }
PLACE static void *site_1(void *at, size_t length) { at = mmap64(at, length, MINE, ANON | MAP_FIXED, -1, 0); KEEP(at); return at; }
PLACE static void *site_2(void *at, size_t old, size_t length, void *to) {
    at = mremap(at, old, length, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    KEEP(at);
    return at;
}
PLACE static void *site_3(void *at, size_t old, size_t length) { at = mremap(at, old, length, 0); KEEP(at); return at; }

static void goes(struct book *book, int first, int pages) {
    for (int page = first; page < first + pages; page++) {
        struct mapping *owner = book->owner[page];
        if (owner == NULL) continue;
        book->went[owner->site][0] += book->bytes[page];
        if (--owner->pages == 0) book->went[owner->site][1]++;
        book->owner[page] = NULL;
    }
}

static void comes(struct book *book, int first, size_t length, int site) {
    struct mapping *owner = &book->mappings[book->used++];
    *owner = (struct mapping){site, (int)((length + PAGE - 1) / PAGE)};
    book->came[site][0] += (long)length;
    book->came[site][1]++;
    for (int page = first; page < first + owner->pages; page++) {
        book->owner[page] = owner;
        book->bytes[page] = (uint16_t)(length < PAGE ? length : PAGE);
        length -= book->bytes[page];
    }
}

// Looks whether this is the most so far; only one thread can.
static void look(struct book *book) {
    long sum = 0;
    for (int site = 0; site < SITES; site++) sum += book->came[site][0] - book->went[site][0];
    if (sum <= most_bytes) return;
    most_bytes = sum;
    for (int site = 0; site < SITES; site++)
        for (int which = 0; which < 2; which++)
            at_most[site][which] = book->came[site][which] - book->went[site][which];
}

static void reserve(struct book *book, int first, int pages) {
    for (int page = first; page < first + pages; page++) {
        char *at = book->area + (size_t)page * PAGE;
        void *got = mmap(at, PAGE, PROT_NONE, ANON | MAP_FIXED_NOREPLACE, -1, 0);
        // The place may be taken already, by whoever else maps memory here.
        if (got != at) {
            if (got != MAP_FAILED) munmap(got, PAGE);
            book->is_lost[page] = 1;
        }
    }
}

static int is_ours(struct book *book, int first, int pages) {
    for (int page = first; page < first + pages; page++)
        if (page >= PAGES || book->is_lost[page]) return 0;
    return 1;
}

static void turn(struct book *book) {
    int first = (int)draw(book, PAGES - 64), pages = 1 + (int)draw(book, draw(book, 4) ? 12 : 64);
    char *at = book->area + (size_t)first * PAGE;
    size_t length = (size_t)pages * PAGE, asked = length - (draw(book, 3) ? 0 : draw(book, PAGE));
    if (!is_ours(book, first, pages)) return;
    switch (draw(book, 8)) {
    case 0: case 1: case 2: {
        // Often in the place of others.
        int site = (int)draw(book, 2);
        if ((site ? site_1(at, asked) : site_0(at, asked)) != at) fail("mmap");
        goes(book, first, pages);
        comes(book, first, asked, site);
        break;
    }
    case 3: case 4:
        if (munmap(at, asked) != 0) fail("munmap");
        goes(book, first, pages);
        reserve(book, first, pages);
        break;
    case 5:
        // It becomes room that is only reserved, or a file.
        if (draw(book, 2)) {
            if (mmap(at, length, PROT_NONE, ANON | MAP_FIXED, -1, 0) != at) fail("mmap of nothing");
        } else if (mmap(at, length, PROT_READ, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at) {
            fail("mmap of shared memory");
        }
        goes(book, first, pages);
        break;
    default: {
        // A part of one mapping moves, or becomes smaller where it is.
        struct mapping *owner = book->owner[first];
        int part = 0;
        while (part < pages && book->owner[first + part] == owner) part++;
        if (owner == NULL) break;
        if (part > 1 && draw(book, 2)) {
            int left = 1 + (int)draw(book, (unsigned)part - 1);
            if (site_3(at, (size_t)part * PAGE, (size_t)left * PAGE) != at) fail("mremap in place");
            goes(book, first, part);
            comes(book, first, (size_t)left * PAGE, 3);
            reserve(book, first + left, part - left);
            break;
        }
        int to = (int)draw(book, PAGES - 64), wider = part + (int)draw(book, 4);
        if (!is_ours(book, to, wider) || (to < first + part && first < to + wider)) break;
        char *there = book->area + (size_t)to * PAGE;
        if (site_2(at, (size_t)part * PAGE, (size_t)wider * PAGE, there) != there) fail("mremap");
        goes(book, first, part);
        goes(book, to, wider);
        comes(book, to, (size_t)wider * PAGE, 2);
        reserve(book, first, part);
        break;
    }
    }
}

static void *keep(void *own) {
    struct book *book = own;
    for (int i = 0; i < book->turns; i++) {
        turn(book);
        if (book == books) look(book);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int n_threads = atoi(argv[2]), turns = atoi(argv[3]);
    if (n_threads < 1 || n_threads > MAX_THREADS || turns > MAX_TURNS) return 2;
    pthread_t threads[MAX_THREADS];
    for (int i = 0; i < n_threads; i++) {
        books[i].state = (uint64_t)(atoi(argv[1]) * 100 + i + 1) * 0x9e3779b97f4a7c15u;
        books[i].turns = turns;
        books[i].area = mmap(NULL, (size_t)PAGES * PAGE, PROT_NONE, ANON, -1, 0);
        if (books[i].area == MAP_FAILED) fail("no area");
    }
    if (n_threads == 1) keep(&books[0]);
    else {
        for (int i = 0; i < n_threads; i++)
            if (pthread_create(&threads[i], NULL, keep, &books[i]) != 0) fail("no thread");
        for (int i = 0; i < n_threads; i++) pthread_join(threads[i], NULL);
    }
    for (int site = 0; site < SITES; site++) {
        long sums[4] = {0};
        for (int i = 0; i < n_threads; i++) {
            sums[0] += books[i].came[site][0];
            sums[1] += books[i].came[site][1];
            sums[2] += books[i].went[site][0];
            sums[3] += books[i].went[site][1];
        }
        dprintf(1, "site_%d %ld %ld %ld %ld %ld %ld\n", site, sums[0], sums[1], sums[2], sums[3], at_most[site][0],
                at_most[site][1]);
    }
    return 0;
}
