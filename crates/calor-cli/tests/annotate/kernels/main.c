// Runs every kernel that the processor can for so many milliseconds of CPU time, one after the other: main MILLIS
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

float fa[N] __attribute__((aligned(64))), fb[N] __attribute__((aligned(64))), fc[N] __attribute__((aligned(64)));
double da[N] __attribute__((aligned(64))), db[N] __attribute__((aligned(64)));
int32_t ia[N] __attribute__((aligned(64))), ib[N] __attribute__((aligned(64)));
int64_t la[N] __attribute__((aligned(64)));
uint64_t ua[N] __attribute__((aligned(64)));
uint8_t ba[N] __attribute__((aligned(64))), bb[N] __attribute__((aligned(64)));
uint16_t ha[N] __attribute__((aligned(64)));
volatile double float_sink;
volatile uint64_t int_sink;

enum set { ANY, AVX2, AVX512 };

#define KERNELS(X) \
    X(dot_in_order, ANY) X(horner, ANY) X(divide_chain, ANY) X(root_chain, ANY) X(newton, ANY) \
    X(ints_to_doubles, ANY) X(unsigned_to_doubles, ANY) X(complex_multiply, ANY) X(running_sum, ANY) \
    X(long_double_sum, ANY) X(leaf_without_loop, ANY) X(hash_words, ANY) X(sort_ints, ANY) X(scan_bytes, ANY) \
    X(state_machine, ANY) X(interpreter, ANY) X(count_bits, ANY) X(binary_search, ANY) X(copy_among_integers, ANY) \
    X(cold_vectors, ANY) X(recursion, ANY) X(axpy_sse, ANY) X(sum_ints_sse, ANY) X(copy_sse, ANY) \
    X(transpose_sse, ANY) X(find_byte_sse, ANY) X(doubles_sse, ANY) X(prefix_sse, ANY) X(largest_sse, ANY) \
    X(short_tail, ANY) X(dot_fma_avx2, AVX2) X(sum_ints_avx2, AVX2) X(gather_avx2, AVX2) X(bytes_dot_avx2, AVX2) \
    X(doubles_avx2, AVX2) X(narrow_vex, AVX2) X(single_fma, AVX2) X(masked_avx2, AVX2) X(cold_avx2, AVX2) \
    X(halves_avx2, AVX2) X(multiply_matrices, AVX2) X(copy_avx2, AVX2) X(axpy_avx512, AVX512) \
    X(sum_longs_avx512, AVX512) X(masked_avx512, AVX512) X(compress_avx512, AVX512) X(masked_256, AVX512) \
    X(masked_128, AVX512)

#define DECLARE(name, set) void name(void);
KERNELS(DECLARE)
#define ENTRY(name, set) {#name, name, set},
static const struct {
    const char *name;
    void (*run)(void);
    enum set set;
} kernels[] = {KERNELS(ENTRY)};

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static int has(enum set set) {
    __builtin_cpu_init();
    if (set == AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    if (set == AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    return 1;
}

int main(int count, char **words) {
    double seconds = count > 1 ? atof(words[1]) / 1e3 : 0.15;
    for (int i = 0; i < N; i++) {
        fa[i] = 1 + i % 7, fb[i] = 0.5f, fc[i] = 0, da[i] = 1 + i % 5, db[i] = 0.25;
        ia[i] = (int)(i * 2654435761u >> 8), ib[i] = i, la[i] = i, ua[i] = (uint64_t)i << 33;
        ba[i] = 1 + i % 100, bb[i] = i % 50, ha[i] = 0x3c00;
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (!has(kernels[i].set)) {
            printf("skipped %s\n", kernels[i].name);
            continue;
        }
        for (double end = cpu_seconds() + seconds; cpu_seconds() < end;)
            for (int round = 0; round < 20; round++) kernels[i].run();
    }
    return 0;
}
