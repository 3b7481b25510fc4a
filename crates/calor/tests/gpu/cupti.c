/* Stands in for CUPTI where there is no GPU: the same functions, callbacks and records, and launches that a test makes.
 * Records are laid out as the headers of CUDA 11.8 to 13.4 have them. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPY = 1, FILL = 2, KERNEL = 10, BETWEEN = 22, MAX_PENDING = 4096, RECORD = 208 };
enum { FORCED = 1 };
/* What it refuses, as a test asks for it. */
enum { REGISTER = 1, BETWEEN_DEVICES = 2, DRIVER = 4, RUNTIME = 8 };

typedef struct {
    uint32_t moment;
    const char *function;
    const void *parameters, *answer;
    const char *symbol;
    const void *context;
    uint32_t context_number;
    uint64_t *between;
    uint32_t number;
} Call;

typedef void (*Called)(void *, uint32_t, uint32_t, const Call *);
typedef void (*Requested)(uint8_t **, size_t *, size_t *);
typedef void (*Completed)(void *, uint32_t, uint8_t *, size_t, size_t);

static Called called;
static void *ours;
static int subscriber, has_launches[3], n_enabled[32], is_taken, refused;
static Requested requested;
static Completed completed;
static uint8_t pending[MAX_PENDING][RECORD];
static int is_done[MAX_PENDING];
static size_t n_pending, n_dropped;
static uint32_t number = 41;

/* What a test does. */

void stand_in_be_taken(int is) { is_taken = is; }
void stand_in_refuse(int what) { refused = what; }
void stand_in_enable(uint32_t kind, int is) { n_enabled[kind % 32] = is; }
int stand_in_is_enabled(uint32_t kind) { return n_enabled[kind % 32]; }
void stand_in_drop(size_t n) { n_dropped += n; }
int stand_in_is_subscribed(void) { return called != NULL; }

static uint32_t tell(uint32_t area) {
    Call call = {0};
    call.number = ++number;
    /* The runtime asks the driver, and both tell. */
    for (uint32_t inner = area; called && inner > 0; inner--) {
        if (!has_launches[inner]) continue;
        for (call.moment = 0; call.moment < 2; call.moment++) called(ours, inner, 7, &call);
    }
    return call.number;
}

static uint8_t *record(uint32_t kind, uint64_t nanos) {
    if (!n_enabled[kind] || n_pending == MAX_PENDING) return NULL;
    is_done[n_pending] = 1;
    uint8_t *at = pending[n_pending++];
    memset(at, 0, RECORD);
    uint64_t start = 1000, end = start + nanos;
    memcpy(at, &kind, 4);
    memcpy(at + 16, &start, 8);
    memcpy(at + 24, &end, 8);
    return at;
}

static uint8_t *kernel(const char *name, uint64_t nanos) {
    uint32_t launch = tell(2);
    uint8_t *at = record(KERNEL, nanos);
    if (!at) return NULL;
    memcpy(at + 92, &launch, 4);
    memcpy(at + 104, &name, 8);
    return at;
}

void stand_in_kernel(const char *name, uint64_t nanos) { kernel(name, nanos); }

/* One that is not done: it has begun, unless `start` is 0. */
void stand_in_begin_kernel(const char *name, uint64_t start) {
    uint8_t *at = kernel(name, 0);
    if (!at) return;
    memcpy(at + 16, &start, 8);
    memset(at + 24, 0, 8);
    is_done[n_pending - 1] = 0;
}

/* One that is done, and whose times were lost. */
void stand_in_lose_times(const char *name) {
    uint8_t *at = kernel(name, 0);
    if (at) memset(at + 16, 0, 16);
}

void stand_in_copy(int kind, int from, int to, uint64_t bytes, uint64_t nanos) {
    uint32_t launch = tell(1);
    uint8_t *at = record(COPY, nanos);
    if (!at) return;
    at[4] = kind, at[5] = from, at[6] = to;
    memcpy(at + 8, &bytes, 8);
    memcpy(at + 44, &launch, 4);
}

void stand_in_fill(uint64_t bytes, uint64_t nanos) {
    uint32_t launch = tell(2);
    uint8_t *at = record(FILL, nanos);
    if (!at) return;
    memcpy(at + 8, &bytes, 8);
    memcpy(at + 44, &launch, 4);
}

void stand_in_copy_between(uint64_t bytes, uint64_t nanos) {
    uint32_t launch = tell(1), source = 1;
    uint8_t *at = record(BETWEEN, nanos);
    if (!at) return;
    memcpy(at + 8, &bytes, 8);
    memcpy(at + 44, &source, 4);
    memcpy(at + 60, &launch, 4);
}

/* What CUPTI does. */

/* Without a driver the first call ends the process, as that of CUPTI 13.2 does. */
uint32_t cuptiGetVersion(uint32_t *version) {
    if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) abort();
    *version = 26;
    return 0;
}

uint32_t cuptiSubscribe(void **handle, Called function, void *given) {
    if (is_taken || called) return 39;
    called = function, ours = given, *handle = &subscriber;
    return 0;
}

uint32_t cuptiUnsubscribe(void *handle) {
    if (handle != &subscriber) return 1;
    called = NULL, has_launches[1] = has_launches[2] = 0;
    if (getenv("STAND_IN_TELLS")) fprintf(stderr, "the stand-in is left with %zu pending\n", n_pending);
    return 0;
}

uint32_t cuptiEnableCallback(uint32_t is_on, void *handle, uint32_t area, uint32_t call) {
    if (handle != &subscriber || call != 7 || area < 1 || area > 2) return 1;
    if (refused & (area == 1 ? DRIVER : RUNTIME)) return 7;
    has_launches[area] = is_on;
    return 0;
}

uint32_t cuptiGetCallbackName(uint32_t area, uint32_t call, const char **name) {
    static const char *names[] = {"", "cuLaunchKernel", "cudaLaunchKernel_v7000"};
    if (call == 3) { *name = "cudaGetDevice_v3020"; return 0; }
    if (call != 7) return 1;
    *name = names[area];
    return 0;
}

uint32_t cuptiActivityRegisterCallbacks(Requested ask, Completed give) {
    if (refused & REGISTER) return 7;
    requested = ask, completed = give;
    return 0;
}

uint32_t cuptiActivityEnable(uint32_t kind) {
    if (kind == BETWEEN && refused & BETWEEN_DEVICES) return 7;
    n_enabled[kind % 32] = 1;
    return 0;
}
uint32_t cuptiActivityDisable(uint32_t kind) { n_enabled[kind % 32] = 0; return 0; }

uint32_t cuptiActivityGetNextRecord(uint8_t *buffer, size_t n_bytes, uint8_t **at) {
    uint8_t *next = *at ? *at + RECORD : buffer;
    if (next + RECORD > buffer + n_bytes) return 12;
    *at = next;
    return 0;
}

/* What is not done is handed over when that is forced, and otherwise stays. */
uint32_t cuptiActivityFlushAll(uint32_t flag) {
    size_t n_left = 0, done = 0, n_all = n_pending;
    while (completed && done < n_all) {
        uint8_t *buffer;
        size_t size, most, n = 0;
        requested(&buffer, &size, &most);
        if (!buffer) return 1;
        for (; done < n_all && (n + 1) * RECORD <= size; done++) {
            if (is_done[done] || flag == FORCED) memcpy(buffer + n++ * RECORD, pending[done], RECORD);
            else {
                memmove(pending[n_left], pending[done], RECORD);
                is_done[n_left++] = 0;
            }
        }
        completed(NULL, 0, buffer, size, n * RECORD);
    }
    n_pending = n_left;
    return 0;
}

/* As it does by itself when its room is full, on a thread of the program. */
void stand_in_hand_over(void) { cuptiActivityFlushAll(0); }

uint32_t cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n) {
    (void)context, (void)stream;
    *n = n_dropped, n_dropped = 0;
    return 0;
}
