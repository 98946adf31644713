//===- Pass.cpp - Rust passes in MLIR's pass registry ---------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

/// A registered pass: the description from Rust and a type id of its own.
struct Registration {
  explicit Registration(const SpyrePass &pass)
      : pass(pass), id(TypeID::getFromOpaquePointer(this)) {}
  const SpyrePass &pass;
  TypeID id;
};

/// An option of any kind; only the one for its kind is set.
struct OptionSlot {
  std::unique_ptr<Pass::Option<int64_t>> integer;
  std::unique_ptr<Pass::Option<bool>> boolean;
  std::unique_ptr<Pass::Option<std::string>> string;
  std::unique_ptr<Pass::ListOption<std::string>> list;
};

class RustPass : public Pass {
public:
  explicit RustPass(const Registration &registration)
      : Pass(registration.id,
             registration.pass.anchor.length
                 ? std::optional<StringRef>(unwrap(registration.pass.anchor))
                 : std::nullopt),
        registration(registration) {
    const SpyrePass &pass = registration.pass;
    for (intptr_t i = 0; i != pass.numOptions; ++i)
      addOption(pass.options[i]);
    for (intptr_t i = 0; i != pass.numStatistics; ++i)
      statistics.push_back(std::make_unique<Statistic>(
          this, pass.statistics[i].name, pass.statistics[i].description));
  }

  StringRef getName() const override {
    return unwrap(registration.pass.argument);
  }
  StringRef getArgument() const override {
    return unwrap(registration.pass.argument);
  }
  StringRef getDescription() const override {
    return unwrap(registration.pass.description);
  }

  bool canScheduleOn(RegisteredOperationName name) const override {
    std::optional<StringRef> anchor = getOpName();
    return !anchor || name.getStringRef() == *anchor;
  }

  // `Pass::clone` copies the option values.
  std::unique_ptr<Pass> clonePass() const override {
    return std::make_unique<RustPass>(registration);
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registration.pass.dialects(wrap(&registry), registration.pass.user);
  }

  void runOnOperation() override {
    if (!registration.pass.run(SpyrePassRun{this}, wrap(getOperation()),
                               registration.pass.user))
      signalPassFailure();
  }

  void preserveAll() { markAllAnalysesPreserved(); }

  SmallVector<OptionSlot, 0> options;
  SmallVector<std::unique_ptr<Statistic>, 0> statistics;

private:
  void addOption(const SpyreOption &option) {
    OptionSlot &slot = options.emplace_back();
    StringRef name = unwrap(option.name);
    llvm::cl::desc description(unwrap(option.description));
    StringRef init = unwrap(option.defaultValue);
    switch (option.kind) {
    case SpyreOptionInt: {
      int64_t value = 0;
      (void)init.getAsInteger(10, value);
      slot.integer = std::make_unique<Option<int64_t>>(*this, name, description,
                                                       llvm::cl::init(value));
      break;
    }
    case SpyreOptionBool:
      slot.boolean = std::make_unique<Option<bool>>(
          *this, name, description, llvm::cl::init(init == "true"));
      break;
    case SpyreOptionString:
      slot.string = std::make_unique<Option<std::string>>(
          *this, name, description, llvm::cl::init(init.str()));
      break;
    case SpyreOptionStringList:
      slot.list =
          std::make_unique<ListOption<std::string>>(*this, name, description);
      break;
    }
  }

  const Registration &registration;
};

RustPass &passOf(SpyrePassRun run) { return *static_cast<RustPass *>(run.pass); }

} // namespace

void spyreRegisterPass(const SpyrePass *pass) {
  // Lives as long as the registry, which is as long as the process.
  auto *registration = new Registration(*pass);
  registerPass([registration]() -> std::unique_ptr<Pass> {
    return std::make_unique<RustPass>(*registration);
  });
}

bool spyreRegistryHasDialect(MlirDialectRegistry registry, MlirStringRef name) {
  return llvm::is_contained(unwrap(registry)->getDialectNames(), unwrap(name));
}

bool spyreIsPassRegistered(MlirStringRef argument) {
  return PassInfo::lookup(unwrap(argument)) != nullptr;
}

int64_t spyrePassRunGetInt(SpyrePassRun run, intptr_t option) {
  return *passOf(run).options[option].integer;
}
bool spyrePassRunGetBool(SpyrePassRun run, intptr_t option) {
  return *passOf(run).options[option].boolean;
}
MlirStringRef spyrePassRunGetString(SpyrePassRun run, intptr_t option) {
  return wrap(StringRef(*passOf(run).options[option].string));
}
intptr_t spyrePassRunGetListSize(SpyrePassRun run, intptr_t option) {
  return static_cast<intptr_t>(passOf(run).options[option].list->size());
}
MlirStringRef spyrePassRunGetListItem(SpyrePassRun run, intptr_t option,
                                      intptr_t item) {
  return wrap(StringRef((*passOf(run).options[option].list)[item]));
}
void spyrePassRunAddStatistic(SpyrePassRun run, intptr_t statistic,
                              int64_t count) {
  *passOf(run).statistics[statistic] += count;
}
void spyrePassRunMarkAllAnalysesPreserved(SpyrePassRun run) {
  passOf(run).preserveAll();
}

void spyreRegisterPipeline(MlirStringRef argument, MlirStringRef description,
                           MlirStringRef passes) {
  registerPassPipeline(
      unwrap(argument), unwrap(description),
      [passes](OpPassManager &pm, StringRef options,
               function_ref<LogicalResult(const Twine &)> errorHandler) {
        if (!options.empty())
          return errorHandler("this pipeline takes no options, got '" +
                              options + "'");
        return parsePassPipeline(unwrap(passes), pm);
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

void spyreEmitDiagnostic(MlirLocation location, int32_t severity,
                         MlirStringRef message, intptr_t numNotes,
                         const MlirLocation *noteLocations,
                         const MlirStringRef *notes) {
  auto emit = [&](InFlightDiagnostic diagnostic) {
    diagnostic << unwrap(message);
    for (intptr_t i = 0; i != numNotes; ++i)
      diagnostic.attachNote(unwrap(noteLocations[i])) << unwrap(notes[i]);
  };
  Location loc = unwrap(location);
  switch (severity) {
  case 0:
    return emit(emitError(loc));
  case 1:
    return emit(emitWarning(loc));
  default:
    return emit(emitRemark(loc));
  }
}
