// The search kernel of assembly/ in C++ with intrinsics: the same tile (two vectors of examples x four queries, two planes
// a step, 16 bit differences, multiply-add to 32 bits) at the width the compiler is allowed: 128 bits with
// -march=x86-64-v2, 256 with -march=x86-64-v3, 512 where -march=native has AVX-512. No pruning: it is the ceiling that
// the WebAssembly kernel is measured against.
#pragma once
#include "common.h"
#include <immintrin.h>

#if defined(__AVX512BW__)
constexpr int LANES = 16;
using Vector = __m512i;
inline Vector zero() { return _mm512_setzero_si512(); }
inline Vector splat(int v) { return _mm512_set1_epi32(v); }
inline Vector times(Vector a, Vector b) { return _mm512_mullo_epi16(a, b); }
inline Vector add(Vector sum, Vector a, Vector b) {
  const Vector d = _mm512_sub_epi16(a, b);
  return _mm512_add_epi32(sum, _mm512_madd_epi16(d, d));
}
inline uint32_t below(Vector v, Vector bound) { return _mm512_cmplt_epi32_mask(v, bound); }
inline Vector pairs(const uint8_t *a, const uint8_t *b) {
  const __m128i va = _mm_loadu_si128((const __m128i *)a), vb = _mm_loadu_si128((const __m128i *)b);
  return _mm512_cvtepu8_epi16(_mm256_set_m128i(_mm_unpackhi_epi8(va, vb), _mm_unpacklo_epi8(va, vb)));
}
inline void store(int *out, Vector v) { _mm512_storeu_si512(out, v); }
#elif defined(__AVX2__)
constexpr int LANES = 8;
using Vector = __m256i;
inline Vector zero() { return _mm256_setzero_si256(); }
inline Vector splat(int v) { return _mm256_set1_epi32(v); }
inline Vector times(Vector a, Vector b) { return _mm256_mullo_epi16(a, b); }
inline Vector add(Vector sum, Vector a, Vector b) {
  const Vector d = _mm256_sub_epi16(a, b);
  return _mm256_add_epi32(sum, _mm256_madd_epi16(d, d));
}
inline uint32_t below(Vector v, Vector bound) {
  return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(bound, v)));
}
inline Vector pairs(const uint8_t *a, const uint8_t *b) {
  return _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)a), _mm_loadl_epi64((const __m128i *)b)));
}
inline void store(int *out, Vector v) { _mm256_storeu_si256((Vector *)out, v); }
#else
constexpr int LANES = 4;
using Vector = __m128i;
inline Vector zero() { return _mm_setzero_si128(); }
inline Vector splat(int v) { return _mm_set1_epi32(v); }
inline Vector times(Vector a, Vector b) { return _mm_mullo_epi16(a, b); }
inline Vector add(Vector sum, Vector a, Vector b) {
  const Vector d = _mm_sub_epi16(a, b);
  return _mm_add_epi32(sum, _mm_madd_epi16(d, d));
}
inline uint32_t below(Vector v, Vector bound) { return _mm_movemask_ps(_mm_castsi128_ps(_mm_cmplt_epi32(v, bound))); }
inline Vector pairs(const uint8_t *a, const uint8_t *b) {
  int wa, wb;
  std::memcpy(&wa, a, 4);
  std::memcpy(&wb, b, 4);
  return _mm_cvtepu8_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(wa), _mm_cvtsi32_si128(wb)));
}
inline void store(int *out, Vector v) { _mm_storeu_si128((Vector *)out, v); }
#endif

/** A query's list: keys distance << 32 | index, cut back to the k smallest when it is full. */
struct List {
  int bound = 0x7fffffff;
  size_t length = 0;
  std::vector<uint64_t> keys;
};

/** Takes in the distances of the examples from number `index` on, as far as `end`. */
inline void take(List &list, Vector v, int index, int end, int k) {
  uint32_t mask = below(v, splat(list.bound));
  if (!mask) return;
  int distances[LANES];
  store(distances, v);
  for (; mask; mask &= mask - 1) {
    const int lane = __builtin_ctz(mask);
    if (index + lane < end) list.keys[list.length++] = (uint64_t)distances[lane] << 32 | (uint32_t)(index + lane);
  }
  if (list.length <= (size_t)(2 * k + 48)) return;
  std::nth_element(list.keys.begin(), list.keys.begin() + k - 1, list.keys.begin() + list.length);
  list.bound = list.keys[k - 1] >> 32;
  list.length = k;
}

constexpr int TILE = 4;

/** Planes of `count` examples each, `stride` bytes apart and readable to there: at least 64 bytes behind the last example. */
struct Planes {
  const uint8_t *at;
  size_t stride;
  int planes, count;
};

/** Takes in all examples for four queries; the number of the first is `base`. */
inline void scan(const Planes &of, const int16_t *scale, const int16_t *const *asked, std::vector<List> &lists, int base, int k) {
  const auto two = [](const int16_t *at, int p) {
    int word;
    std::memcpy(&word, at + p, 4);
    return splat(word);
  };
  const int end = base + of.count;
  for (int j = 0; j < of.count; j += 2 * LANES) {
    Vector low0 = zero(), low1 = low0, low2 = low0, low3 = low0, high0 = low0, high1 = low0, high2 = low0, high3 = low0;
    const uint8_t *plane = of.at + j;
    for (int p = 0; p < of.planes; p += 2, plane += 2 * of.stride) {
      const Vector by = two(scale, p);
      const Vector low = times(pairs(plane, plane + of.stride), by);
      const Vector high = times(pairs(plane + LANES, plane + of.stride + LANES), by);
      Vector query = two(asked[0], p);
      low0 = add(low0, low, query), high0 = add(high0, high, query);
      query = two(asked[1], p);
      low1 = add(low1, low, query), high1 = add(high1, high, query);
      query = two(asked[2], p);
      low2 = add(low2, low, query), high2 = add(high2, high, query);
      query = two(asked[3], p);
      low3 = add(low3, low, query), high3 = add(high3, high, query);
    }
    take(lists[0], low0, base + j, end, k), take(lists[0], high0, base + j + LANES, end, k);
    take(lists[1], low1, base + j, end, k), take(lists[1], high1, base + j + LANES, end, k);
    take(lists[2], low2, base + j, end, k), take(lists[2], high2, base + j + LANES, end, k);
    take(lists[3], low3, base + j, end, k), take(lists[3], high3, base + j + LANES, end, k);
  }
}

/** Empty lists of a tile's queries. */
inline std::vector<List> emptyLists(int k) {
  std::vector<List> lists(TILE);
  for (List &list : lists) list.keys.resize(2 * k + 64 + 2 * LANES);
  return lists;
}

/** The k smallest keys of a list, in ascending order. */
inline const std::vector<uint64_t> &nearest(List &list, int k) {
  std::partial_sort(list.keys.begin(), list.keys.begin() + k, list.keys.begin() + list.length);
  return list.keys;
}
