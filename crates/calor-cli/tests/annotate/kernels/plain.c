// Code of single numbers and of integers; built without vectorising.
#include <emmintrin.h>
#include <math.h>

#include "kernels.h"

KERNEL(dot_in_order) {
    float sum = 0;
    for (int i = 0; i < N; i++) sum += fa[i] * fb[i];
    float_sink = sum;
}

KERNEL(horner) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double x = da[i], value = 0.1;
        for (int k = 0; k < 6; k++) value = value * x + db[k];
        sum += value;
    }
    float_sink = sum;
}

KERNEL(divide_chain) {
    double x = 0.5;
    for (int i = 0; i < N; i++) x = 1 / (1 + x);
    float_sink = x;
}

KERNEL(root_chain) {
    float x = 2;
    for (int i = 0; i < N; i++) x = __builtin_sqrtf(x + fa[i]);
    float_sink = x;
}

// Taking an absolute value is done by an instruction of whole vectors.
KERNEL(newton) {
    double sum = 0;
    for (int i = 0; i < N / 8; i++) {
        double x = da[i], error = 1;
        while (fabs(error) > 1e-9) {
            double better = 0.5 * (x + da[i] / x);
            error = better - x;
            x = better;
        }
        sum += x;
    }
    float_sink = sum;
}

KERNEL(ints_to_doubles) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += ia[i];
    float_sink = sum;
}

// Without wider sets, large numbers become floating-point ones in several steps, some of them with whole vectors.
KERNEL(unsigned_to_doubles) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (double)ua[i];
    float_sink = sum;
}

KERNEL(complex_multiply) {
    float re = 1, im = 0;
    for (int i = 0; i < N; i += 2) {
        float a = fb[i], b = fb[i + 1], old = re;
        re = re * a - im * b;
        im = old * b + im * a;
    }
    float_sink = re + im;
}

KERNEL(running_sum) {
    float sum = 0;
    for (int i = 0; i < N; i++) fc[i] = sum += fa[i];
    float_sink = fc[N - 1];
}

KERNEL(long_double_sum) {
    long double sum = 0;
    for (int i = 0; i < N; i++) sum += (long double)da[i] * 1.5L;
    float_sink = (double)sum;
}

// The loop is in the caller, which does little else.
KERNEL(leaf_without_loop) {
    double x = float_sink, y = x * 0.5 + 1, z = y * y - x * 0.25, w = z / (1 + y * y);
    double v = (w + z) * (y - x) + w * 0.125, u = v * v + z * 0.5;
    float_sink = 1 / (1 + u * u) + 1 / (2 + v * v) + 1 / (3 + w * w);
}

KERNEL(hash_words) {
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < N; i++) hash = (hash ^ ua[i]) * 1099511628211u, hash ^= hash >> 29;
    int_sink = hash;
}

KERNEL(sort_ints) {
    static int32_t copy[256];
    for (int i = 0; i < 256; i++) copy[i] = ia[i];
    for (int gap = 128; gap; gap /= 2)
        for (int i = gap; i < 256; i++) {
            int32_t value = copy[i];
            int k = i;
            for (; k >= gap && copy[k - gap] > value; k -= gap) copy[k] = copy[k - gap];
            copy[k] = value;
        }
    int_sink = copy[9];
}

KERNEL(scan_bytes) {
    uint64_t found = 0;
    for (int i = 0; i < N; i++) found += ba[i] == '/' || ba[i] == '\\' ? i : 1;
    int_sink = found;
}

KERNEL(state_machine) {
    uint64_t state = 0, seen = 0;
    for (int i = 0; i < N; i++) {
        switch ((ba[i] + state) % 11) {
        case 0: seen += state * 3, state = 4; break;
        case 1: seen ^= 0x55aa, state = ba[i]; break;
        case 2: state += 7, seen -= 5; break;
        case 3: state = seen & 15; break;
        case 4: seen = seen << 1 | 1, state++; break;
        case 5: seen *= 31, state ^= 3; break;
        case 6: state -= ba[i]; break;
        case 7: seen += ba[i] * state; break;
        case 8: state = state >> 1; break;
        default: seen++, state += 2;
        }
    }
    int_sink = seen + state;
}

KERNEL(interpreter) {
    static const void *const go[] = {&&add, &&shift, &&mix, &&step};
    uint64_t x = 1;
    int at = 0;
    goto *go[ba[0] & 3];
add:
    x += 12345;
    if (++at >= N) goto end;
    goto *go[ba[at] & 3];
shift:
    x = x << 7 | x >> 57;
    if (++at >= N) goto end;
    goto *go[ba[at] & 3];
mix:
    x ^= x * 0x9e3779b97f4a7c15u;
    if (++at >= N) goto end;
    goto *go[ba[at] & 3];
step:
    at += x & 3;
    if (++at >= N) goto end;
    goto *go[ba[at] & 3];
end:
    int_sink = x;
}

KERNEL(count_bits) {
    uint64_t bits = 0;
    for (int i = 0; i < N; i++)
        for (uint64_t x = (uint64_t)ia[i]; x; x &= x - 1) bits++;
    int_sink = bits;
}

KERNEL(binary_search) {
    uint64_t found = 0;
    for (int i = 0; i < 512; i++) {
        int low = 0, high = N;
        while (low < high) {
            int middle = (low + high) / 2;
            if (ib[middle] < (ia[i] & (N - 1))) low = middle + 1;
            else high = middle;
        }
        found += low;
    }
    int_sink = found;
}

// Pairs of words travel in vector registers, while what is computed is computed with integers.
KERNEL(copy_among_integers) {
    struct pair {
        uint64_t one, two;
    } *pairs = (struct pair *)ua, last = pairs[0];
    uint64_t sum = 1;
    for (int i = 1; i < N / 2; i++) {
        struct pair next = pairs[i];
        sum = (sum ^ next.one) * 0x9e3779b97f4a7c15u + (next.two >> 3);
        sum ^= sum >> 31;
        sum += (sum << 5) - (next.one & 0xff) * 3 + (next.two | 7);
        sum = (sum >> 11) ^ (sum << 9) ^ (next.one + next.two * 5);
        _mm_storeu_si128((__m128i *)&pairs[i - 1], _mm_loadu_si128((const __m128i *)&last));
        last = next;
    }
    int_sink = sum;
}

// Most of the code is of vectors, and none of it runs.
KERNEL(cold_vectors) {
    uint64_t x = int_sink | 1;
    for (int i = 0; i < N; i++) x = x * 6364136223846793005u + (uint64_t)ib[i];
    if (__builtin_expect(x == 42, 0)) {
        for (int i = 0; i < N; i += 16)
            for (int k = 0; k < 16; k += 4) {
                __m128 a = _mm_load_ps(fa + i + k), b = _mm_load_ps(fb + i + k);
                a = _mm_add_ps(_mm_mul_ps(a, b), _mm_sub_ps(a, b));
                b = _mm_max_ps(_mm_min_ps(a, b), _mm_sqrt_ps(b));
                _mm_store_ps(fc + i + k, _mm_div_ps(_mm_add_ps(a, b), _mm_mul_ps(b, b)));
            }
    }
    int_sink = x;
}

static __attribute__((noinline, noipa)) uint64_t fibonacci(uint64_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

KERNEL(recursion) { int_sink = fibonacci(18); }
