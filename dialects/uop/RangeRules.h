//===- RangeRules.h - Ranges of integers, in Rust ---------------*- C++ -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The crate `spyre-uop` has the rules of ranges, and the analysis of whole
// programs. The operations call them through these functions, so each rule is
// written once.
//
//===----------------------------------------------------------------------===//

#ifndef UOP_RANGERULES_H
#define UOP_RANGERULES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An element type: a letter, and the width in bits. `b` is a truth value, `i`
/// a signed integer, `u` an unsigned one, `x` an `index`, `f` a float, and `g`
/// a `bf16`.
typedef struct SpyreUopType {
  uint8_t kind;
  uint32_t bits;
} SpyreUopType;

/// The smallest and the largest value, as elements of 64 bits: signed ones
/// extend their sign. The range is unknown unless `known`, and empty where the
/// lowest is above the highest.
typedef struct SpyreUopRange {
  bool known;
  uint64_t low;
  uint64_t high;
} SpyreUopRange;

/// Returns the range of an elementwise operation, by its name in the dialect,
/// with a result of type `type`. The operands have the type `operand`, except
/// the predicate of `where`.
SpyreUopRange spyreUopElementwiseRange(const char *name, size_t length,
                                       SpyreUopType operand, SpyreUopType type,
                                       const SpyreUopRange *operands,
                                       size_t count);

/// Returns the range of a conversion.
SpyreUopRange spyreUopCastRange(SpyreUopType from, SpyreUopType to,
                                SpyreUopRange operand);

/// Returns the range of a reduction of `count` elements; `kind` is an enumerator
/// of `ReduceKind`. A count of `UINT64_MAX` is any.
SpyreUopRange spyreUopReduceRange(uint32_t kind, SpyreUopType type,
                                  uint64_t count, SpyreUopRange operand);

#ifdef __cplusplus
}
#endif

#endif // UOP_RANGERULES_H
