//===- CAPI.h - C interface of the spyre dialect ----------------*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_CAPI_H
#define SPYRE_CAPI_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Spyre, spyre);

//===--- #spyre.layout ----------------------------------------------------===//

bool spyreAttributeIsALayout(MlirAttribute attr);
/// `format` and `arrangement` are enumerator values; format -1 means none.
MlirAttribute spyreLayoutGet(MlirContext context, MlirAffineMap map,
                             const int64_t *size, intptr_t numSize,
                             const int64_t *expanded, intptr_t numExpanded,
                             int32_t format, int32_t arrangement);
MlirAffineMap spyreLayoutGetMap(MlirAttribute attr);
intptr_t spyreLayoutGetSize(MlirAttribute attr, const int64_t **size);
intptr_t spyreLayoutGetExpanded(MlirAttribute attr, const int64_t **expanded);
int32_t spyreLayoutGetFormat(MlirAttribute attr);
int32_t spyreLayoutGetArrangement(MlirAttribute attr);

//===--- #spyre.target ----------------------------------------------------===//

bool spyreAttributeIsATarget(MlirAttribute attr);
typedef struct SpyreTarget {
  int64_t cores, lxBytes, lxReservedBytes, lxBackendPercent, stickBytes,
      spanLimitBytes, segmentBytes, segmentReservedBytes, segments;
  MlirAttribute formats; // null when not restricted
  MlirStringRef contract;
  MlirAttribute exceptions; // null for none
  int64_t productsPerUs, elementsPerUs, bytesPerUs, broadcastCores, rowsPerPass,
      fullPasses, partialPs, sharedPartialPs, executionPs, iterationPs,
      relayoutPs;
} SpyreTarget;
SpyreTarget spyreTargetGetFields(MlirAttribute attr);

//===--- Ranges of integers -----------------------------------------------===//

/// Called with an operation that makes or reads a tensor of 64-bit integers,
/// and with the smallest and the largest element that the tensor can have.
typedef void (*SpyreRangeCallback)(MlirOperation op, bool isMade, int64_t min,
                                   int64_t max, void *user);
/// Runs upstream's integer range analysis on a function that has 64-bit
/// integers, and calls back in the order of the text, for a loop after its
/// body. False when the analysis failed.
bool spyreIntegerRanges(MlirOperation function, SpyreRangeCallback visit,
                        void *user);

//===--- #spyre.tile_hint, #spyre.place -----------------------------------===//

/// Dense elements as elements of another type of as many bits. Null for another
/// attribute, or another number of bits.
MlirAttribute spyreDenseElementsBitcast(MlirAttribute attr, MlirType element);

/// The bytes of a `dense_resource`, which the context keeps. Returns their
/// number, or -1 for another attribute or a resource without bytes in the
/// module.
intptr_t spyreDenseResourceGetData(MlirAttribute attr, const char **data);

MlirAttribute spyreTileHintGet(MlirContext context, int64_t scope,
                               MlirStringRef dim, int64_t amount,
                               bool bySize);
bool spyreAttributeIsATileHint(MlirAttribute attr);
int64_t spyreTileHintGetScope(MlirAttribute attr);
MlirStringRef spyreTileHintGetDim(MlirAttribute attr);
/// The number of tiles, or the extent of a tile if the hint is by size.
int64_t spyreTileHintGetAmount(MlirAttribute attr);
bool spyreTileHintIsBySize(MlirAttribute attr);

bool spyreAttributeIsADivideHint(MlirAttribute attr);
MlirAttribute spyreDivideHintGet(MlirContext context, MlirStringRef dim,
                                 int64_t cores);
MlirStringRef spyreDivideHintGetDim(MlirAttribute attr);
int64_t spyreDivideHintGetCores(MlirAttribute attr);

bool spyreAttributeIsATileScope(MlirAttribute attr);
intptr_t spyreTileScopeGetNumHints(MlirAttribute attr);
/// A `#spyre.tile_hint`.
MlirAttribute spyreTileScopeGetHint(MlirAttribute attr, intptr_t index);
intptr_t spyreTileScopeGetNumDivisions(MlirAttribute attr);
/// A `#spyre.divide_hint`.
MlirAttribute spyreTileScopeGetDivision(MlirAttribute attr, intptr_t index);
/// Whether the scope is around some operations only, which it then fills in.
bool spyreTileScopeGetRange(MlirAttribute attr, int64_t *first, int64_t *last);

//===--- #spyre.merged ----------------------------------------------------===//

MlirAttribute spyreMergedGet(MlirContext context, intptr_t count,
                             const MlirStringRef *names,
                             const int64_t *extents);
/// 0 for any other attribute.
intptr_t spyreMergedGetNumNames(MlirAttribute attr);
MlirStringRef spyreMergedGetName(MlirAttribute attr, intptr_t index);
int64_t spyreMergedGetExtent(MlirAttribute attr, intptr_t index);

//===--- #spyre.dynamic ---------------------------------------------------===//

MlirAttribute spyreDynamicGet(MlirContext context, int64_t granularity,
                              int64_t max);
bool spyreAttributeIsADynamic(MlirAttribute attr);
int64_t spyreDynamicGetGranularity(MlirAttribute attr);
int64_t spyreDynamicGetMax(MlirAttribute attr);

//===--- #spyre.plan ------------------------------------------------------===//

/// A `memoryWeight` or `mostBytes` of 0 is absent.
MlirAttribute spyrePlanGet(MlirContext context, bool cacheArguments,
                           bool relayouts, int64_t memoryWeight,
                           int64_t mostBytes);
bool spyreAttributeIsAPlan(MlirAttribute attr);
bool spyrePlanGetCacheArguments(MlirAttribute attr);
bool spyrePlanGetRelayouts(MlirAttribute attr);
int64_t spyrePlanGetMemoryWeight(MlirAttribute attr);
int64_t spyrePlanGetMostBytes(MlirAttribute attr);

//===--- #spyre.place -----------------------------------------------------===//

/// `address` is ignored for the space `window`.
MlirAttribute spyrePlaceGet(MlirContext context, int32_t space,
                            int64_t address);
bool spyreAttributeIsAPlace(MlirAttribute attr);
int32_t spyrePlaceGetSpace(MlirAttribute attr);
int64_t spyrePlaceGetAddress(MlirAttribute attr);

//===--- Element formats --------------------------------------------------===//

/// The device format of an element type, -1 when it has none.
int32_t spyreDeviceFormatOfType(MlirType type);

//===--- DeviceOpInterface ------------------------------------------------===//

bool spyreOperationIsADeviceOp(MlirOperation op);
/// Visits the device operations of the dialect: the name without `spyre.`, and
/// the OpFunc.
void spyreDeviceOps(MlirContext context,
                    void (*visit)(MlirStringRef, MlirStringRef, void *),
                    void *data);
/// Writes at most `capacity` extents, returns the rank.
intptr_t spyreDeviceOpGetIterationSpace(MlirOperation op, int64_t *extents,
                                        intptr_t capacity);
int64_t spyreDeviceOpGetGatheredDim(MlirOperation op);
/// Six numbers for each walked dimension of operand #0: the dimension, the
/// iteration dimensions of the windows and of their elements, stride, dilation,
/// and 1 if cores may divide the windows, otherwise 0.
intptr_t spyreDeviceOpGetWalkedDims(MlirOperation op, int64_t *numbers,
                                    intptr_t capacity);
intptr_t spyreDeviceOpGetNumReductionDims(MlirOperation op);
/// Iteration dimension of each dimension of a tensor (operands, then the
/// result), -1 where broadcast. Writes at most `capacity`, returns the rank.
intptr_t spyreDeviceOpGetTensorDims(MlirOperation op, intptr_t tensor,
                                    int64_t *dims, intptr_t capacity);
/// Types of the tensors. Writes at most `capacity`, returns their number.
intptr_t spyreDeviceOpGetTensorTypes(MlirOperation op, MlirType *types,
                                     intptr_t capacity);
MlirAttribute spyreDeviceOpGetConstants(MlirOperation op);
MlirAttribute spyreDeviceOpGetTileHints(MlirOperation op);
void spyreDeviceOpSetTileHints(MlirOperation op, MlirAttribute hints);
void spyreDeviceOpRemoveTileHints(MlirOperation op);
MlirAttribute spyreDeviceOpGetDivideHints(MlirOperation op);
void spyreDeviceOpSetDivideHints(MlirOperation op, MlirAttribute hints);
void spyreDeviceOpRemoveDivideHints(MlirOperation op);
intptr_t spyreDeviceOpGetSplit(MlirOperation op, const int64_t **split);
void spyreDeviceOpSetSplit(MlirOperation op, const int64_t *split,
                           intptr_t rank);
MlirAttribute spyreDeviceOpGetPlace(MlirOperation op);
void spyreDeviceOpSetPlace(MlirOperation op, MlirAttribute place);

//===--- spyre.empty ------------------------------------------------------===//

bool spyreOperationIsAEmpty(MlirOperation op);
MlirAttribute spyreEmptyGetPlace(MlirOperation op);
void spyreEmptySetPlace(MlirOperation op, MlirAttribute place);

//===--- spyre.dim_size ---------------------------------------------------===//

bool spyreOperationIsADimSize(MlirOperation op);
MlirStringRef spyreDimSizeGetDim(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // SPYRE_CAPI_H
