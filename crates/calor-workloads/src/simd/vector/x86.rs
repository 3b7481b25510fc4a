//! Vectors of 128 bits, which every x86-64 processor has, and of 256 bits with fused operations. Those of 512 bits have no
//! intrinsics in the oldest compiler that builds Calor; what needs them is in assembly (see `wide`).

use std::arch::x86_64::*;

use super::Vector;

vector!(
    /// Four numbers of 32 bits.
    SseF32, __m128, f32, 4,
    _mm_set1_ps, _mm_loadu_ps, _mm_storeu_ps, _mm_add_ps, _mm_sub_ps, _mm_mul_ps, _mm_div_ps, _mm_max_ps, _mm_min_ps,
    |x, factor, summand| _mm_add_ps(_mm_mul_ps(x, factor), summand),
    |it| _mm_castsi128_ps(_mm_add_epi32(_mm_slli_epi32::<23>(_mm_castps_si128(it)), _mm_set1_epi32(127 << 23)))
);
vector!(
    /// Two numbers of 64 bits.
    SseF64, __m128d, f64, 2,
    _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd, _mm_mul_pd, _mm_div_pd, _mm_max_pd, _mm_min_pd,
    |x, factor, summand| _mm_add_pd(_mm_mul_pd(x, factor), summand),
    |it| _mm_castsi128_pd(_mm_add_epi64(_mm_slli_epi64::<52>(_mm_castpd_si128(it)), _mm_set1_epi64x(1023 << 52)))
);
vector!(
    /// Eight numbers of 32 bits.
    Avx2F32, __m256, f32, 8,
    _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_div_ps,
    _mm256_max_ps, _mm256_min_ps,
    |x, factor, summand| _mm256_fmadd_ps(x, factor, summand),
    |it| _mm256_castsi256_ps(_mm256_add_epi32(
        _mm256_slli_epi32::<23>(_mm256_castps_si256(it)),
        _mm256_set1_epi32(127 << 23)
    ))
);
vector!(
    /// Four numbers of 64 bits.
    Avx2F64, __m256d, f64, 4,
    _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_div_pd,
    _mm256_max_pd, _mm256_min_pd,
    |x, factor, summand| _mm256_fmadd_pd(x, factor, summand),
    |it| _mm256_castsi256_pd(_mm256_add_epi64(
        _mm256_slli_epi64::<52>(_mm256_castpd_si256(it)),
        _mm256_set1_epi64x(1023 << 52)
    ))
);
