//! The C functions of `spyre-cpp/cpp/Shim.h`.
#![allow(missing_docs)] // Shim.h documents them.

use std::ffi::{c_char, c_int, c_void};

use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirBlock, MlirContext, MlirDialectHandle, MlirDialectRegistry,
    MlirLocation, MlirModule, MlirNamedAttribute, MlirOperation, MlirRegion, MlirStringCallback,
    MlirStringRef, MlirType, MlirValue,
};

#[repr(C)]
pub(crate) struct SpyreOption {
    pub kind: c_int,
    pub name: MlirStringRef,
    pub description: MlirStringRef,
    pub default_value: MlirStringRef,
}

#[repr(C)]
pub(crate) struct SpyreStatistic {
    pub name: *const c_char,
    pub description: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SpyrePassRun {
    pub pass: *mut c_void,
}

#[repr(C)]
pub(crate) struct SpyrePass {
    pub argument: MlirStringRef,
    pub description: MlirStringRef,
    pub anchor: MlirStringRef,
    pub options: *const SpyreOption,
    pub num_options: isize,
    pub statistics: *const SpyreStatistic,
    pub num_statistics: isize,
    pub run: unsafe extern "C" fn(SpyrePassRun, MlirOperation, *const c_void) -> bool,
    pub dialects: unsafe extern "C" fn(MlirDialectRegistry, *const c_void),
    pub user: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SpyrePipelineRun {
    pub options: *mut c_void,
}

#[repr(C)]
pub(crate) struct SpyrePipeline {
    pub argument: MlirStringRef,
    pub description: MlirStringRef,
    pub options: *const SpyreOption,
    pub num_options: isize,
    pub passes: unsafe extern "C" fn(
        SpyrePipelineRun,
        append: MlirStringCallback,
        text: *mut c_void,
        user: *const c_void,
    ),
    pub user: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SpyreInsertionPoint {
    pub block: MlirBlock,
    pub before: MlirOperation,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SpyreJit {
    pub ptr: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SpyreConstant {
    pub name: MlirStringRef,
    pub bytes: MlirStringRef,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SpyreSymbol {
    pub name: MlirStringRef,
    pub address: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SpyreCall {
    pub ptr: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SpyreOutcome {
    pub end: i32,
    pub site: i64,
    pub size: u64,
}

unsafe extern "C" {
    pub(crate) fn spyreRegisterPass(pass: *const SpyrePass);
    pub(crate) fn spyrePassRunGetInt(run: SpyrePassRun, option: isize) -> i64;
    pub(crate) fn spyrePassRunGetBool(run: SpyrePassRun, option: isize) -> bool;
    pub(crate) fn spyrePassRunGetString(run: SpyrePassRun, option: isize) -> MlirStringRef;
    pub(crate) fn spyrePassRunGetListSize(run: SpyrePassRun, option: isize) -> isize;
    pub(crate) fn spyrePassRunGetListItem(
        run: SpyrePassRun,
        option: isize,
        item: isize,
    ) -> MlirStringRef;
    pub(crate) fn spyrePassRunAddStatistic(run: SpyrePassRun, statistic: isize, count: i64);
    pub(crate) fn spyrePassRunMarkAllAnalysesPreserved(run: SpyrePassRun);
    pub(crate) fn spyreRegisterPipeline(pipeline: *const SpyrePipeline);
    pub(crate) fn spyrePipelineRunGetBool(run: SpyrePipelineRun, option: isize) -> bool;
    pub(crate) fn spyrePipelineRunGetString(run: SpyrePipelineRun, option: isize) -> MlirStringRef;

    pub(crate) fn spyreEmitDiagnostic(
        location: MlirLocation,
        severity: i32,
        message: MlirStringRef,
        num_notes: isize,
        note_locations: *const MlirLocation,
        notes: *const MlirStringRef,
    );

    pub(crate) fn spyreRemarksEnabled(context: MlirContext, category: MlirStringRef) -> bool;
    pub(crate) fn spyreEmitRemark(
        location: MlirLocation,
        kind: i32,
        category: MlirStringRef,
        name: MlirStringRef,
        function: MlirStringRef,
        num_args: isize,
        keys: *const MlirStringRef,
        values: *const MlirStringRef,
    );

    pub(crate) fn spyreRegisterUpstream(registry: MlirDialectRegistry);
    pub(crate) fn spyreRegisterUpstreamPasses();
    pub(crate) fn spyreOptMain(
        argc: c_int,
        argv: *mut *mut c_char,
        tool_name: MlirStringRef,
        version: MlirStringRef,
        more_help: MlirStringRef,
        registry: MlirDialectRegistry,
        misses_statistics: *mut bool,
    ) -> c_int;
    pub(crate) fn spyreLspMain(
        argc: c_int,
        argv: *mut *mut c_char,
        version: MlirStringRef,
        registry: MlirDialectRegistry,
    ) -> c_int;
    pub(crate) fn spyreReduceMain(
        argc: c_int,
        argv: *mut *mut c_char,
        version: MlirStringRef,
        registry: MlirDialectRegistry,
    ) -> c_int;
    pub(crate) fn spyreWithSourceFile(
        context: MlirContext,
        path: MlirStringRef,
        callback: unsafe extern "C" fn(MlirModule, *mut c_void) -> bool,
        user: *mut c_void,
    ) -> bool;

    pub(crate) fn spyreWithSourceText(
        context: MlirContext,
        name: MlirStringRef,
        text: MlirStringRef,
        callback: unsafe extern "C" fn(MlirModule, *mut c_void) -> bool,
        print: unsafe extern "C" fn(MlirStringRef, *mut c_void),
        user: *mut c_void,
    ) -> bool;

    pub(crate) fn spyreParse(
        context: MlirContext,
        name: MlirStringRef,
        source: MlirStringRef,
    ) -> MlirModule;

    pub(crate) fn spyreBuild(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        name: MlirStringRef,
        operands: *const MlirValue,
        num_operands: isize,
        results: *const MlirType,
        num_results: isize,
        attributes: *const MlirNamedAttribute,
        num_attributes: isize,
        regions: *const MlirRegion,
        num_regions: isize,
    ) -> MlirOperation;
    pub(crate) fn spyreBuildIndexConstant(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        value: i64,
    ) -> MlirValue;
    pub(crate) fn spyreBuildFor(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        lower: MlirValue,
        upper: MlirValue,
        step: MlirValue,
        inits: *const MlirValue,
        num_inits: isize,
    ) -> MlirOperation;
    pub(crate) fn spyreBuildYield(
        block: MlirBlock,
        loc: MlirLocation,
        values: *const MlirValue,
        num_values: isize,
    );
    pub(crate) fn spyreBuildAffineApply(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        map: MlirAffineMap,
        operands: *const MlirValue,
        num_operands: isize,
    ) -> MlirValue;
    pub(crate) fn spyreBuildExtractSlice(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        result_type: MlirType,
        source: MlirValue,
        rank: isize,
        offsets: *const MlirValue,
        static_offsets: *const i64,
        sizes: *const i64,
    ) -> MlirValue;
    pub(crate) fn spyreBuildInsertSlice(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        source: MlirValue,
        dest: MlirValue,
        rank: isize,
        offsets: *const MlirValue,
        static_offsets: *const i64,
        sizes: *const i64,
    ) -> MlirValue;

    pub(crate) fn spyreOperationGetKind(op: MlirOperation) -> c_int;
    pub(crate) fn spyreConstantIndexGetValue(op: MlirOperation) -> i64;
    pub(crate) fn spyreAffineApplyGetMap(op: MlirOperation) -> MlirAffineMap;
    pub(crate) fn spyreSliceGet(
        op: MlirOperation,
        capacity: isize,
        offsets: *mut MlirValue,
        static_offsets: *mut i64,
        sizes: *mut i64,
    ) -> isize;

    pub(crate) fn spyreJitCompile(
        module: MlirOperation,
        opt_level: c_int,
        symbols: *const SpyreSymbol,
        count: isize,
        on_error: MlirStringCallback,
        user: *mut c_void,
    ) -> SpyreJit;
    pub(crate) fn spyreRegistryHasDialect(
        registry: MlirDialectRegistry,
        name: MlirStringRef,
    ) -> bool;
    pub(crate) fn spyreIsPassRegistered(argument: MlirStringRef) -> bool;
    pub(crate) fn spyreJitDestroy(jit: SpyreJit);
    pub(crate) fn spyreGuardProgram(
        module: MlirOperation,
        on_site: unsafe extern "C" fn(MlirLocation, *mut c_void),
        user: *mut c_void,
    );
    pub(crate) fn spyreCallCreate(max_bytes: u64) -> SpyreCall;
    pub(crate) fn spyreCallRun(
        call: SpyreCall,
        function: unsafe extern "C" fn(*mut *mut c_void),
        arguments: *mut *mut c_void,
    ) -> SpyreOutcome;
    pub(crate) fn spyreCallDestroy(call: SpyreCall);
    pub(crate) fn spyreConvertMath(op: MlirOperation) -> bool;
    pub(crate) fn spyreGeneralizeNamedOps(op: MlirOperation);
    pub(crate) fn spyreStructuredOpIterations(op: MlirOperation) -> i64;
    pub(crate) fn mlirGetDialectHandle__bufferization__() -> MlirDialectHandle;
    pub(crate) fn spyreUpliftLoops(op: MlirOperation);
    pub(crate) fn spyreJitLookup(
        jit: SpyreJit,
        name: MlirStringRef,
        on_error: MlirStringCallback,
        user: *mut c_void,
    ) -> *mut c_void;
    pub(crate) fn spyreJitLoad(
        object: MlirStringRef,
        constants: *const SpyreConstant,
        constant_count: isize,
        symbols: *const SpyreSymbol,
        count: isize,
        on_error: MlirStringCallback,
        user: *mut c_void,
    ) -> SpyreJit;
    pub(crate) fn spyreJitSave(
        jit: SpyreJit,
        on_object: MlirStringCallback,
        on_constant: unsafe extern "C" fn(SpyreConstant, *mut c_void),
        user: *mut c_void,
    );
    pub(crate) fn spyreJitProcessor(
        on_text: MlirStringCallback,
        on_error: MlirStringCallback,
        user: *mut c_void,
    );
    pub(crate) fn spyreParsePipeline(
        text: MlirStringRef,
        implicit_nesting: bool,
        on_text: MlirStringCallback,
        on_error: MlirStringCallback,
        user: *mut c_void,
    );

    pub(crate) fn spyreOperationMoveToEnd(op: MlirOperation, block: MlirBlock);
    pub(crate) fn spyreOperationErase(op: MlirOperation);
    pub(crate) fn spyreUnrollFor(op: MlirOperation) -> bool;
    pub(crate) fn spyreFunctionSetArgAttr(
        function: MlirOperation,
        argument: isize,
        name: MlirStringRef,
        attr: MlirAttribute,
    );
    pub(crate) fn spyreFunctionGetArgAttr(
        function: MlirOperation,
        argument: isize,
        name: MlirStringRef,
    ) -> MlirAttribute;
    pub(crate) fn spyreFunctionAddArgument(
        function: MlirOperation,
        ty: mlir_sys::MlirType,
        name: MlirStringRef,
        attr: MlirAttribute,
        location: mlir_sys::MlirLocation,
    ) -> MlirValue;
    pub(crate) fn spyreFunctionUpdateType(function: MlirOperation);
    pub(crate) fn spyreFunctionGetEntryBlock(op: MlirOperation) -> MlirBlock;
    pub(crate) fn spyreOperationIsPure(op: MlirOperation) -> bool;
}

/// Returns the bytes of a text of MLIR. The pointer of an empty text may be null.
///
/// # Safety
/// The text lives as long as the result is used.
pub(crate) unsafe fn bytes<'b>(text: MlirStringRef) -> &'b [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(text.data.cast(), text.length) }
}
