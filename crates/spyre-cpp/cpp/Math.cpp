//===- Math.cpp - operations of math without a library function -----------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `convert-math-to-libm` fails on operations without a function in the mathematical library, and
// `convert-math-to-llvm` also converts operations that have one, some less exactly. This applies
// the patterns of the latter only to operations that the former lacks.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/FloatingPointMode.h"

using namespace mlir;

namespace {
/// Tests the class of a float. Upstream has this for `isnan` and `isfinite`.
template <typename Op, llvm::FPClassTest classes>
struct ClassTest : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::IsFPClass>(
        op, op.getType(), op.getOperand(), static_cast<uint32_t>(classes));
    return success();
  }
};
} // namespace

bool spyreConvertMath(MlirOperation raw) {
  Operation *op = unwrap(raw);
  MLIRContext *context = op->getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  patterns.add<ClassTest<math::IsInfOp, llvm::fcInf>,
               ClassTest<math::IsNormalOp, llvm::fcNormal>>(context);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<math::AbsIOp, math::CopySignOp,
                      math::CountLeadingZerosOp, math::CountTrailingZerosOp,
                      math::CtPopOp, math::IsFiniteOp, math::IsInfOp,
                      math::IsNaNOp, math::IsNormalOp, math::SincosOp>();
  return succeeded(applyPartialConversion(op, target, std::move(patterns)));
}
