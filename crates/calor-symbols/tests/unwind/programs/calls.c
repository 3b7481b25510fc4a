/* Calls of every ordinary kind: recursion, through pointers, with many arguments, with memory on the stack of a size
   known only when it runs, and back from the C library. */
#include <alloca.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noipa))

volatile long sink;

APART static long leaf(long a) { return a * 3 + sink; }

APART static long deep(long n) {
    if (n == 0) return leaf(n);
    long inner = deep(n - 1);
    return inner + n + sink;
}

APART static long on_stack(long n) {
    char *bytes = alloca(n * 16);
    memset(bytes, (int)n, n * 16);
    sink += bytes[n];
    return leaf(bytes[3]);
}

APART static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) {
    return leaf(a + b + c + d) + leaf(e + f + g) * leaf(h - i + j);
}

APART static long variadic(int n, ...) {
    va_list list;
    va_start(list, n);
    long sum = 0;
    for (int i = 0; i < n; i++) sum += leaf(va_arg(list, long));
    va_end(list);
    return sum;
}

APART static int order(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y) + (int)sink * 0;
}

APART static long tail(long n) { return many(n, 2, 3, 4, 5, 6, 7, 8, 9, 10); }

int main(void) {
    long (*volatile pointer)(long) = deep;
    sink += pointer(32);
    sink += on_stack(5) + on_stack(70);
    sink += variadic(3, 1L, 2L, 3L);
    long numbers[] = {5, 3, 9, 1, 7, 2};
    qsort(numbers, 6, sizeof numbers[0], order);
    sink += tail(numbers[0]);
    return sink == 0;
}
