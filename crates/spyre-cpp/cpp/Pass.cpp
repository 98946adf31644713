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

/// A registered pass: the description from Rust and a unique type id.
struct Registration {
  explicit Registration(const SpyrePass &pass)
      : pass(pass), id(TypeID::getFromOpaquePointer(this)) {}
  const SpyrePass &pass;
  TypeID id;
};

/// An option of any kind; only the one for its kind is set.
struct OptionSlot {
  std::unique_ptr<detail::PassOptions::Option<int64_t>> integer;
  std::unique_ptr<detail::PassOptions::Option<bool>> boolean;
  std::unique_ptr<detail::PassOptions::Option<std::string>> string;
  std::unique_ptr<detail::PassOptions::ListOption<std::string>> list;
};

/// Makes an option of a pass or of a pipeline. `Option` and `ListOption` are
/// the classes that `Parent` takes.
template <template <typename...> typename Option,
          template <typename...> typename ListOption, typename Parent>
OptionSlot makeOption(Parent &parent, const SpyreOption &option) {
  OptionSlot slot;
  StringRef name = unwrap(option.name);
  llvm::cl::desc description(unwrap(option.description));
  StringRef init = unwrap(option.defaultValue);
  switch (option.kind) {
  case SpyreOptionInt: {
    int64_t value = 0;
    (void)init.getAsInteger(10, value);
    slot.integer = std::make_unique<Option<int64_t>>(parent, name, description,
                                                     llvm::cl::init(value));
    break;
  }
  case SpyreOptionBool:
    slot.boolean = std::make_unique<Option<bool>>(
        parent, name, description, llvm::cl::init(init == "true"));
    break;
  case SpyreOptionString:
    slot.string = std::make_unique<Option<std::string>>(
        parent, name, description, llvm::cl::init(init.str()));
    break;
  case SpyreOptionStringList:
    slot.list = std::make_unique<ListOption<std::string>>(parent, name,
                                                          description);
    break;
  }
  return slot;
}

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
      options.push_back(
          makeOption<Option, ListOption>(*this, pass.options[i]));
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
  const Registration &registration;
};

/// The options of one use of a pipeline.
struct PipelineOptions : public detail::PassOptions {
  explicit PipelineOptions(const SpyrePipeline &pipeline) {
    for (intptr_t i = 0; i != pipeline.numOptions; ++i)
      slots.push_back(
          makeOption<Option, ListOption>(*this, pipeline.options[i]));
  }
  SmallVector<OptionSlot, 0> slots;
};

PipelineOptions &optionsOf(SpyrePipelineRun run) {
  return *static_cast<PipelineOptions *>(run.options);
}

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

void spyreRegisterPipeline(const SpyrePipeline *pipeline) {
  registerPassPipeline(
      unwrap(pipeline->argument), unwrap(pipeline->description),
      [pipeline](OpPassManager &pm, StringRef text,
                 function_ref<LogicalResult(const Twine &)> errorHandler) {
        PipelineOptions options(*pipeline);
        std::string message;
        llvm::raw_string_ostream stream(message);
        if (failed(options.parseFromString(text, stream)))
          return errorHandler(StringRef(message).rtrim());
        std::string passes;
        pipeline->passes(
            SpyrePipelineRun{&options},
            [](MlirStringRef part, void *user) {
              static_cast<std::string *>(user)->append(part.data, part.length);
            },
            &passes, pipeline->user);
        return parsePassPipeline(passes, pm);
      },
      [pipeline](function_ref<void(const detail::PassOptions &)> show) {
        show(PipelineOptions(*pipeline));
      });
}

bool spyrePipelineRunGetBool(SpyrePipelineRun run, intptr_t option) {
  return *optionsOf(run).slots[option].boolean;
}
MlirStringRef spyrePipelineRunGetString(SpyrePipelineRun run, intptr_t option) {
  return wrap(StringRef(*optionsOf(run).slots[option].string));
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
