//===- Excerpt.cpp - the part of a line that a message shows --------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Excerpt.h"

#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

// Functions of the crate spyre-mlir-rt, so that all tools show the same parts. Texts need not be UTF-8.

/// Returns whether a line or a message is longer than the part of it that is shown.
extern "C" bool spyreIsLong(MlirStringRef line, MlirStringRef message);
/// Calls `onText` with a message, without its middle if it is long.
extern "C" void spyreShortened(MlirStringRef message, MlirStringCallback onText,
                               void *user);
/// Calls `onText` with the part of a line around a place, which counts bytes from 0, and a line with a caret.
extern "C" void spyreExcerpt(MlirStringRef line, size_t place,
                             MlirStringCallback onText, void *user);

/// Prints a text on a stream.
static void printText(MlirStringRef text, void *stream) {
  *static_cast<llvm::raw_ostream *>(stream) << unwrap(text);
}

/// Returns whether a diagnostic has a place in its line.
static bool hasPlace(const llvm::SMDiagnostic &diagnostic) {
  return diagnostic.getLineNo() >= 0 && diagnostic.getColumnNo() >= 0;
}

/// Returns whether a line or a message of a diagnostic is long.
static bool isLong(const llvm::SMDiagnostic &diagnostic) {
  StringRef line = hasPlace(diagnostic) ? diagnostic.getLineContents() : "";
  return spyreIsLong(wrap(line), wrap(diagnostic.getMessage()));
}

void spyre::printExcerpt(const llvm::SMDiagnostic &diagnostic, void *stream) {
  auto &os = *static_cast<llvm::raw_ostream *>(stream);
  if (!isLong(diagnostic)) {
    diagnostic.print(nullptr, os);
    return;
  }
  StringRef file = diagnostic.getFilename();
  std::string place = file == "-" ? "<stdin>" : file.str();
  if (hasPlace(diagnostic))
    place += (":" + Twine(diagnostic.getLineNo()) + ":" +
              Twine(diagnostic.getColumnNo() + 1))
                 .str();
  std::string message;
  llvm::raw_string_ostream shortened(message);
  spyreShortened(wrap(diagnostic.getMessage()), printText,
                 static_cast<llvm::raw_ostream *>(&shortened));
  // Without a line of its own, LLVM prints the first line alone, in its colors.
  llvm::SMDiagnostic(place, diagnostic.getKind(), message).print(nullptr, os);
  if (hasPlace(diagnostic))
    spyreExcerpt(wrap(diagnostic.getLineContents()), diagnostic.getColumnNo(),
                 printText, stream);
}

/// Returns a severity as LLVM has it.
static llvm::SourceMgr::DiagKind kindOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return llvm::SourceMgr::DK_Note;
  case DiagnosticSeverity::Warning:
    return llvm::SourceMgr::DK_Warning;
  case DiagnosticSeverity::Error:
    return llvm::SourceMgr::DK_Error;
  case DiagnosticSeverity::Remark:
    return llvm::SourceMgr::DK_Remark;
  }
  llvm_unreachable("every severity has a kind");
}

/// Returns a diagnostic without its notes as LLVM has it: with its line if it is in the one file of `sources`.
static llvm::SMDiagnostic toLLVM(Diagnostic &diagnostic,
                                 const llvm::SourceMgr &sources) {
  auto kind = kindOf(diagnostic.getSeverity());
  std::string message = diagnostic.str();
  unsigned buffer = sources.getMainFileID();
  StringRef name = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (!place) {
    std::string unknown;
    llvm::raw_string_ostream(unknown) << diagnostic.getLocation();
    return llvm::SMDiagnostic(unknown, kind, message);
  }
  if (place.getFilename().getValue() == name)
    if (llvm::SMLoc location = const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(
            buffer, place.getLine(), place.getColumn());
        location.isValid())
      return sources.GetMessage(location, kind, message);
  std::string other = (place.getFilename().getValue() + ":" +
                       Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                          .str();
  return llvm::SMDiagnostic(other, kind, message);
}

/// Prints a diagnostic with its notes if a line or a message is long. Fails otherwise, so that the next handler is
/// asked.
static LogicalResult printIfLong(Diagnostic &diagnostic,
                                 const llvm::SourceMgr &sources) {
  std::vector<llvm::SMDiagnostic> parts = {toLLVM(diagnostic, sources)};
  for (Diagnostic &note : diagnostic.getNotes())
    parts.push_back(toLLVM(note, sources));
  if (llvm::none_of(parts, isLong))
    return failure();
  for (const llvm::SMDiagnostic &part : parts)
    spyre::printExcerpt(part, static_cast<llvm::raw_ostream *>(&llvm::errs()));
  return success();
}

namespace {
/// Adds a handler to a context after the one of `mlir-opt`'s main, since the newest is asked first. The main adds its
/// handler to a context that has the dialect builtin alone, so that the handler is added with the next dialect.
class Excerpts : public DialectExtensionBase {
public:
  explicit Excerpts(std::shared_ptr<llvm::SourceMgr> sources)
      : DialectExtensionBase(ArrayRef<StringRef>()),
        sources(std::move(sources)), isAdded(std::make_shared<bool>(false)) {}

  void apply(MLIRContext *context,
             MutableArrayRef<Dialect *> dialects) const override {
    auto isBuiltin = [](Dialect *dialect) {
      return dialect->getNamespace() == "builtin";
    };
    if (*isAdded || llvm::all_of(dialects, isBuiltin))
      return;
    *isAdded = true;
    context->getDiagEngine().registerHandler(
        [sources = sources](Diagnostic &diagnostic) -> LogicalResult {
          return printIfLong(diagnostic, *sources);
        });
  }

  std::unique_ptr<DialectExtensionBase> clone() const override {
    return std::make_unique<Excerpts>(*this);
  }

private:
  std::shared_ptr<llvm::SourceMgr> sources;
  std::shared_ptr<bool> isAdded;
};
} // namespace

void spyre::printExcerptsOf(llvm::MemoryBufferRef file,
                            DialectRegistry &registry) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  auto buffer = llvm::MemoryBuffer::getMemBuffer(
      file, /*RequiresNullTerminator=*/false);
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  registry.addExtension(TypeID::get<Excerpts>(),
                        std::make_unique<Excerpts>(std::move(sources)));
}
