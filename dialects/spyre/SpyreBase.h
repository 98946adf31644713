//===- SpyreBase.h - The spyre dialect without operations -------*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_SPYREBASE_H
#define SPYRE_SPYREBASE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

#include "SpyreDialect.h.inc"
#include "SpyreEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "SpyreAttrs.h.inc"

namespace spyre {
class DeviceOpInterface;

/// A dimension of an image that windows walk along: its coordinate is `stride`
/// times one iteration dimension, plus `dilation` times another one.
struct WalkedDim {
  int64_t dim;
  /// The iteration dimension of the windows.
  int64_t position;
  /// The iteration dimension of the elements of a window.
  int64_t window;
  int64_t stride;
  int64_t dilation;
  /// Whether cores may divide the windows.
  bool isDivisible;
};

/// Bytes of a stick, by which the device formats are defined.
int64_t stickBytes();

/// The most cores, segments, slices and kernel arguments: counts have 31 bits.
inline constexpr int64_t maxCount = 2147483647;

/// The extent of the last dimension of a pair of moments, which `spyre.exx2` makes.
inline constexpr int64_t momentsOfPair = 2;

/// Elements of `type` in one stick of device memory, or nullopt
/// when the type has no device format.
std::optional<int64_t> elementsPerStick(mlir::Type type);

/// The same for a device format.
int64_t elementsPerStick(DeviceFormat format);

/// Fails where a text is not UTF-8, as the files of a bundle are. Null passes.
mlir::LogicalResult
verifyText(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
           mlir::StringAttr text);

/// The device format that follows from an element type.
std::optional<DeviceFormat> deviceFormat(mlir::Type type);

/// The layout of a tensor type, or null.
LayoutAttr layoutOf(mlir::Type type);

/// Returns the layout of the same memory for a tensor with dimension `i` equal
/// to dimension `permutation[i]` of the tensor of `layout`. Null for null.
LayoutAttr permutedLayout(LayoutAttr layout,
                          llvm::ArrayRef<int64_t> permutation);

namespace detail {
//===--- Assembly that an attribute and operations share ------------------===//

/// `"A" in 2` or `"A" by 64`
mlir::ParseResult parseTileRequest(mlir::AsmParser &parser,
                                   mlir::StringAttr &dim, int64_t &amount,
                                   bool &bySize);
void printTileRequest(mlir::AsmPrinter &printer, TileHintAttr hint);

/// The part of a division hint that its two spellings share: `"A" over 32`.
/// Null after an error.
DivideHintAttr parseDivideRequest(mlir::AsmParser &parser);
void printDivideRequest(mlir::AsmPrinter &printer, DivideHintAttr hint);

/// `[4, 2]`
mlir::ParseResult parseIntegers(mlir::AsmParser &parser,
                                llvm::SmallVectorImpl<int64_t> &values);
void printIntegers(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> values);

/// Parses a bare keyword that names an enumerator.
template <typename Enum>
mlir::FailureOr<Enum>
parseEnum(mlir::AsmParser &parser,
          std::optional<Enum> (*symbolize)(llvm::StringRef),
          llvm::StringRef what) {
  llvm::StringRef keyword;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return mlir::failure();
  if (std::optional<Enum> value = symbolize(keyword))
    return *value;
  return parser.emitError(loc, "unknown ") << what << " '" << keyword << "'";
}

//===--- Constraints that operations and attributes share ----------------===//

/// S6, SD14: the scopes of hints ascend from the outermost.
mlir::LogicalResult verifyScopes(mlir::Operation *op, mlir::ArrayAttr hints);

//===--- Shapes and index maps, shared by the operation classes -----------===//

/// The type of a tensor of a device operation: operands first, then the result.
mlir::RankedTensorType tensorType(mlir::Operation *op, unsigned tensor);
unsigned numTensors(mlir::Operation *op);

llvm::SmallVector<int64_t> resultShape(mlir::Operation *op);
/// `gathered` is the dimension of the tensor that a symbol represents, or -1.
mlir::AffineMap buildIndexingMap(mlir::MLIRContext *context, size_t rank,
                                 llvm::ArrayRef<int64_t> dims, int64_t gathered,
                                 llvm::ArrayRef<WalkedDim> walked);
llvm::SmallVector<int64_t> pointwiseTensorDims(mlir::Operation *op,
                                               unsigned tensor);
/// The same for an operation with a pair of moments as operand `pair`, whose
/// last dimension has no coordinate.
llvm::SmallVector<int64_t> pairTensorDims(mlir::Operation *op, unsigned tensor,
                                          unsigned pair);
llvm::SmallVector<int64_t> reductionSpace(mlir::Operation *op,
                                          llvm::ArrayRef<int64_t> dims,
                                          bool keepdim);
llvm::SmallVector<int64_t> reductionTensorDims(mlir::Operation *op,
                                               llvm::ArrayRef<int64_t> dims,
                                               bool keepdim, unsigned tensor);
llvm::SmallVector<int64_t> topKSpace(mlir::Operation *op, int64_t dim);
llvm::SmallVector<int64_t> topKTensorDims(mlir::Operation *op, int64_t dim,
                                          unsigned tensor);
llvm::SmallVector<int64_t> gatherTensorDims(mlir::Operation *op, int64_t dim,
                                            unsigned tensor);
llvm::SmallVector<int64_t> matmulSpace(mlir::Operation *op);
llvm::SmallVector<int64_t> matmulTensorDims(mlir::Operation *op,
                                            unsigned tensor);
/// The iteration space of an operation over the windows of each channel: the
/// dimensions of the result, then the dimensions of the window.
llvm::SmallVector<int64_t> channelWindowSpace(mlir::Operation *op,
                                              llvm::ArrayRef<int64_t> window);
llvm::SmallVector<int64_t> channelWindowDims(mlir::Operation *op,
                                             unsigned tensor);

//===--- Constants of OpFuncs ---------------------------------------------===//

mlir::DictionaryAttr
constants(mlir::MLIRContext *context,
          llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Attribute>> entries);
mlir::DictionaryAttr meanConstants(mlir::Operation *op,
                                   llvm::ArrayRef<int64_t> dims);
mlir::DictionaryAttr averageConstants(mlir::Operation *op,
                                      llvm::ArrayRef<int64_t> window);

//===--- Verifiers --------------------------------------------------------===//

/// The index or the address of a place.
mlir::LogicalResult
verifyAddress(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
              Space space, int64_t address);

mlir::LogicalResult verifyDeviceOp(mlir::Operation *op);
mlir::LogicalResult verifyBroadcast(mlir::Operation *op, bool mayRepeat);
/// S1 and S40: operand `pair`, a pair of moments, has an extent of 2 in its last
/// dimension, and repeats along that of the result.
mlir::LogicalResult verifyPairShapes(mlir::Operation *op, unsigned pair);
/// S41: tensor `pair` is alone in its sticks.
mlir::LogicalResult verifyPairStick(mlir::Operation *op, unsigned pair);
mlir::LogicalResult verifySticks(mlir::Operation *op);
mlir::LogicalResult verifyCastSticks(mlir::Operation *op);
mlir::LogicalResult verifyLastDimStick(mlir::Operation *op);
mlir::LogicalResult verifyReduction(mlir::Operation *op,
                                    llvm::ArrayRef<int64_t> dims, bool keepdim);
mlir::LogicalResult verifyTopK(mlir::Operation *op, int64_t dim, int64_t k);
mlir::LogicalResult verifyTopKSticks(mlir::Operation *op, int64_t searched);
mlir::LogicalResult verifyGather(mlir::Operation *op, int64_t dim);
mlir::LogicalResult verifyGatherSticks(mlir::Operation *op, int64_t dim);
mlir::LogicalResult verifyMatmul(mlir::Operation *op);
/// S29 and S30, of pools: `window` and `strides` are along height and width.
mlir::LogicalResult
verifyPool(mlir::Operation *op, llvm::ArrayRef<int64_t> window,
           std::optional<llvm::ArrayRef<int64_t>> strides);
/// S32
mlir::LogicalResult verifyWindowSplit(mlir::Operation *op);
/// S8 and S31: each tensor sticks on its last dimension, which has a name.
mlir::LogicalResult verifyOwnSticks(mlir::Operation *op,
                                    llvm::ArrayRef<llvm::StringRef> names);
} // namespace detail
} // namespace spyre

#include "SpyreInterfaces.h.inc"

#endif // SPYRE_SPYREBASE_H
