//===- Shim.h - C functions that MLIR's C API lacks -------------*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_MLIR_RT_SHIM_H
#define SPYRE_MLIR_RT_SHIM_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

//===--- Passes -----------------------------------------------------------===//

typedef enum SpyreOptionKind {
  SpyreOptionInt = 0,
  SpyreOptionBool = 1,
  SpyreOptionString = 2,
  SpyreOptionStringList = 3
} SpyreOptionKind;

typedef struct SpyreOption {
  SpyreOptionKind kind;
  MlirStringRef name;
  MlirStringRef description;
  MlirStringRef defaultValue; // as text; ignored for lists
} SpyreOption;

typedef struct SpyreStatistic {
  const char *name; // zero terminated, lives forever
  const char *description;
} SpyreStatistic;

/// One run of a pass; valid during the callback.
typedef struct SpyrePassRun {
  void *pass;
} SpyrePassRun;

/// Returns false for failure. Must not unwind.
typedef bool (*SpyrePassCallback)(SpyrePassRun run, MlirOperation op,
                                  const void *user);
typedef void (*SpyreDialectsCallback)(MlirDialectRegistry registry,
                                      const void *user);

/// All members have static lifetime.
typedef struct SpyrePass {
  MlirStringRef argument;
  MlirStringRef description;
  MlirStringRef anchor; // operation name, empty for any
  const SpyreOption *options;
  intptr_t numOptions;
  const SpyreStatistic *statistics;
  intptr_t numStatistics;
  SpyrePassCallback run;
  SpyreDialectsCallback dialects;
  const void *user;
} SpyrePass;

void spyreRegisterPass(const SpyrePass *pass);

int64_t spyrePassRunGetInt(SpyrePassRun run, intptr_t option);
bool spyrePassRunGetBool(SpyrePassRun run, intptr_t option);
MlirStringRef spyrePassRunGetString(SpyrePassRun run, intptr_t option);
intptr_t spyrePassRunGetListSize(SpyrePassRun run, intptr_t option);
MlirStringRef spyrePassRunGetListItem(SpyrePassRun run, intptr_t option,
                                      intptr_t item);
void spyrePassRunAddStatistic(SpyrePassRun run, intptr_t statistic,
                              int64_t count);
void spyrePassRunMarkAllAnalysesPreserved(SpyrePassRun run);

/// One use of a pipeline; valid during the callback.
typedef struct SpyrePipelineRun {
  void *options;
} SpyrePipelineRun;

/// Appends the textual pipeline of a use with `append`. Must not unwind.
typedef void (*SpyrePipelineCallback)(SpyrePipelineRun run,
                                      MlirStringCallback append, void *text,
                                      const void *user);

/// All members have static lifetime.
typedef struct SpyrePipeline {
  MlirStringRef argument;
  MlirStringRef description;
  const SpyreOption *options;
  intptr_t numOptions;
  SpyrePipelineCallback passes;
  const void *user;
} SpyrePipeline;

void spyreRegisterPipeline(const SpyrePipeline *pipeline);

bool spyrePipelineRunGetBool(SpyrePipelineRun run, intptr_t option);
MlirStringRef spyrePipelineRunGetString(SpyrePipelineRun run, intptr_t option);

//===--- Diagnostics ------------------------------------------------------===//

/// A diagnostic with notes, in one piece. `severity`: 0 error, 1 warning,
/// 2 remark.
void spyreEmitDiagnostic(MlirLocation location, int32_t severity,
                         MlirStringRef message, intptr_t numNotes,
                         const MlirLocation *noteLocations,
                         const MlirStringRef *notes);

//===--- Remarks ----------------------------------------------------------===//

/// Whether a filter takes remarks of a category: without, building one is
/// wasted.
bool spyreRemarksEnabled(MlirContext context, MlirStringRef category);
/// Emits a remark of kind 0 passed, 1 missed, 2 failed or 3 analysis through
/// MLIR's remark engine, if the filter of its kind takes the category. Safe in
/// several threads.
void spyreEmitRemark(MlirLocation location, int32_t kind, MlirStringRef category,
                     MlirStringRef name, MlirStringRef function,
                     intptr_t numArgs, const MlirStringRef *keys,
                     const MlirStringRef *values);

//===--- Tools ------------------------------------------------------------===//

/// Registers all upstream dialects, extensions and passes.
void spyreRegisterUpstream(MlirDialectRegistry registry);
void spyreRegisterUpstreamPasses(void);
/// The mains end the process silently when the reader of standard output has gone, as programs in
/// C++ do. `--help` prints `moreHelp` after all options: MLIR's list of passes is sorted by name,
/// and a separate parser prints it. `missesStatistics` is set if the command line requests a report
/// of statistics and this build of MLIR does not count them. `version` is the line of `--version`.
int spyreOptMain(int argc, char **argv, MlirStringRef toolName,
                 MlirStringRef version, MlirStringRef moreHelp,
                 MlirDialectRegistry registry, bool *missesStatistics);
int spyreLspMain(int argc, char **argv, MlirStringRef version,
                 MlirDialectRegistry registry);
/// Adds an extension to the registry.
int spyreReduceMain(int argc, char **argv, MlirStringRef version,
                    MlirDialectRegistry registry);
/// The start of each main: the signals of a program in C++, and the line of
/// `--version`.
void spyreStartTool(MlirStringRef version);

/// Called with a parsed and verified module, which it may change.
typedef bool (*SpyreModuleCallback)(MlirModule module, void *user);
/// Parses a file ("-" for standard input), calls back with the module, and
/// prints diagnostics with the source lines that they are about meanwhile.
/// False when parsing or the callback failed.
bool spyreWithSourceFile(MlirContext context, MlirStringRef path,
                         SpyreModuleCallback callback, void *user);
/// The same for a text that messages call `name`. The diagnostics go to `print`
/// at the end, in one piece.
bool spyreWithSourceText(MlirContext context, MlirStringRef name,
                         MlirStringRef text, SpyreModuleCallback callback,
                         MlirStringCallback print, void *user);
/// Parses and verifies a module of text or bytecode that messages call `name`.
/// Diagnostics go to the handlers of the context. Null when it fails.
MlirModule spyreParse(MlirContext context, MlirStringRef name,
                      MlirStringRef source);

//===--- Building upstream operations -------------------------------------===//

/// Where to build: before `before` when it is not null, else at the end of
/// `block`.
typedef struct SpyreInsertionPoint {
  MlirBlock block;
  MlirOperation before;
} SpyreInsertionPoint;

/// Any operation, which takes the regions.
MlirOperation spyreBuild(SpyreInsertionPoint at, MlirLocation loc,
                         MlirStringRef name, const MlirValue *operands,
                         intptr_t numOperands, const MlirType *results,
                         intptr_t numResults,
                         const MlirNamedAttribute *attributes,
                         intptr_t numAttributes, const MlirRegion *regions,
                         intptr_t numRegions);
MlirValue spyreBuildIndexConstant(SpyreInsertionPoint at, MlirLocation loc,
                                  int64_t value);
/// An scf.for without a terminator in its body.
MlirOperation spyreBuildFor(SpyreInsertionPoint at, MlirLocation loc,
                            MlirValue lower, MlirValue upper, MlirValue step,
                            const MlirValue *inits, intptr_t numInits);
void spyreBuildYield(MlirBlock block, MlirLocation loc, const MlirValue *values,
                     intptr_t numValues);
MlirValue spyreBuildAffineApply(SpyreInsertionPoint at, MlirLocation loc,
                                MlirAffineMap map, const MlirValue *operands,
                                intptr_t numOperands);
/// Offsets are `offsets[i]` where not null, else `staticOffsets[i]`; sizes are
/// static and strides 1.
MlirValue spyreBuildExtractSlice(SpyreInsertionPoint at, MlirLocation loc,
                                 MlirType resultType, MlirValue source,
                                 intptr_t rank, const MlirValue *offsets,
                                 const int64_t *staticOffsets,
                                 const int64_t *sizes);
MlirValue spyreBuildInsertSlice(SpyreInsertionPoint at, MlirLocation loc,
                                MlirValue source, MlirValue dest, intptr_t rank,
                                const MlirValue *offsets,
                                const int64_t *staticOffsets,
                                const int64_t *sizes);

//===--- Reading upstream operations --------------------------------------===//

/// The kinds of the operations around device operations that passes distinguish.
typedef enum SpyreOpKind {
  SpyreOpOther = 0,
  SpyreOpFor = 1,
  SpyreOpYield = 2,
  SpyreOpReturn = 3,
  SpyreOpExtractSlice = 4,
  SpyreOpInsertSlice = 5,
  SpyreOpAffineApply = 6,
  SpyreOpConstantIndex = 7,
  SpyreOpAddIndex = 8,
  SpyreOpExpandShape = 9,
  SpyreOpCollapseShape = 10,
  SpyreOpTensorDim = 11
} SpyreOpKind;
SpyreOpKind spyreOperationGetKind(MlirOperation op);
/// The value of a constant index operation.
int64_t spyreConstantIndexGetValue(MlirOperation op);
MlirAffineMap spyreAffineApplyGetMap(MlirOperation op);
/// Rank of a slice operation. Fills `offsets[i]` with the SSA offset or null
/// and then `staticOffsets[i]`; the same for sizes, where a dynamic size or a
/// stride other than 1 makes the result -1.
intptr_t spyreSliceGet(MlirOperation op, intptr_t capacity, MlirValue *offsets,
                       int64_t *staticOffsets, int64_t *sizes);

//===--- Editing ----------------------------------------------------------===//

void spyreOperationMoveToEnd(MlirOperation op, MlirBlock block);
void spyreOperationErase(MlirOperation op);
/// Replaces an `scf.for` with constant bounds and step by its iterations, in order. Index
/// arithmetic on constants folds. Returns false without a change when a bound or the step is not
/// constant.
bool spyreUnrollFor(MlirOperation loop);
/// Sets an attribute of a function's argument. The operation is a function.
void spyreFunctionSetArgAttr(MlirOperation function, intptr_t argument,
                             MlirStringRef name, MlirAttribute attr);
/// An attribute of a function's argument, or null.
MlirAttribute spyreFunctionGetArgAttr(MlirOperation function, intptr_t argument,
                                      MlirStringRef name);
/// Adds an argument with one attribute to a `func.func` with one block, after
/// the others. Null for any other operation.
MlirValue spyreFunctionAddArgument(MlirOperation function, MlirType type,
                                   MlirStringRef name, MlirAttribute attr,
                                   MlirLocation loc);
/// Sets the type of a function with one block to the types of the arguments of the block and the
/// operands of its return. No effect on any other operation.
void spyreFunctionUpdateType(MlirOperation function);
/// The body of a function, or null for a declaration or another operation.
MlirBlock spyreFunctionGetEntryBlock(MlirOperation op);
/// Whether an operation is memory-effect free.
bool spyreOperationIsPure(MlirOperation op);

//===--- Registries -------------------------------------------------------===//

bool spyreRegistryHasDialect(MlirDialectRegistry registry, MlirStringRef name);
bool spyreIsPassRegistered(MlirStringRef argument);

//===--- Execution --------------------------------------------------------===//

/// A module compiled for this machine; null when that failed.
typedef struct SpyreJit {
  void *ptr;
} SpyreJit;

/// A function that compiled code calls by a name, without a body there.
typedef struct SpyreSymbol {
  MlirStringRef name;
  void *address;
} SpyreSymbol;

/// The elements of a constant that compiled code reads by a name.
typedef struct SpyreConstant {
  MlirStringRef name;
  MlirStringRef bytes;
} SpyreConstant;

/// A function that is called with each constant of compiled code.
typedef void (*SpyreConstantCallback)(SpyreConstant constant, void *user);

/// Compiles a module of the llvm dialect, at a level of optimization between 0 and 3. The module
/// may be destroyed afterwards. `symbols` has the addresses of external functions. Calls `onError`
/// with the reason when it fails.
SpyreJit spyreJitCompile(MlirOperation module, int optLevel,
                         const SpyreSymbol *symbols, intptr_t count,
                         MlirStringCallback onError, void *user);
/// Links code that `spyreJitSave` gave, on a machine with the same `spyreJitProcessor`. The bytes
/// are copied.
SpyreJit spyreJitLoad(MlirStringRef object, const SpyreConstant *constants,
                      intptr_t constantCount, const SpyreSymbol *symbols,
                      intptr_t count, MlirStringCallback onError, void *user);
/// Calls `onObject` with the object code, and `onConstant` with each constant that it reads, in any
/// order.
void spyreJitSave(SpyreJit jit, MlirStringCallback onObject,
                  SpyreConstantCallback onConstant, void *user);
/// Calls `onText` with the target, the processor and the features that code is compiled for.
void spyreJitProcessor(MlirStringCallback onText, MlirStringCallback onError,
                       void *user);
/// Destroys the result of `spyreJitCompile` or `spyreJitLoad`, and all code in it.
void spyreJitDestroy(SpyreJit jit);
/// The address of the function `name`, or null after a call of `onError`. It lives as long as `jit`.
void *spyreJitLookup(SpyreJit jit, MlirStringRef name,
                     MlirStringCallback onError, void *user);

/// Why a call of compiled code ended.
typedef enum SpyreEnd {
  SpyreEndReturn = 0,         // as it should
  SpyreEndDivisionByZero = 1, // of integers
  SpyreEndOverflow = 2,       // of a division: the least integer by -1
  SpyreEndMemory = 3,         // `size` more bytes exceed the limit
  SpyreEndStack = 4           // calls nest too deeply
} SpyreEnd;

typedef struct SpyreOutcome {
  int32_t end; // a SpyreEnd
  int64_t site;
  uint64_t size;
} SpyreOutcome;

/// One call of compiled code, with the memory that it allocates.
typedef struct SpyreCall {
  void *ptr;
} SpyreCall;

typedef void (*SpyreLocationCallback)(MlirLocation location, void *user);

/// Inserts checks into a module of the llvm dialect before integer divisions, allocations, and
/// calls of functions in it, so that `spyreCallRun` can end it. Calls `onSite` with the location of
/// each check, in the order of the numbers of sites.
void spyreGuardProgram(MlirOperation module, SpyreLocationCallback onSite,
                       void *user);
/// A call that may take at most `maxBytes` bytes of memory.
SpyreCall spyreCallCreate(uint64_t maxBytes);
/// Runs compiled code, with an array of pointers to its arguments. Its allocations live until the
/// call is destroyed.
SpyreOutcome spyreCallRun(SpyreCall call, void (*function)(void **),
                          void **arguments);
/// Frees the allocations of the call.
void spyreCallDestroy(SpyreCall call);

/// Converts operations of math that LLVM has an instruction or an intrinsic for
/// and the mathematical library no function. Returns false after an error.
bool spyreConvertMath(MlirOperation op);

/// Generalizes the named operations of linalg in an operation, and decomposes aggregated ones
/// (softmax). Discardable attributes are kept.
void spyreGeneralizeNamedOps(MlirOperation op);

/// Returns the iterations of a structured operation (LinalgOp); 0 for another
/// operation, and -1 where an extent is dynamic or the number overflows.
int64_t spyreStructuredOpIterations(MlirOperation op);

/// Rewrites the counting loops `scf.while` in an operation to `scf.for`. The counter is an integer,
/// or a tensor of one.
void spyreUpliftLoops(MlirOperation op);

/// The handle of the `bufferization` dialect, which the C API lacks.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Bufferization, bufferization);

//===--- Pipelines --------------------------------------------------------===//

/// Reads a textual pipeline: passes anchored on an operation, as in
/// `builtin.module(...)`, or with `implicitNesting` one pass or named pipeline
/// without an anchor, which is nested where it can run in a module. Calls
/// `onText` with the pipeline as MLIR prints it, without named pipelines, or
/// `onError`.
void spyreParsePipeline(MlirStringRef text, bool implicitNesting,
                        MlirStringCallback onText, MlirStringCallback onError,
                        void *user);

#ifdef __cplusplus
}
#endif

#endif // SPYRE_MLIR_RT_SHIM_H
