/* `products VARIANT N CALLS`: the sum of the products of two arrays of doubles, in several implementations of which one is
 * good and each other has one thing wrong with it. All print the same. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline)) static
#define SEEN(pointer) __asm__ volatile("" ::"r"(pointer) : "memory")

typedef double operation(const double *, const double *, size_t);

static double *kept;
static char name[4096];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Eight sums at once. */
APART double good(const double *x, const double *y, size_t n) {
    double s[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++)
            s[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        s[0] += x[i] * y[i];
    return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

/* Each step waits for the one before. */
APART double scalar(const double *x, const double *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

APART double copy(const double *x, const double *y, size_t n) {
    double *own = malloc(n * sizeof *own);
    for (size_t i = 0; i < n; i++)
        own[i] = x[i];
    SEEN(own);
    double sum = good(own, y, n);
    free(own);
    return sum;
}

APART double pass(const double *x, const double *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        kept[i] = x[i] * y[i];
    SEEN(kept);
    double s[4] = {0};
    for (size_t i = 0; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            s[k] += kept[i + k];
    return s[0] + s[1] + s[2] + s[3];
}

APART double overhead(const double *x, const double *y, size_t n) {
    const char *asked = getenv("NO_SUCH_KERNEL");
    snprintf(name, sizeof name, "%zu %p %s", n, (const void *)x, asked ? asked : "");
    return good(x, y, n);
}

/* The good path is for small arrays alone. */
APART double dispatch(const double *x, const double *y, size_t n) {
    return n >= 8192 ? scalar(x, y, n) : good(x, y, n);
}

APART double stride(const double *x, const double *y, size_t n) {
    size_t row = n < 64 ? 1 : 64;
    double sum = 0;
    for (size_t column = 0; column < row; column++)
        for (size_t i = column; i < n; i += row)
            sum += x[i] * y[i];
    return sum;
}

APART double upcast(const double *x, const double *y, size_t n) {
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)x[i] * y[i];
    return (double)sum;
}

APART double lock(const double *x, const double *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i += 8) {
        pthread_mutex_lock(&mutex);
        sum += good(x + i, y + i, n - i < 8 ? n - i : 8);
        pthread_mutex_unlock(&mutex);
    }
    return sum;
}

int main(int count, char **words) {
    static const struct { const char *name; operation *does; } variants[] = {
        {"good", good},         {"scalar", scalar}, {"copy", copy},     {"pass", pass}, {"overhead", overhead},
        {"dispatch", dispatch}, {"stride", stride}, {"upcast", upcast}, {"lock", lock},
    };
    if (count != 4)
        return 2;
    size_t n = strtoull(words[2], NULL, 10);
    unsigned long long calls = strtoull(words[3], NULL, 10);
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    kept = calloc(n, sizeof *kept);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(i % 13);
        y[i] = (double)(i % 7);
    }
    for (size_t at = 0; at < sizeof variants / sizeof *variants; at++) {
        if (strcmp(variants[at].name, words[1]) != 0)
            continue;
        double sum = 0;
        for (unsigned long long call = 0; call < calls; call++)
            sum = variants[at].does(x, y, n);
        printf("%.0f\n", sum);
        return 0;
    }
    return 2;
}
