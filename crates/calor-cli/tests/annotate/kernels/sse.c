// Vectors of 128 bits, made by the compiler and by hand.
#include <emmintrin.h>

#include "kernels.h"

KERNEL(axpy_sse) {
    for (int i = 0; i < N; i++) fc[i] += 0.25f * fa[i];
}

KERNEL(sum_ints_sse) {
    int32_t sum = 0;
    for (int i = 0; i < N; i++) sum += ia[i];
    int_sink = sum;
}

KERNEL(copy_sse) {
    for (int i = 0; i < N; i += 8) {
        __m128i one = _mm_loadu_si128((const __m128i *)(ia + i)), two = _mm_loadu_si128((const __m128i *)(ia + i + 4));
        _mm_storeu_si128((__m128i *)(ib + i), one);
        _mm_storeu_si128((__m128i *)(ib + i + 4), two);
        __asm__ volatile("" ::: "memory");
    }
}

KERNEL(transpose_sse) {
    for (int i = 0; i < N; i += 16) {
        __m128 a = _mm_load_ps(fa + i), b = _mm_load_ps(fa + i + 4), c = _mm_load_ps(fa + i + 8),
               d = _mm_load_ps(fa + i + 12);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        _mm_store_ps(fc + i, a), _mm_store_ps(fc + i + 4, b), _mm_store_ps(fc + i + 8, c);
        _mm_store_ps(fc + i + 12, d);
    }
}

KERNEL(find_byte_sse) {
    __m128i wanted = _mm_set1_epi8((char)255);
    uint64_t found = 0;
    for (int i = 0; i < N; i += 16) {
        __m128i is_equal = _mm_cmpeq_epi8(_mm_load_si128((const __m128i *)(ba + i)), wanted);
        int mask = _mm_movemask_epi8(is_equal);
        if (mask) found += i + __builtin_ctz(mask);
    }
    int_sink = found;
}

KERNEL(doubles_sse) {
    for (int i = 0; i < N; i++) da[i] = db[i] * 1.5 + 0.5;
}

KERNEL(prefix_sse) {
    __m128i carry = _mm_setzero_si128();
    for (int i = 0; i < N; i += 4) {
        __m128i x = _mm_load_si128((const __m128i *)(ia + i));
        x = _mm_add_epi32(x, _mm_slli_si128(x, 4));
        x = _mm_add_epi32(x, _mm_slli_si128(x, 8));
        x = _mm_add_epi32(x, carry);
        _mm_store_si128((__m128i *)(ib + i), x);
        carry = _mm_shuffle_epi32(x, 0xff);
    }
    int_sink = ib[N - 1];
}

KERNEL(largest_sse) {
    float largest = 0;
    for (int i = 0; i < N; i++) {
        float x = __builtin_fabsf(fa[i]);
        largest = x > largest ? x : largest;
    }
    float_sink = largest;
}

static __attribute__((noinline, noipa)) void scaled(float *to, const float *from, float factor, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i] * factor + 1;
}

// Three numbers at a time: the vectors in `scaled` are never reached.
KERNEL(short_tail) {
    for (int i = 0; i + 3 < N; i += 3) scaled(fc + i, fa + i, 0.5f, 3);
}
