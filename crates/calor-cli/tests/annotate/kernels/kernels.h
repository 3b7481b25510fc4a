// What the kernels share: data that fits the first cache, and how a kernel is written.
#include <stddef.h>
#include <stdint.h>

#define N 4096

extern float fa[N], fb[N], fc[N];
extern double da[N], db[N];
extern int32_t ia[N], ib[N];
extern int64_t la[N];
extern uint64_t ua[N];
extern uint8_t ba[N], bb[N];
extern uint16_t ha[N];
extern volatile double float_sink;
extern volatile uint64_t int_sink;

// One round of work, a few microseconds. It stays a function of its own.
#define KERNEL(name) __attribute__((noinline, noclone, noipa)) void name(void)
