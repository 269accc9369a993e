/* kg-kernel: for loops over blocks of numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

/* Compiles a function three times, for any processor and for those with AVX2 or AVX-512, and lets the program choose at
 * start.  Products and sums are never fused (-ffp-contract=off), so all give the same bits; the wide ones do two and
 * four times as many at once.
 * What the function calls is compiled into it. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KG_KERNEL __attribute__ ((target_clones ("avx512f", "avx2", "default"), flatten))
#else
#define KG_KERNEL
#endif

/* Loops over fewer elements than this run on the calling thread: waking others takes longer (and very long where
 * other programs hold the processors). */
#define KG_PARALLEL_FROM 8192
