//===- LayoutRules.h - The layout rules, implemented in Rust ----*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra of layouts, the formats and the stick are the crate
// `spyre-layout`, and which sticks go together is in `spyre-ops`. The verifiers
// call them through these functions, so each rule is written once.
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_LAYOUTRULES_H
#define SPYRE_LAYOUTRULES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One device coordinate: `(d_dim floordiv divisor) mod modulus`. A modulus of
/// 0 means none; a dim of -1 means the constant 0.
typedef struct SpyreDigit {
  int64_t dim;
  int64_t divisor;
  int64_t modulus;
} SpyreDigit;

/// A layout as plain numbers. `size` and `expanded` may be empty. `arrangement`
/// is an enumerator of `Arrangement`.
typedef struct SpyreLayoutRef {
  int64_t rank;
  const SpyreDigit *coords;
  size_t numCoords;
  const int64_t *size;
  size_t numSize;
  const int64_t *expanded;
  size_t numExpanded;
  int32_t arrangement;
} SpyreLayoutRef;

/// Receives a message that is not zero terminated.
typedef void (*SpyreReport)(void *context, const char *text, size_t length);

/// Checks the layout by itself. On failure reports and returns false.
bool spyreLayoutCheck(const SpyreLayoutRef *layout, SpyreReport report,
                      void *context);

/// Checks the layout against a tensor's shape (-1 for a dynamic extent), where
/// `format` is the enumerator of `DeviceFormat` that the elements have.
bool spyreLayoutCheckTensor(const SpyreLayoutRef *layout, const int64_t *shape,
                            size_t rank, int32_t format, SpyreReport report,
                            void *context);

/// Returns whether a name is a version of the rules of bundles.
bool spyreIsContract(const char *name, size_t length);

/// Returns whether a name is an exception from the rules of bundles.
bool spyreIsException(const char *name, size_t length);

/// Bytes of a stick of device memory.
int64_t spyreStickBytes(void);

/// A tensor of an operation: the iteration dimension of each of its dimensions,
/// -1 where it is broadcast, and the one on its stick, or -1.
typedef struct SpyreAccess {
  const int64_t *dims;
  size_t numDims;
  int64_t stick;
} SpyreAccess;

/// Finds two tensors of an operation with incompatible sticks. Returns false if
/// there are none.
bool spyreSticksDisagree(const SpyreAccess *tensors, size_t count,
                         size_t *owner, size_t *other);

/// Elements in one stick, where `format` is an enumerator of `DeviceFormat`.
int64_t spyreElementsPerStick(int32_t format);

#ifdef __cplusplus
}
#endif

#endif // SPYRE_LAYOUTRULES_H
