//===- Excerpt.cpp - the part of a line that a message shows --------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Excerpt.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// The most columns of a line that are shown, as in the crate spyre-files.
static constexpr size_t kColumns = 120;

/// The most bytes of a message, and the bytes that are kept of the end of a longer one, as in the crate spyre-files.
static constexpr size_t kMessageBytes = 2000, kMessageEnd = 400;

/// Returns whether a byte of UTF-8 is inside of a character.
static bool isInside(char byte) { return (byte & 0xC0) == 0x80; }

/// Returns a message, without its middle if it is too long to be read.
static std::string shortened(StringRef message) {
  if (message.size() <= kMessageBytes)
    return message.str();
  size_t start = kMessageBytes - kMessageEnd;
  size_t end = message.size() - kMessageEnd;
  while (start > 0 && isInside(message[start]))
    --start;
  while (end < message.size() && isInside(message[end]))
    ++end;
  return (message.take_front(start) + " ... (" + Twine(end - start) +
          " bytes) ... " + message.drop_front(end))
      .str();
}

/// The most bytes of a character after its first one.
static constexpr unsigned kInsideBytes = 3;

/// Returns the place `count` characters after a place of a line, or the end of the line. Bytes that are no UTF-8 are
/// characters as well, of at most four bytes.
static size_t forward(StringRef line, size_t place, size_t count) {
  for (; count > 0 && place < line.size(); --count) {
    ++place;
    for (unsigned bytes = 0; bytes < kInsideBytes && place < line.size() &&
                             isInside(line[place]);
         ++bytes)
      ++place;
  }
  return place;
}

/// Returns the place `count` characters before a place of a line, or the start of the line.
static size_t backward(StringRef line, size_t place, size_t count) {
  for (; count > 0 && place > 0; --count) {
    --place;
    for (unsigned bytes = 0;
         bytes < kInsideBytes && place > 0 && isInside(line[place]); ++bytes)
      --place;
  }
  return place;
}

/// Prints a line, and a line with a caret below the character at a place, which counts bytes from 0.
static void printLine(StringRef line, size_t place, llvm::raw_ostream &os) {
  os << line << "\n";
  // Tabs before the caret are as wide as in the line above.
  for (char byte : line.take_front(place))
    if (!isInside(byte))
      os << (byte == '\t' ? '\t' : ' ');
  os << "^\n";
}

/// Prints the part of a long line around a place, which counts bytes from 0, and a line with a caret. The part has as
/// many characters as columns are shown, as in the crate spyre-files.
static void printWindow(StringRef line, size_t place, llvm::raw_ostream &os) {
  place = std::min(place, line.size());
  size_t end = forward(line, backward(line, place, kColumns / 2), kColumns);
  // Near the end of the line, the part begins earlier, and has as many columns.
  size_t start = backward(line, end, kColumns);
  constexpr StringLiteral dots = "...";
  // Dots replace characters, and not bytes, so that none is cut.
  size_t first = start > 0 ? forward(line, start, dots.size()) : start;
  size_t last = end < line.size() ? backward(line, end, dots.size()) : end;
  std::string window = line.slice(first, last).str();
  size_t shownPlace = place - std::min(place, first);
  if (start > 0) {
    window.insert(0, dots.data(), dots.size());
    shownPlace += dots.size();
  }
  if (end < line.size())
    window.append(dots.data(), dots.size());
  printLine(window, shownPlace, os);
}

void spyre::printExcerpt(const llvm::SMDiagnostic &diagnostic, void *stream) {
  auto &os = *static_cast<llvm::raw_ostream *>(stream);
  StringRef line = diagnostic.getLineContents();
  bool hasPlace = diagnostic.getLineNo() >= 0 && diagnostic.getColumnNo() >= 0;
  bool isLongLine = hasPlace && line.size() > kColumns;
  if (!isLongLine && diagnostic.getMessage().size() <= kMessageBytes) {
    diagnostic.print(nullptr, os);
    return;
  }
  StringRef file = diagnostic.getFilename();
  std::string place = file == "-" ? "<stdin>" : file.str();
  if (hasPlace)
    place += (":" + Twine(diagnostic.getLineNo()) + ":" +
              Twine(diagnostic.getColumnNo() + 1))
                 .str();
  // Without a line of its own, LLVM prints the first line alone, in its colors.
  llvm::SMDiagnostic(place, diagnostic.getKind(),
                     shortened(diagnostic.getMessage()))
      .print(nullptr, os);
  if (isLongLine)
    printWindow(line, diagnostic.getColumnNo(), os);
  else if (hasPlace)
    printLine(line, diagnostic.getColumnNo(), os);
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
  auto isLong = [](const llvm::SMDiagnostic &part) {
    return part.getLineContents().size() > kColumns ||
           part.getMessage().size() > kMessageBytes;
  };
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
