//===- SpyreVerifiers.cpp - Constraints of the operations -----------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function names the constraint that it checks; the operation descriptions
// number them.
//
//===----------------------------------------------------------------------===//

#include "spyre/LayoutRules.h"
#include "spyre/Spyre.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace spyre;
using spyre::detail::numTensors;
using spyre::detail::tensorType;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static std::string extentText(int64_t extent) {
  return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os,
                        [&](int64_t extent) { os << extentText(extent); });
  os << ']';
  return text;
}

static bool extentsAgree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Whether two shapes are of one rank and agree in every extent.
static bool shapesAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return extentsAgree(std::get<0>(pair), std::get<1>(pair));
         });
}

/// "operand #1", or "result"
static std::string tensorName(Operation *op, unsigned tensor) {
  return tensor < op->getNumOperands() ? "operand #" + std::to_string(tensor)
                                       : std::string("result");
}

/// Adds a note at the definition of a tensor.
static void noteSource(InFlightDiagnostic &diagnostic, Operation *op,
                       unsigned tensor) {
  if (tensor < op->getNumOperands())
    diagnostic.attachNote(op->getOperand(tensor).getLoc())
        << "operand #" << tensor << " of type "
        << op->getOperand(tensor).getType() << " comes from here";
}

/// Whether `dims` are ascending dimensions of a tensor of `rank`.
static bool areDims(ArrayRef<int64_t> dims, int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= rank || (i > 0 && dim <= dims[i - 1]))
      return false;
  return true;
}

/// The format of a tensor's elements in device memory.
static std::optional<DeviceFormat> formatOf(RankedTensorType type) {
  LayoutAttr layout = layoutOf(type);
  return layout && layout.getFormat() ? layout.getFormat()
                                      : deviceFormat(type.getElementType());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// S1. `pair` is the number of an operand that is a pair of moments, with a
/// repeated last dimension; -1 where there is none.
static LogicalResult verifyRepeats(Operation *op, bool mayRepeat, int64_t pair) {
  RankedTensorType result = tensorType(op, op->getNumOperands());
  SmallVector<int64_t> shape(result.getRank(), 1);
  for (unsigned i = 0, e = op->getNumOperands(); i != e; ++i) {
    RankedTensorType type = tensorType(op, i);
    int64_t lead = result.getRank() - type.getRank();
    if (lead < 0) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("operand #")
          << i << " has rank " << type.getRank() << ", above the result's rank "
          << result.getRank();
      noteSource(diagnostic, op, i);
      return diagnostic;
    }
    for (int64_t d = 0; d < type.getRank(); ++d) {
      int64_t have = type.getDimSize(d), want = result.getDimSize(lead + d);
      if (i == pair && d == type.getRank() - 1)
        continue;
      if (have != 1 && !extentsAgree(have, want)) {
        InFlightDiagnostic diagnostic =
            op->emitOpError("operand #")
            << i << " has extent " << have << " in dimension " << d
            << ", which does not broadcast to the result's extent " << want;
        noteSource(diagnostic, op, i);
        return diagnostic;
      }
      if (have != 1)
        shape[lead + d] = want;
    }
  }
  if (mayRepeat)
    return success();
  for (auto [d, extent] : llvm::enumerate(result.getShape()))
    if (!extentsAgree(extent, shape[d]))
      return op->emitOpError("result has shape ")
             << shapeText(result.getShape())
             << ", but the operands broadcast to " << shapeText(shape);
  return success();
}

LogicalResult spyre::detail::verifyBroadcast(Operation *op, bool mayRepeat) {
  return verifyRepeats(op, mayRepeat, /*pair=*/-1);
}

/// Refuses a tensor that cannot be a pair of moments.
static InFlightDiagnostic noPair(Operation *op, unsigned tensor) {
  InFlightDiagnostic diagnostic =
      op->emitOpError() << tensorName(op, tensor) << " has shape "
                        << shapeText(tensorType(op, tensor).getShape())
                        << ", but a pair has " << momentsOfPair
                        << " elements in its last dimension, the mean and the "
                           "mean of squares that spyre.exx2 makes";
  noteSource(diagnostic, op, tensor);
  return diagnostic;
}

/// S40
static bool isPair(RankedTensorType type) {
  return type.getRank() > 0 && type.getShape().back() == momentsOfPair;
}

LogicalResult spyre::detail::verifyPairShapes(Operation *op, unsigned pair) {
  if (!isPair(tensorType(op, pair)))
    return noPair(op, pair);
  return verifyRepeats(op, /*mayRepeat=*/false, pair);
}

/// S40: a normalised row has several elements, since a dimension of extent 1 is
/// on no stick, and the moments are of a dimension on the stick (contract, K29).
static LogicalResult verifyRows(Operation *op, RankedTensorType type) {
  if (type.getRank() > 0 && type.getShape().back() != 1)
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("needs a last dimension of more than one element, which is "
                      "normalised, got ")
      << type;
  noteSource(diagnostic, op, 0);
  return diagnostic;
}

/// S40
LogicalResult LayerNormNormOp::verifyShapes() {
  RankedTensorType input = getInput().getType(), scale = getScale().getType(),
                   result = getResult().getType();
  if (!shapesAgree(input.getShape(), result.getShape())) {
    InFlightDiagnostic diagnostic =
        emitOpError("result has shape ")
        << shapeText(result.getShape()) << ", but the input has "
        << shapeText(input.getShape()) << "; what is normalised does not repeat";
    noteSource(diagnostic, *this, 0);
    return diagnostic;
  }
  if (failed(verifyRows(*this, input)))
    return failure();
  if (scale.getRank() > 0 && scale.getShape().back() != 1) {
    InFlightDiagnostic diagnostic =
        emitOpError("operand #2 has shape ")
        << shapeText(scale.getShape())
        << ", but a scale has one element for each row, 1 in the last dimension";
    noteSource(diagnostic, *this, 2);
    return diagnostic;
  }
  return detail::verifyPairShapes(getOperation(), getPairNumber());
}

/// S40
LogicalResult Exx2Op::verifyShapes() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(verifyRows(*this, input)))
    return failure();
  if (!isPair(result))
    return noPair(*this, 1);
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = momentsOfPair;
  if (shapesAgree(shape, result.getShape()))
    return success();
  InFlightDiagnostic diagnostic = emitOpError("result has shape ")
                                  << shapeText(result.getShape())
                                  << ", but the pairs of "
                                  << shapeText(input.getShape()) << " have "
                                  << shapeText(shape);
  noteSource(diagnostic, *this, 0);
  return diagnostic;
}

/// S10 and S11
LogicalResult spyre::detail::verifyReduction(Operation *op, ArrayRef<int64_t> dims,
                                      bool keepdim) {
  RankedTensorType input = tensorType(op, 0), result = tensorType(op, 1);
  if (dims.empty() || !areDims(dims, input.getRank()))
    return op->emitOpError("dims ")
           << shapeText(dims)
           << " must be ascending dimensions of the input of rank "
           << input.getRank() << ", at least one";
  SmallVector<int64_t> shape;
  for (auto [d, extent] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      shape.push_back(extent);
    else if (keepdim)
      shape.push_back(1);
  }
  if (!shapesAgree(shape, result.getShape())) {
    InFlightDiagnostic diagnostic = op->emitOpError("result has shape ")
                                    << shapeText(result.getShape())
                                    << ", but reducing dims " << shapeText(dims)
                                    << " of " << shapeText(input.getShape())
                                    << " gives " << shapeText(shape);
    noteSource(diagnostic, op, 0);
    return diagnostic;
  }
  return success();
}

/// Returns the largest integer up to which a float type holds all of them, on the
/// host and on the card, which has a 16-bit float with 9 bits of fraction.
static int64_t mostExactInteger(Type element) {
  if (element.isF32())
    return int64_t(1) << 24;
  return element.isBF16() ? 256 : 1024;
}

/// S33
static LogicalResult verifyPositions(Operation *op, int64_t dim) {
  Type element = tensorType(op, 1).getElementType();
  if (element.isInteger())
    return success();
  if (Type input = tensorType(op, 0).getElementType(); element != input)
    return op->emitOpError("positions are of ")
           << element << ", but the input of " << input
           << "; positions as floats have the element type of the input";
  int64_t most = mostExactInteger(element);
  int64_t extent = tensorType(op, 0).getDimSize(dim);
  bool isDynamic = ShapedType::isDynamic(extent);
  if (!isDynamic && extent - 1 <= most)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("searches ");
  if (isDynamic)
    diagnostic << "dimension " << dim << " of dynamic extent";
  else
    diagnostic << extent << " elements";
  return diagnostic << ", but " << element << " holds positions up to " << most
                    << " exactly; search in f32, or return positions as "
                       "integers, which the host computes";
}

/// S16
LogicalResult spyre::detail::verifyTopK(Operation *op, int64_t dim, int64_t k) {
  RankedTensorType input = tensorType(op, 0), result = tensorType(op, 1);
  if (dim < 0 || dim >= input.getRank())
    return op->emitOpError("dim ")
           << dim << " is not a dimension of the input of rank "
           << input.getRank();
  int64_t extent = input.getDimSize(dim);
  if (k <= 0)
    return op->emitOpError("k must be positive, got ") << k;
  if (!ShapedType::isDynamic(extent) && k > extent)
    return op->emitOpError("k is ")
           << k << ", above the extent " << extent << " of dimension " << dim;
  SmallVector<int64_t> shape(input.getShape());
  shape[dim] = k;
  if (!shapesAgree(shape, result.getShape())) {
    InFlightDiagnostic diagnostic = op->emitOpError("result has shape ")
                                    << shapeText(result.getShape())
                                    << ", expected " << shapeText(shape);
    noteSource(diagnostic, op, 0);
    return diagnostic;
  }
  return isa<TopKIndexOp>(op) ? verifyPositions(op, dim) : success();
}

/// S25
LogicalResult spyre::detail::verifyGather(Operation *op, int64_t dim) {
  RankedTensorType indices = tensorType(op, 0), table = tensorType(op, 1),
                   result = tensorType(op, 2);
  if (indices.getRank() == 0)
    return op->emitOpError("indices need at least one dimension, got ")
           << indices;
  if (dim < 0 || dim >= table.getRank())
    return op->emitOpError("dim ")
           << dim << " is not a dimension of the table of rank "
           << table.getRank();
  SmallVector<int64_t> shape(table.getShape().take_front(dim));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, table.getShape().drop_front(dim + 1));
  if (shapesAgree(shape, result.getShape()))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("result has shape ")
      << shapeText(result.getShape()) << ", but indices of shape "
      << shapeText(indices.getShape()) << " in place of dimension " << dim
      << " of " << shapeText(table.getShape()) << " give " << shapeText(shape);
  noteSource(diagnostic, op, 0);
  noteSource(diagnostic, op, 1);
  return diagnostic;
}

/// K of `lhs`, its last dimension, in whole sticks. -1 when it is dynamic.
static int64_t paddedK(RankedTensorType lhs) {
  int64_t k = lhs.getShape().back();
  std::optional<DeviceFormat> format = formatOf(lhs);
  if (ShapedType::isDynamic(k) || !format)
    return -1;
  return llvm::alignTo(k, elementsPerStick(*format));
}

/// S7
LogicalResult spyre::detail::verifyMatmul(Operation *op) {
  RankedTensorType lhs = tensorType(op, 0), rhs = tensorType(op, 1),
                   result = tensorType(op, 2);
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return op->emitOpError("operands need at least 2 dimensions, got ranks ")
           << lhs.getRank() << " and " << rhs.getRank();
  int64_t rank = std::max(lhs.getRank(), rhs.getRank());
  int64_t k = lhs.getShape().back(), otherK = rhs.getDimSize(rhs.getRank() - 2);
  if (!extentsAgree(k, otherK) && otherK != paddedK(lhs)) {
    InFlightDiagnostic diagnostic = op->emitOpError("lhs has K = ")
                                    << k << ", but rhs has K = " << otherK;
    noteSource(diagnostic, op, 0);
    noteSource(diagnostic, op, 1);
    return diagnostic;
  }
  SmallVector<int64_t> shape(rank, 1);
  shape[rank - 2] = lhs.getDimSize(lhs.getRank() - 2);
  shape[rank - 1] = rhs.getShape().back();
  for (RankedTensorType type : {lhs, rhs})
    for (int64_t i = 0, e = type.getRank() - 2; i < e; ++i) {
      int64_t extent = type.getDimSize(i), d = rank - type.getRank() + i;
      if (extent == 1)
        continue;
      if (shape[d] != 1 && !extentsAgree(shape[d], extent)) {
        InFlightDiagnostic diagnostic =
            op->emitOpError("batch dimension ")
            << d << " has extent " << shape[d] << " in lhs, but " << extent
            << " in rhs";
        noteSource(diagnostic, op, 0);
        noteSource(diagnostic, op, 1);
        return diagnostic;
      }
      // A static extent is more precise than a dynamic one.
      if (shape[d] == 1 || ShapedType::isDynamic(shape[d]))
        shape[d] = extent;
    }
  if (!shapesAgree(shape, result.getShape())) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("result has shape ")
        << shapeText(result.getShape()) << ", but the product of "
        << shapeText(lhs.getShape()) << " and " << shapeText(rhs.getShape())
        << " has shape " << shapeText(shape);
    noteSource(diagnostic, op, 0);
    noteSource(diagnostic, op, 1);
    return diagnostic;
  }
  return success();
}

/// S29: numbers for height and width.
static LogicalResult verifyPair(Operation *op,
                                std::optional<ArrayRef<int64_t>> numbers,
                                StringRef name) {
  auto isCount = [](int64_t count) { return count >= 1 && count <= maxCount; };
  if (!numbers || (numbers->size() == 2 && llvm::all_of(*numbers, isCount)))
    return success();
  return op->emitOpError() << name
                           << " must be two positive numbers below 2^31, got "
                           << shapeText(*numbers);
}

/// S29: the ranks of the tensors, operands first.
static LogicalResult verifyRanks(Operation *op, ArrayRef<int64_t> ranks) {
  for (auto [tensor, rank] : llvm::enumerate(ranks)) {
    RankedTensorType type = tensorType(op, tensor);
    if (type.getRank() != rank)
      return op->emitOpError()
             << tensorName(op, tensor) << " has rank " << type.getRank()
             << ", but must have rank " << rank;
  }
  return success();
}

/// S29: the channels of the weight, its dimension `dim`, equal the image's.
static LogicalResult verifyWeight(Operation *op, int64_t dim) {
  RankedTensorType image = tensorType(op, 0), weight = tensorType(op, 1);
  int64_t channels = image.getDimSize(3), weightChannels = weight.getDimSize(dim);
  if (channels != weightChannels) {
    InFlightDiagnostic diagnostic =
        op->emitOpError("the image has ")
        << extentText(channels) << " channels in dimension 3, but the weight "
        << extentText(weightChannels) << " in dimension " << dim;
    noteSource(diagnostic, op, 0);
    noteSource(diagnostic, op, 1);
    return diagnostic;
  }
  if (!weight.hasStaticShape())
    return op->emitOpError("only the batch can be dynamic, got ")
           << image << " and " << weight;
  return success();
}

/// S29: along height and width, the result has a position for each window, and
/// the last window ends with the image. `channels` is the result's extent.
static LogicalResult verifyWindows(Operation *raw, int64_t channels) {
  auto op = cast<DeviceOpInterface>(raw);
  RankedTensorType image = tensorType(raw, 0),
                   result = tensorType(raw, raw->getNumOperands());
  if (llvm::any_of(image.getShape().drop_front(), ShapedType::isDynamic))
    return raw->emitOpError("only the batch can be dynamic, got ") << image;
  SmallVector<int64_t> space = op.getIterationSpace();
  SmallVector<int64_t> shape{image.getDimSize(0), 0, 0, channels};
  for (const WalkedDim &walk : op.getWalkedDims()) {
    int64_t extent = image.getDimSize(walk.dim), elements = space[walk.window],
            reach;
    // A reach beyond 64 bits is beyond every extent.
    if (elements < 1 || llvm::MulOverflow(elements - 1, walk.dilation, reach) ||
        llvm::AddOverflow(reach, int64_t(1), reach) || reach > extent)
      return raw->emitOpError("a window of ")
             << elements << " elements, " << walk.dilation
             << " apart, reaches over more than dimension " << walk.dim
             << " of the image, which has " << extent;
    int64_t rest = (extent - reach) % walk.stride;
    if (rest != 0)
      return raw->emitOpError("windows of ")
             << reach << " elements, " << walk.stride << " apart, leave "
             << rest << " of " << extent << " elements along dimension "
             << walk.dim << " of the image; slice it before";
    shape[walk.dim] = (extent - reach) / walk.stride + 1;
  }
  if (shapesAgree(shape, result.getShape()))
    return success();
  InFlightDiagnostic diagnostic =
      raw->emitOpError("result has shape ")
      << shapeText(result.getShape()) << ", but there are windows for "
      << shapeText(shape);
  for (unsigned operand = 0, e = raw->getNumOperands(); operand != e; ++operand)
    noteSource(diagnostic, raw, operand);
  return diagnostic;
}

/// S30: the form of the windows in a file is known. `other` is the alternative
/// for a window at a single position, for the message.
static LogicalResult verifyKnownForm(Operation *raw, StringRef other) {
  auto op = cast<DeviceOpInterface>(raw);
  RankedTensorType result = tensorType(raw, raw->getNumOperands());
  SmallVector<int64_t> space = op.getIterationSpace();
  for (auto [axis, walk] : llvm::enumerate(op.getWalkedDims())) {
    int64_t elements = space[walk.window];
    if (elements == 1 && walk.stride > 1)
      return raw->emitOpError("the window has a single element along dimension ")
             << axis << ", where the stride is " << walk.stride
             << ": slice the image before";
    if (elements > 1 && result.getDimSize(walk.position) == 1)
      return raw->emitOpError("a window of ")
             << elements << " elements is at a single position along dimension "
             << walk.position << " of the result: " << other;
  }
  return success();
}

/// S30: the channels are on a stick.
static LogicalResult verifyChannels(Operation *op) {
  if (tensorType(op, 0).getDimSize(3) != 1)
    return success();
  return op->emitOpError("the image has a single channel, which is on no stick: "
                         "make a dimension of more elements the last one");
}

LogicalResult Conv2DOp::verifyShapes() {
  Operation *op = getOperation();
  RankedTensorType image = getImage().getType(), weight = getWeight().getType();
  if (failed(verifyRanks(op, {4, 4, 4})) ||
      failed(verifyPair(op, getStrides(), "strides")) ||
      failed(verifyPair(op, getDilations(), "dilations")) ||
      failed(verifyWeight(op, 2)) ||
      failed(verifyWindows(op, weight.getDimSize(3))))
    return failure();
  // S30
  int64_t channels = image.getDimSize(3);
  std::optional<DeviceFormat> format = formatOf(image);
  if (format && channels % elementsPerStick(*format) != 0)
    return emitOpError("the image has ")
           << channels << " channels, which are not whole sticks of "
           << elementsPerStick(*format)
           << ": the rest of the last one would add to the sums";
  if (weight.getDimSize(0) == 1 && weight.getDimSize(1) == 1)
    return emitOpError("the window has a single element; use "
                       "spyre.batchmatmul");
  return verifyKnownForm(op, "its elements are channels");
}

LogicalResult DepthwiseConv2DNativeOp::verifyShapes() {
  Operation *op = getOperation();
  RankedTensorType weight = getWeight().getType();
  if (failed(verifyRanks(op, {4, 3, 4})) ||
      failed(verifyPair(op, getStrides(), "strides")) ||
      failed(verifyPair(op, getDilations(), "dilations")) ||
      failed(verifyWeight(op, 2)) ||
      failed(verifyWindows(op, weight.getDimSize(2))) ||
      failed(verifyChannels(op)))
    return failure();
  // S30
  if (weight.getDimSize(0) == 1 && weight.getDimSize(1) == 1)
    return emitOpError("the window has a single element; use "
                       "spyre.mul");
  return verifyKnownForm(op, "write spyre.mul, and spyre.sum along it");
}

LogicalResult
spyre::detail::verifyPool(Operation *op, ArrayRef<int64_t> window,
                          std::optional<ArrayRef<int64_t>> strides) {
  if (failed(verifyRanks(op, {4, 4})) ||
      failed(verifyPair(op, window, "window")) ||
      failed(verifyPair(op, strides, "strides")) ||
      failed(verifyWindows(op, tensorType(op, 0).getDimSize(3))) ||
      failed(verifyChannels(op)))
    return failure();
  // S30
  if (window[0] == 1 || window[1] == 1)
    return op->emitOpError("window ")
           << shapeText(window)
           << " has a single element along a dimension, and the OpFunc walks "
              "along two: combine slices of the image element by element";
  return verifyKnownForm(op, "reduce that dimension by spyre.max or spyre.mean");
}

//===----------------------------------------------------------------------===//
// Sticks
//===----------------------------------------------------------------------===//

/// A tensor that has a layout, by the iteration dimensions that index it.
namespace {
struct LaidOut {
  unsigned tensor;
  SmallVector<int64_t> dims;
  /// The iteration dimension on the stick.
  std::optional<int64_t> stick;
};
} // namespace

/// `dims` are the iteration dimensions of the tensor, -1 where it is broadcast.
/// Iteration dimensions of extent 1 in `space` are on no stick.
static std::optional<LaidOut> laidOut(Operation *op, unsigned tensor,
                                      SmallVector<int64_t> dims,
                                      ArrayRef<int64_t> space) {
  LayoutAttr layout = layoutOf(tensorType(op, tensor));
  if (!layout)
    return std::nullopt;
  AffineExpr last = layout.getMap().getResults().back();
  std::optional<int64_t> stick;
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim >= 0 && space[dim] != 1 && last.isFunctionOfDim(i))
      stick = dim;
  return LaidOut{tensor, std::move(dims), stick};
}

/// S3 and S4, or S9: `what` names the dimensions of `tensors`.
static LogicalResult verifyOneStick(Operation *op, ArrayRef<LaidOut> tensors,
                                    StringRef what) {
  SmallVector<SpyreAccess> accesses;
  for (const LaidOut &tensor : tensors)
    accesses.push_back(
        {tensor.dims.data(), tensor.dims.size(), tensor.stick.value_or(-1)});
  size_t first, second;
  if (!spyreSticksDisagree(accesses.data(), accesses.size(), &first, &second))
    return success();
  const LaidOut &owner = tensors[first], &other = tensors[second];
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << tensorName(op, other.tensor);
  if (other.stick) {
    diagnostic << " has " << what << ' ' << *other.stick
               << " on its stick, but " << tensorName(op, owner.tensor)
               << " has dimension " << *owner.stick
               << "; a spyre.restickify makes them agree";
    noteSource(diagnostic, op, owner.tensor);
  } else {
    diagnostic << " is indexed by " << what << ' ' << *owner.stick
               << ", the stick of " << tensorName(op, owner.tensor)
               << ", but has one element of it in each stick";
  }
  noteSource(diagnostic, op, other.tensor);
  return diagnostic;
}

/// The tensors of an operation that have a layout.
static SmallVector<LaidOut> laidOutTensors(DeviceOpInterface op) {
  SmallVector<int64_t> space = op.getIterationSpace();
  SmallVector<LaidOut> tensors;
  for (unsigned t = 0, e = numTensors(op); t != e; ++t)
    if (auto tensor = laidOut(op, t, op.getTensorDims(t), space))
      tensors.push_back(std::move(*tensor));
  return tensors;
}

/// S21: tensors that walk along their sticks together do so in one order and
/// in steps of one size.
static LogicalResult verifyAlikeSticks(Operation *op,
                                       ArrayRef<LaidOut> tensors) {
  const LaidOut *owner = nullptr;
  for (const LaidOut &tensor : tensors) {
    if (!tensor.stick)
      continue;
    if (!owner)
      owner = &tensor;
    RankedTensorType type = tensorType(op, tensor.tensor),
                     first = tensorType(op, owner->tensor);
    int64_t count = elementsPerStick(*formatOf(type)),
            firstCount = elementsPerStick(*formatOf(first));
    Arrangement order = layoutOf(type).getArrangement(),
                firstOrder = layoutOf(first).getArrangement();
    if (count == firstCount && order == firstOrder)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError();
    diagnostic << tensorName(op, tensor.tensor) << " has ";
    if (count != firstCount)
      diagnostic << count << " elements in a stick, but "
                 << tensorName(op, owner->tensor) << " has " << firstCount;
    else
      diagnostic << "the arrangement " << stringifyArrangement(order)
                 << " on its stick, but " << tensorName(op, owner->tensor)
                 << " has " << stringifyArrangement(firstOrder);
    noteSource(diagnostic, op, owner->tensor);
    noteSource(diagnostic, op, tensor.tensor);
    return diagnostic;
  }
  return success();
}

LogicalResult spyre::detail::verifySticks(Operation *raw) {
  auto op = cast<DeviceOpInterface>(raw);
  SmallVector<LaidOut> tensors = laidOutTensors(op);
  if (failed(verifyOneStick(op, tensors, "iteration dimension")))
    return failure();
  return verifyAlikeSticks(op, tensors);
}

LogicalResult spyre::detail::verifyCastSticks(Operation *raw) {
  auto op = cast<DeviceOpInterface>(raw);
  return verifyOneStick(op, laidOutTensors(op), "iteration dimension");
}

/// S22, then S3, S4 and S21. The result of `exx2` has no iteration dimension on
/// its stick, so that another one on that of the input would break S4 as well.
LogicalResult spyre::detail::verifyLastDimStick(Operation *raw) {
  RankedTensorType type = tensorType(raw, 0);
  LayoutAttr layout = layoutOf(type);
  int64_t last = type.getRank() - 1;
  if (!layout || last < 0 || type.getDimSize(last) == 1 ||
      layout.getMap().getResults().back().isFunctionOfDim(last))
    return verifySticks(raw);
  InFlightDiagnostic diagnostic =
      raw->emitOpError("operand #0 must have its last dimension, ")
      << last << ", on the stick; a spyre.restickify moves it there";
  noteSource(diagnostic, raw, 0);
  return diagnostic;
}

/// S41
LogicalResult spyre::detail::verifyPairStick(Operation *op, unsigned pair) {
  RankedTensorType type = tensorType(op, pair);
  LayoutAttr layout = layoutOf(type);
  if (!layout)
    return success();
  int64_t last = type.getRank() - 1;
  bool isOnStick = layout.getMap().getResults().back().isFunctionOfDim(last);
  if (layout.getArrangement() == Arrangement::EXX2 && isOnStick)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << tensorName(op, pair) << " has the layout "
                                  << layout
                                  << ", but a pair has its last dimension, "
                                  << last
                                  << ", on the stick, in the arrangement exx2";
  noteSource(diagnostic, op, pair);
  return diagnostic;
}

/// The dimension of extent other than 1 on the stick of a tensor.
static std::optional<int64_t> stickDim(RankedTensorType type) {
  AffineExpr last = layoutOf(type).getMap().getResults().back();
  for (int64_t dim = 0, e = type.getRank(); dim != e; ++dim)
    if (type.getDimSize(dim) != 1 && last.isFunctionOfDim(dim))
      return dim;
  return std::nullopt;
}

/// S9. The searched dimension is two iteration dimensions, one in the input and
/// one in the result, but here it counts as one.
LogicalResult spyre::detail::verifyTopKSticks(Operation *op, int64_t searched) {
  SmallVector<LaidOut> tensors;
  for (unsigned t = 0; t != 2; ++t) {
    SmallVector<int64_t> space(tensorType(op, t).getShape());
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, space.size()));
    for (auto [dim, extent] : llvm::zip(dims, space))
      if (extent == 1)
        dim = -1;
    if (auto tensor = laidOut(op, t, dims, space))
      tensors.push_back(std::move(*tensor));
    RankedTensorType type = tensorType(op, t);
    if (layoutOf(type) && stickDim(type) == searched) {
      InFlightDiagnostic diagnostic =
          op->emitOpError(t == 0 ? "input" : "result")
          << " has dimension " << searched
          << " on its stick, which is searched; have another dimension there, "
             "or one element in each stick";
      noteSource(diagnostic, op, 0);
      return diagnostic;
    }
  }
  return verifyOneStick(op, tensors, "dimension");
}

/// S26
LogicalResult spyre::detail::verifyGatherSticks(Operation *raw, int64_t dim) {
  auto op = cast<DeviceOpInterface>(raw);
  RankedTensorType indices = tensorType(raw, 0), table = tensorType(raw, 1);
  // A window of one index in each row still has a dimension there.
  auto isOnStick = [&](int64_t dim) {
    return layoutOf(indices).getMap().getResults().back().isFunctionOfDim(dim);
  };
  if (layoutOf(indices) &&
      llvm::none_of(llvm::seq<int64_t>(0, indices.getRank()), isOnStick)) {
    InFlightDiagnostic diagnostic =
        raw->emitOpError("operand #0 has one index in each stick, but a gather "
                         "reads whole sticks of them; a spyre.restickify "
                         "moves a dimension there");
    noteSource(diagnostic, raw, 0);
    return diagnostic;
  }
  if (layoutOf(table) && stickDim(table) == dim) {
    InFlightDiagnostic diagnostic =
        raw->emitOpError("operand #1 has dimension ")
        << dim
        << ", which the indices choose from, on its stick; a spyre.restickify "
           "moves another one there";
    noteSource(diagnostic, raw, 1);
    return diagnostic;
  }
  // The sticks of the indices are independent.
  SmallVector<LaidOut> tensors = laidOutTensors(op);
  llvm::erase_if(tensors,
                 [](const LaidOut &tensor) { return tensor.tensor == 0; });
  if (failed(verifyOneStick(raw, tensors, "iteration dimension")))
    return failure();
  return verifyAlikeSticks(raw, tensors);
}

/// S8, S31
LogicalResult spyre::detail::verifyOwnSticks(Operation *op,
                                             ArrayRef<StringRef> names) {
  for (auto [tensor, name] : llvm::enumerate(names)) {
    RankedTensorType type = tensorType(op, tensor);
    if (!layoutOf(type))
      continue;
    int64_t dim = type.getRank() - 1;
    std::optional<int64_t> wanted;
    if (type.getDimSize(dim) != 1)
      wanted = dim;
    std::optional<int64_t> found = stickDim(type);
    if (found == wanted)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << tensorName(op, tensor);
    if (wanted)
      diagnostic << " must have " << name << ", its dimension " << dim
                 << ", on the stick; a spyre.restickify moves it there";
    else
      diagnostic << " must have one element in each stick, because " << name
                 << ", its dimension " << dim << ", has extent 1; dimension "
                 << *found << " is on the stick";
    noteSource(diagnostic, op, tensor);
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// All device operations
//===----------------------------------------------------------------------===//

/// S5: the elements per unit of `split`: 1 along most iteration dimensions, a
/// stick along a dimension that is on the stick of some tensor.
static SmallVector<int64_t> elementsPerUnit(DeviceOpInterface op,
                                            ArrayRef<int64_t> space) {
  SmallVector<int64_t> units(space.size(), 1);
  for (unsigned t = 0, e = numTensors(op); t != e; ++t) {
    auto tensor = laidOut(op, t, op.getTensorDims(t), space);
    if (!tensor || !tensor->stick)
      continue;
    RankedTensorType type = tensorType(op, t);
    std::optional<DeviceFormat> format = layoutOf(type).getFormat();
    int64_t count = format ? elementsPerStick(*format)
                           : *elementsPerStick(type.getElementType());
    units[*tensor->stick] = std::max(units[*tensor->stick], count);
  }
  return units;
}

/// S5
static LogicalResult verifySplit(DeviceOpInterface op,
                                 ArrayRef<int64_t> split) {
  SmallVector<int64_t> space = op.getIterationSpace();
  if (split.size() != space.size())
    return op->emitOpError("split has ")
           << split.size() << " entries, but the iteration space "
           << shapeText(space) << " has " << space.size() << " dimensions";
  SmallVector<int64_t> units = elementsPerUnit(op, space);
  for (auto [dim, cores] : llvm::enumerate(split)) {
    if (cores <= 0)
      return op->emitOpError("split must be positive, got ")
             << cores << " for dimension " << dim;
    if (!llvm::isUInt<32>(cores))
      return op->emitOpError("split must be below 2^32, got ")
             << cores << " for dimension " << dim;
    if (ShapedType::isDynamic(space[dim]))
      continue;
    int64_t count = llvm::divideCeil(static_cast<uint64_t>(space[dim]),
                                     static_cast<uint64_t>(units[dim]));
    if (count % cores == 0)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError("splits dimension ")
                                    << dim << " of extent " << space[dim];
    if (units[dim] != 1)
      diagnostic << ", " << count << (count == 1 ? " stick," : " sticks,");
    return diagnostic << " over " << cores << " cores, which does not divide it";
  }
  return success();
}

LogicalResult spyre::detail::verifyScopes(Operation *op, ArrayAttr hints) {
  std::optional<int64_t> outer;
  for (auto hint : hints.getAsRange<TileHintAttr>()) {
    if (outer && hint.getScope() <= *outer)
      return op->emitOpError("hint scopes must ascend from the outermost, got ")
             << hint.getScope() << " after " << *outer;
    outer = hint.getScope();
  }
  return success();
}

LogicalResult spyre::detail::verifyDeviceOp(Operation *raw) {
  auto op = cast<DeviceOpInterface>(raw);
  // ODS has checked operand, result and attribute types (S2): all tensors are
  // ranked. The rules on sticks need shapes that have been checked.
  if (failed(op.verifyShapes()))
    return failure();
  // Without a layout of the result, --spyre-propagate-layouts has yet to decide
  // which operands keep theirs.
  if (layoutOf(tensorType(op, op->getNumOperands())) &&
      failed(op.verifySticks()))
    return failure();
  // S6
  if (ArrayAttr hints = op.getTileHints())
    if (failed(detail::verifyScopes(raw, hints)))
      return failure();
  // S23
  if (ArrayAttr divide = op.getDivideHints()) {
    llvm::SmallDenseSet<StringAttr> seen;
    for (auto hint : divide.getAsRange<DivideHintAttr>())
      if (!seen.insert(hint.getDim()).second)
        return op->emitOpError("divides ") << hint.getDim() << " twice";
    if (DenseI64ArrayAttr split = op.getCoreSplit())
      return op->emitOpError("has both 'divide' and 'split', [")
             << split.asArrayRef() << "]; remove one of them";
  }
  if (DenseI64ArrayAttr split = op.getCoreSplit())
    return verifySplit(op, split);
  return success();
}

//===----------------------------------------------------------------------===//
// Single operations
//===----------------------------------------------------------------------===//

/// S12
LogicalResult ClipOp::verify() {
  double min = getMin().convertToDouble(), max = getMax().convertToDouble();
  if (std::isnan(min) || std::isnan(max))
    return emitOpError("min and max must be numbers, got ")
           << min << " and " << max;
  if (min > max)
    return emitOpError("min ") << min << " is above max " << max;
  return success();
}

/// S34, S35
LogicalResult QuantScalePerTokenFP8Op::verify() {
  double min = getMin().convertToDouble(), max = getMax().convertToDouble();
  if (!(min >= 0) || !(max >= min))
    return emitOpError("min and max must be numbers, 0 <= min <= max, got ")
           << min << " and " << max;
  double factor = getFactor().convertToDouble();
  if (!(factor > 0) || std::isinf(factor))
    return emitOpError("factor must be positive and finite, got ") << factor;
  RankedTensorType type = tensorType(getOperation(), 0);
  int64_t last = type.getRank() - 1;
  if (getDims() != ArrayRef<int64_t>(last))
    return emitOpError("dims [")
           << getDims() << "] must be the last dimension of the input, " << last
           << ", alone: no OpFunc has the scale along another one";
  if (type.getDimSize(last) == 1)
    return emitOpError("the last dimension of the input has one element, and "
                       "is on no stick; write spyre.abs, spyre.clip and "
                       "spyre.mul of the element");
  return success();
}

/// S18
LogicalResult SoftplusOp::verify() {
  double beta = getBeta().convertToDouble();
  if (!(beta > 0) || std::isinf(beta))
    return emitOpError("beta must be positive and finite, got ") << beta;
  if (getThreshold().isNaN())
    return emitOpError("threshold must be a number");
  return success();
}

/// S19
LogicalResult LayerNormScaleOp::verify() {
  double eps = getEps().convertToDouble();
  if (!(eps >= 0) || std::isinf(eps))
    return emitOpError("eps must be finite and not negative, got ") << eps;
  return success();
}

/// S42
static LogicalResult verifyNormalisedWhole(Operation *op,
                                           std::optional<ArrayRef<int64_t>> split) {
  if (!split || split->empty() || split->back() == 1)
    return success();
  return op->emitOpError("normalises its last dimension as a whole, but split "
                         "has ")
         << split->back() << " cores along it";
}

LogicalResult Exx2Op::verify() {
  return verifyNormalisedWhole(*this, getSplit());
}

LogicalResult LayerNormNormOp::verify() {
  return verifyNormalisedWhole(*this, getSplit());
}

/// S43: one side of a relayout, the slices of a tensor of some rank. Sets the
/// number of slices along each dimension.
static LogicalResult verifyOwners(CopyOp op, StringRef side,
                                  ArrayRef<int64_t> dims, ArrayRef<int64_t> slices,
                                  bool mayShare, MutableArrayRef<int64_t> along) {
  if (dims.size() != slices.size())
    return op.emitOpError("'") << side << "' has " << dims.size()
                               << " dimensions and " << slices.size()
                               << " numbers of slices";
  int64_t rank = along.size(), cores = 1;
  for (auto [dim, count] : llvm::zip_equal(dims, slices)) {
    if (count <= 0 || count > maxCount || cores > maxCount / count)
      return op.emitOpError("'")
             << side << "' needs numbers of slices that are positive and at most "
             << maxCount << " together, got [" << slices << ']';
    cores *= count;
    if (dim == -1 && mayShare)
      continue;
    if (dim < 0 || dim >= rank)
      return op.emitOpError("'") << side << "' names dimension " << dim
                                 << " of a tensor of rank " << rank;
    if (along[dim] != 0)
      return op.emitOpError("'") << side << "' names dimension " << dim << " twice";
    along[dim] = count;
  }
  for (int64_t &count : along)
    count = std::max<int64_t>(count, 1);
  return success();
}

/// S43
static LogicalResult verifyRelayout(CopyOp op) {
  bool all = op.getFromDims() && op.getFromSlices() && op.getToDims() &&
             op.getToSlices();
  bool none = !op.getFromDims() && !op.getFromSlices() && !op.getToDims() &&
              !op.getToSlices();
  if (none)
    return success();
  if (!all)
    return op.emitOpError("needs the slices of both tensors of a relayout: "
                          "'from' and 'to', each with dimensions and slices");
  RankedTensorType from = op.getInput().getType(), to = op.getResult().getType();
  if (from != to)
    return op.emitOpError("is a relayout, which keeps the type, from ")
           << from << " to " << to;
  SmallVector<int64_t> source(from.getRank(), 0), destination(to.getRank(), 0);
  if (failed(verifyOwners(op, "from", *op.getFromDims(), *op.getFromSlices(),
                          /*mayShare=*/false, source)) ||
      failed(verifyOwners(op, "to", *op.getToDims(), *op.getToSlices(),
                          /*mayShare=*/true, destination)))
    return failure();
  std::pair<StringRef, ArrayRef<int64_t>> sides[] = {{"from", source},
                                                     {"to", destination}};
  for (auto [side, along] : sides)
    for (auto [dim, extent, count] : llvm::enumerate(to.getShape(), along))
      if (!ShapedType::isDynamic(extent) && extent % count != 0)
        return op.emitOpError("'") << side << "' has " << count
                                   << " slices of dimension " << dim
                                   << ", which do not divide its extent "
                                   << extent;
  std::optional<ArrayRef<int64_t>> split = op.getSplit();
  if (!split || *split != ArrayRef<int64_t>(destination))
    return op.emitOpError("is a relayout to [")
           << ArrayRef<int64_t>(destination)
           << "] slices along the dimensions, which 'split' must be";
  if (PlaceAttr place = op.getPlaceAttr();
      place && place.getSpace() != Space::LX)
    return op.emitOpError("is a relayout, whose result is in LX, not at ") << place;
  return success();
}

/// S13 and S43; the interface checks the shapes and the sticks.
LogicalResult CopyOp::verify() {
  if (failed(verifyRelayout(*this)))
    return failure();
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  LayoutAttr fromLayout = layoutOf(from), toLayout = layoutOf(to);
  if (!fromLayout || !toLayout)
    return success();
  if (formatOf(from) != formatOf(to) ||
      fromLayout.getArrangement() != toLayout.getArrangement())
    return emitOpError("cannot change the device format or the arrangement, ")
           << "from " << fromLayout << " to " << toLayout;
  return success();
}

/// S27
LogicalResult GatherOp::verify() {
  std::optional<ArrayRef<int64_t>> split = getSplit();
  if (!split || llvm::all_of(*split, [](int64_t cores) { return cores == 1; }))
    return success();
  return emitOpError("runs on one core, as every operation that takes "
                     "coordinates from a tensor, but split is [")
         << *split << ']';
}

/// S32
LogicalResult spyre::detail::verifyWindowSplit(Operation *raw) {
  auto op = cast<DeviceOpInterface>(raw);
  SmallVector<int64_t> space = op.getIterationSpace();
  DenseI64ArrayAttr split = op.getCoreSplit();
  if (!split || static_cast<size_t>(split.size()) != space.size())
    return success();
  for (auto [axis, walk] : llvm::enumerate(op.getWalkedDims())) {
    if (int64_t cores = split[walk.window]; cores != 1)
      return raw->emitOpError("a core needs whole windows, but split has ")
             << cores << " cores along dimension " << axis << " of the window";
    if (int64_t cores = split[walk.position]; cores != 1 && !walk.isDivisible)
      return raw->emitOpError("windows of ")
             << (space[walk.window] - 1) * walk.dilation + 1 << " elements, "
             << walk.stride << " apart, stay on one core, but split has "
             << cores << " cores along dimension " << walk.position
             << " of the result";
  }
  return success();
}

LogicalResult Conv2DOp::verify() { return detail::verifyWindowSplit(*this); }

LogicalResult DepthwiseConv2DNativeOp::verify() {
  return detail::verifyWindowSplit(*this);
}

LogicalResult MaxPoolFwdOp::verify() {
  return detail::verifyWindowSplit(*this);
}

LogicalResult AvgPoolFwdOp::verify() {
  return detail::verifyWindowSplit(*this);
}

/// S14
LogicalResult RestickifyOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  if (!layoutOf(to))
    return emitOpError("needs a layout to change to, got the result type ")
           << to;
  if (formatOf(from) != formatOf(to))
    return emitOpError("cannot change the device format from ")
           << stringifyDeviceFormat(*formatOf(from)) << " to "
           << stringifyDeviceFormat(*formatOf(to));
  return success();
}

/// S28
LogicalResult Atan2Op::verify() {
  return detail::verifyBroadcast(getOperation(), /*mayRepeat=*/false);
}

/// S28
LogicalResult CopysignOp::verify() {
  return detail::verifyBroadcast(getOperation(), /*mayRepeat=*/false);
}

/// S28
LogicalResult FmodOp::verify() {
  return detail::verifyBroadcast(getOperation(), /*mayRepeat=*/false);
}

/// S28
LogicalResult PowOp::verify() {
  return detail::verifyBroadcast(getOperation(), /*mayRepeat=*/false);
}

/// S20
LogicalResult PermuteOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  ArrayRef<int64_t> permutation = getPermutation();
  if (static_cast<int64_t>(permutation.size()) != from.getRank() ||
      !isPermutationVector(permutation))
    return emitOpError("permutation ")
           << shapeText(permutation) << " must name each of the "
           << from.getRank() << " dimensions of the input once";
  auto shape = applyPermutation(from.getShape(), permutation);
  if (from.getElementType() != to.getElementType() ||
      !shapesAgree(shape, to.getShape())) {
    InFlightDiagnostic diagnostic =
        emitOpError("result has type ")
        << to << ", but the permuted input has shape " << shapeText(shape)
        << " of " << from.getElementType();
    noteSource(diagnostic, *this, 0);
    return diagnostic;
  }
  LayoutAttr have = layoutOf(to);
  if (!have)
    return success();
  LayoutAttr want = permutedLayout(layoutOf(from), permutation);
  if (have == want)
    return success();
  InFlightDiagnostic diagnostic = emitOpError("result has layout ") << have;
  if (want)
    diagnostic << ", but a permutation moves nothing: its layout is " << want;
  else
    diagnostic << ", but the input has none";
  noteSource(diagnostic, *this, 0);
  return diagnostic;
}

LogicalResult PermuteOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto from = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (!from || static_cast<int64_t>(permutation.size()) != from.getRank() ||
      !isPermutationVector(permutation))
    return emitOptionalError(loc, "permutation ", shapeText(permutation),
                             " does not fit ", adaptor.getInput().getType());
  inferred.push_back(RankedTensorType::get(
      applyPermutation(from.getShape(), permutation), from.getElementType(),
      permutedLayout(layoutOf(from), permutation)));
  return success();
}

/// The verifier reports the error with more detail.
bool PermuteOp::isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }

/// S17
LogicalResult EmptyOp::verify() {
  RankedTensorType type = getResult().getType();
  if (getSizes().size() != static_cast<size_t>(type.getNumDynamicDims()))
    return emitOpError("needs one size for each dynamic extent of ")
           << shapeText(type.getShape()) << ", got " << getSizes().size();
  if (getPlace() && !type.hasStaticShape())
    return emitOpError("has a place, so it needs a static shape, got ")
           << shapeText(type.getShape());
  return success();
}

/// S24
LogicalResult DimSizeOp::verify() {
  auto function = (*this)->getParentOfType<mlir::FunctionOpInterface>();
  auto sizes = function ? function->getAttrOfType<DictionaryAttr>(
                              "spyre.dim_sizes")
                        : DictionaryAttr();
  if (!sizes || !sizes.getAs<DynamicAttr>(getDim()))
    return emitOpError("needs a function around it whose 'spyre.dim_sizes' "
                       "declares ")
           << getDimAttr() << " to be #spyre.dynamic";
  return success();
}

/// S15
LogicalResult FillOp::verify() {
  if (!isa<SplatElementsAttr>(getValue()))
    return emitOpError("value must be a splat");
  return success();
}
