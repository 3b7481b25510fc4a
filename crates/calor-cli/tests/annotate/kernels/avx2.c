// Built for AVX2 and FMA: vectors of 256 bits, and what looks like them.
#include <immintrin.h>

#include "kernels.h"

KERNEL(dot_fma_avx2) {
    float sum = 0;
    for (int i = 0; i < N; i++) sum += fa[i] * fb[i];
    float_sink = sum;
}

KERNEL(sum_ints_avx2) {
    int32_t sum = 0;
    for (int i = 0; i < N; i++) sum += ia[i];
    int_sink = sum;
}

KERNEL(gather_avx2) {
    __m256 sum = _mm256_setzero_ps();
    __m256i step = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
    for (int i = 0; i + 64 <= N; i += 4) sum = _mm256_add_ps(sum, _mm256_i32gather_ps(fa + i, step, 4));
    float_sink = ((float *)&sum)[3];
}

KERNEL(bytes_dot_avx2) {
    __m256i sum = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
    for (int i = 0; i < N; i += 32) {
        __m256i a = _mm256_load_si256((const __m256i *)(ba + i)), b = _mm256_load_si256((const __m256i *)(bb + i));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
    }
    int_sink = _mm256_extract_epi32(sum, 2);
}

KERNEL(doubles_avx2) {
    for (int i = 0; i < N; i++) da[i] = db[i] / 1.5 + 0.5;
}

// The newer encoding of 128-bit vectors does not make them wider.
KERNEL(narrow_vex) {
    for (int i = 0; i < N; i += 4)
        _mm_store_ps(fc + i, _mm_add_ps(_mm_load_ps(fa + i), _mm_mul_ps(_mm_load_ps(fb + i), _mm_load_ps(fc + i))));
}

KERNEL(single_fma) {
    double value = 0.1;
    for (int i = 0; i < N; i++) {
        value = value * 0.5 + db[i];
        __asm__ volatile("" : "+x"(value));
    }
    float_sink = value;
}

KERNEL(masked_avx2) {
    for (int i = 0; i < N; i += 8) {
        __m256 x = _mm256_load_ps(fa + i);
        __m256i mask = _mm256_castps_si256(_mm256_cmp_ps(x, _mm256_set1_ps(3), _CMP_GT_OQ));
        x = _mm256_blendv_ps(x, _mm256_mul_ps(x, x), _mm256_castsi256_ps(mask));
        _mm256_maskstore_ps(fc + i, mask, x);
    }
}

// Most of the code is of vectors, and none of it runs.
KERNEL(cold_avx2) {
    double x = 0.5;
    for (int i = 0; i < N; i++) {
        x = 1 / (x + db[i]);
        __asm__ volatile("" : "+x"(x));
    }
    if (__builtin_expect(x == 42, 0)) {
        for (int i = 0; i < N; i++) fc[i] = fa[i] * fb[i] + fc[i] * 0.5f;
        for (int i = 0; i < N; i++) ia[i] = ia[i] * 3 + ib[i];
    }
    float_sink = x;
}

KERNEL(halves_avx2) {
    for (int i = 0; i < N; i += 8)
        _mm256_store_ps(fc + i, _mm256_cvtph_ps(_mm_load_si128((const __m128i *)(ha + i))));
}

// Three loops deep.
KERNEL(multiply_matrices) {
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < 64; j++) fc[i * 64 + j] += fa[i * 16 + k] * fb[k * 64 + j];
}

KERNEL(copy_avx2) {
    for (int i = 0; i < N; i += 8) {
        _mm256_storeu_si256((__m256i *)(ib + i), _mm256_loadu_si256((const __m256i *)(ia + i)));
        __asm__ volatile("" ::: "memory");
    }
}
