/* Stands in for CUPTI where there is no GPU: the same functions, callbacks and records, and launches that a test makes.
 * Records are laid out as the headers of CUDA 11.8 to 13.4 have them. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COPY = 1, FILL = 2, KERNEL = 10, BETWEEN = 22, MAX_PENDING = 4096, RECORD = 208 };

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
static int subscriber, has_launches, n_enabled[32], is_taken;
static Requested requested;
static Completed completed;
static uint8_t pending[MAX_PENDING][RECORD];
static size_t n_pending, n_dropped;
static uint32_t number = 41;

/* What a test does. */

void stand_in_be_taken(int is) { is_taken = is; }
void stand_in_drop(size_t n) { n_dropped += n; }
int stand_in_is_subscribed(void) { return called != NULL; }

static uint32_t tell(uint32_t area) {
    Call call = {0};
    call.number = ++number;
    if (called && has_launches) {
        /* The runtime asks the driver, and both tell. */
        for (uint32_t inner = area; inner > 0; inner--) { call.moment = 0; called(ours, inner, 7, &call); }
        call.moment = 1;
        called(ours, area, 7, &call);
    }
    return call.number;
}

static uint8_t *record(uint32_t kind, uint64_t nanos) {
    if (!n_enabled[kind] || n_pending == MAX_PENDING) return NULL;
    uint8_t *at = pending[n_pending++];
    memset(at, 0, RECORD);
    uint64_t start = 1000, end = start + nanos;
    memcpy(at, &kind, 4);
    memcpy(at + 16, &start, 8);
    memcpy(at + 24, &end, 8);
    return at;
}

void stand_in_kernel(const char *name, uint64_t nanos) {
    uint32_t launch = tell(2);
    uint8_t *at = record(KERNEL, nanos);
    if (!at) return;
    memcpy(at + 92, &launch, 4);
    memcpy(at + 104, &name, 8);
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

uint32_t cuptiGetVersion(uint32_t *version) { *version = 26; return 0; }

uint32_t cuptiSubscribe(void **handle, Called function, void *given) {
    if (is_taken || called) return 39;
    called = function, ours = given, *handle = &subscriber;
    return 0;
}

uint32_t cuptiUnsubscribe(void *handle) {
    if (handle != &subscriber) return 1;
    called = NULL, has_launches = 0;
    return 0;
}

uint32_t cuptiEnableCallback(uint32_t is_on, void *handle, uint32_t area, uint32_t call) {
    if (handle != &subscriber || call != 7 || area < 1 || area > 2) return 1;
    has_launches = is_on;
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
    requested = ask, completed = give;
    return 0;
}

uint32_t cuptiActivityEnable(uint32_t kind) { n_enabled[kind % 32] = 1; return 0; }
uint32_t cuptiActivityDisable(uint32_t kind) { n_enabled[kind % 32] = 0; return 0; }

uint32_t cuptiActivityGetNextRecord(uint8_t *buffer, size_t n_bytes, uint8_t **at) {
    uint8_t *next = *at ? *at + RECORD : buffer;
    if (next + RECORD > buffer + n_bytes) return 12;
    *at = next;
    return 0;
}

uint32_t cuptiActivityFlushAll(uint32_t flag) {
    size_t done = 0;
    (void)flag;
    while (completed && done < n_pending) {
        uint8_t *buffer;
        size_t size, most;
        requested(&buffer, &size, &most);
        if (!buffer) return 1;
        size_t n = size / RECORD < n_pending - done ? size / RECORD : n_pending - done;
        memcpy(buffer, pending[done], n * RECORD);
        completed(NULL, 0, buffer, size, n * RECORD);
        done += n;
    }
    n_pending = 0;
    return 0;
}

uint32_t cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n) {
    (void)context, (void)stream;
    *n = n_dropped, n_dropped = 0;
    return 0;
}
