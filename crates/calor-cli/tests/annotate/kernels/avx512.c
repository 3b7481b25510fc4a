// Built for AVX-512: vectors of 512 bits, and its masks on narrower ones.
#include <immintrin.h>

#include "kernels.h"

KERNEL(axpy_avx512) {
    for (int i = 0; i < N; i++) fc[i] = fc[i] * 0.5f + fa[i];
}

KERNEL(sum_longs_avx512) {
    int64_t sum = 0;
    for (int i = 0; i < N; i++) sum += la[i];
    int_sink = sum;
}

KERNEL(masked_avx512) {
    for (int i = 0; i < N; i += 16) {
        __m512 x = _mm512_load_ps(fa + i);
        __mmask16 mask = _mm512_cmp_ps_mask(x, _mm512_set1_ps(3), _CMP_GT_OQ);
        _mm512_store_ps(fc + i, _mm512_mask_mul_ps(x, mask, x, x));
    }
}

KERNEL(compress_avx512) {
    size_t at = 0;
    for (int i = 0; i < N; i += 16) {
        __m512i x = _mm512_load_si512(ia + i);
        __mmask16 mask = _mm512_cmpgt_epi32_mask(x, _mm512_set1_epi32(1 << 22));
        _mm512_storeu_si512(ib + (at & 1023), _mm512_maskz_compress_epi32(mask, x));
        at += __builtin_popcount(mask);
    }
    int_sink = at;
}

// Masked vectors of 256 and 128 bits are named by their width.
KERNEL(masked_256) {
    for (int i = 0; i < N; i += 8) {
        __m256 x = _mm256_load_ps(fa + i);
        __mmask8 mask = _mm256_cmp_ps_mask(x, _mm256_set1_ps(3), _CMP_GT_OQ);
        _mm256_store_ps(fc + i, _mm256_mask_mul_ps(x, mask, x, x));
    }
}

KERNEL(masked_128) {
    for (int i = 0; i < N; i += 4) {
        __m128i x = _mm_load_si128((const __m128i *)(ia + i));
        __mmask8 mask = _mm_cmpgt_epi32_mask(x, _mm_set1_epi32(3));
        _mm_store_si128((__m128i *)(ib + i), _mm_mask_add_epi32(x, mask, x, x));
    }
}
