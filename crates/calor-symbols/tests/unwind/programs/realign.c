/* Functions that align their stack beyond what the calling convention gives, as those with wide vectors do: with
   arguments on the stack, with memory of a size known only when it runs, and called from each other. */
#include <alloca.h>
#include <string.h>

#define APART __attribute__((noipa))

volatile long sink;
volatile float factor = 1.5f;

APART static long leaf(const float *values) { return (long)(values[0] * factor) + sink; }

/* Its frame is found through a word that rbp points near. */
APART static long wide(long n) {
    float values[64] __attribute__((aligned(64)));
    for (int i = 0; i < 64; i++) values[i] = (float)(i + n) * factor;
    return leaf(values) + n;
}

/* So is this one's, and its arguments on the stack are found through r10 until rbp is set. */
APART static long wide_with_many(long a, long b, long c, long d, long e, long f, long g, long h) {
    float values[32] __attribute__((aligned(64)));
    for (int i = 0; i < 32; i++) values[i] = (float)(a + b * c + d) * factor + (float)i;
    long sum = leaf(values) + e + f;
    return wide(g) + sum + h + leaf(values);
}

APART static long wide_and_dynamic(long n) {
    float values[16] __attribute__((aligned(64)));
    char *more = alloca(n);
    memset(more, 1, n);
    memset(values, 0, sizeof values);
    sink += more[n / 2];
    long sum = leaf(values);
    sum += wide_with_many(1, 2, 3, 4, 5, 6, 7, 8 + more[0]);
    return sum + leaf(values);
}

/* Keeps values in every register that calls preserve, so that all of them are saved around the realignment. */
APART static long wide_and_full(long a, long b, long c, long d, long e, long f, long g, long h) {
    float values[16] __attribute__((aligned(64)));
    char *more = alloca(a);
    memset(more, 1, a);
    memset(values, 0, sizeof values);
    long one = leaf(values), two = leaf(values), three = leaf(values), four = leaf(values), five = leaf(values);
    sink += leaf(values) + more[1] + wide_with_many(one, two, three, four, five, f, g, h);
    return one + two * b + three * c + four * d + five * e + leaf(values);
}

__attribute__((force_align_arg_pointer)) APART static long forced(long n) {
    return wide_and_dynamic(n) + wide_and_full(n, 2, 3, 4, 5, 6, 7, 8) + leaf((const float[]){1.0f, 2.0f});
}

APART static long recursive(long n) {
    float values[8] __attribute__((aligned(32)));
    values[0] = (float)n;
    if (n == 0) return forced(100) + leaf(values);
    return recursive(n - 1) + leaf(values);
}

int main(void) {
    sink += wide(3);
    sink += recursive(4);
    return sink == 0;
}
