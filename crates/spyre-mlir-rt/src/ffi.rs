//! The C functions of `cpp/Shim.h`.
#![allow(missing_docs)] // Shim.h documents them.

use std::ffi::{c_char, c_int, c_void};

use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirBlock, MlirContext, MlirDialectRegistry, MlirLocation,
    MlirModule, MlirOperation, MlirStringCallback, MlirStringRef, MlirType, MlirValue,
};

#[repr(C)]
pub struct SpyreOption {
    pub kind: c_int,
    pub name: MlirStringRef,
    pub description: MlirStringRef,
    pub default_value: MlirStringRef,
}

#[repr(C)]
pub struct SpyreStatistic {
    pub name: *const c_char,
    pub description: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct SpyrePassRun {
    pub pass: *mut c_void,
}

#[repr(C)]
pub struct SpyrePass {
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
pub struct SpyrePipelineRun {
    pub options: *mut c_void,
}

#[repr(C)]
pub struct SpyrePipeline {
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
pub struct SpyreInsertionPoint {
    pub block: MlirBlock,
    pub before: MlirOperation,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct SpyreJit {
    pub ptr: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct SpyreCall {
    pub ptr: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct SpyreOutcome {
    pub end: i32,
    pub site: i64,
    pub size: u64,
}

unsafe extern "C" {
    pub fn spyreRegisterPass(pass: *const SpyrePass);
    pub fn spyrePassRunGetInt(run: SpyrePassRun, option: isize) -> i64;
    pub fn spyrePassRunGetBool(run: SpyrePassRun, option: isize) -> bool;
    pub fn spyrePassRunGetString(run: SpyrePassRun, option: isize) -> MlirStringRef;
    pub fn spyrePassRunGetListSize(run: SpyrePassRun, option: isize) -> isize;
    pub fn spyrePassRunGetListItem(run: SpyrePassRun, option: isize, item: isize) -> MlirStringRef;
    pub fn spyrePassRunAddStatistic(run: SpyrePassRun, statistic: isize, count: i64);
    pub fn spyrePassRunMarkAllAnalysesPreserved(run: SpyrePassRun);
    pub fn spyreRegisterPipeline(pipeline: *const SpyrePipeline);
    pub fn spyrePipelineRunGetBool(run: SpyrePipelineRun, option: isize) -> bool;
    pub fn spyrePipelineRunGetString(run: SpyrePipelineRun, option: isize) -> MlirStringRef;

    pub fn spyreEmitDiagnostic(
        location: MlirLocation,
        severity: i32,
        message: MlirStringRef,
        num_notes: isize,
        note_locations: *const MlirLocation,
        notes: *const MlirStringRef,
    );

    pub fn spyreRemarksEnabled(context: MlirContext, category: MlirStringRef) -> bool;
    pub fn spyreEmitRemark(
        location: MlirLocation,
        kind: i32,
        category: MlirStringRef,
        name: MlirStringRef,
        function: MlirStringRef,
        num_args: isize,
        keys: *const MlirStringRef,
        values: *const MlirStringRef,
    );

    pub fn spyreRegisterUpstream(registry: MlirDialectRegistry);
    pub fn spyreRegisterUpstreamPasses();
    pub fn spyreOptMain(
        argc: c_int,
        argv: *mut *mut c_char,
        tool_name: MlirStringRef,
        registry: MlirDialectRegistry,
        misses_statistics: *mut bool,
    ) -> c_int;
    pub fn spyreLspMain(
        argc: c_int,
        argv: *mut *mut c_char,
        registry: MlirDialectRegistry,
    ) -> c_int;
    pub fn spyreWithSourceFile(
        context: MlirContext,
        path: MlirStringRef,
        callback: unsafe extern "C" fn(MlirModule, *mut c_void) -> bool,
        user: *mut c_void,
    ) -> bool;

    pub fn spyreWithSourceText(
        context: MlirContext,
        name: MlirStringRef,
        text: MlirStringRef,
        callback: unsafe extern "C" fn(MlirModule, *mut c_void) -> bool,
        print: unsafe extern "C" fn(MlirStringRef, *mut c_void),
        user: *mut c_void,
    ) -> bool;

    pub fn spyreBuildIndexConstant(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        value: i64,
    ) -> MlirValue;
    pub fn spyreBuildFor(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        lower: MlirValue,
        upper: MlirValue,
        step: MlirValue,
        inits: *const MlirValue,
        num_inits: isize,
    ) -> MlirOperation;
    pub fn spyreBuildYield(
        block: MlirBlock,
        loc: MlirLocation,
        values: *const MlirValue,
        num_values: isize,
    );
    pub fn spyreBuildAffineApply(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        map: MlirAffineMap,
        operands: *const MlirValue,
        num_operands: isize,
    ) -> MlirValue;
    pub fn spyreBuildExtractSlice(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        result_type: MlirType,
        source: MlirValue,
        rank: isize,
        offsets: *const MlirValue,
        static_offsets: *const i64,
        sizes: *const i64,
    ) -> MlirValue;
    pub fn spyreBuildInsertSlice(
        at: SpyreInsertionPoint,
        loc: MlirLocation,
        source: MlirValue,
        dest: MlirValue,
        rank: isize,
        offsets: *const MlirValue,
        static_offsets: *const i64,
        sizes: *const i64,
    ) -> MlirValue;

    pub fn spyreOperationGetKind(op: MlirOperation) -> c_int;
    pub fn spyreConstantIndexGetValue(op: MlirOperation) -> i64;
    pub fn spyreAffineApplyGetMap(op: MlirOperation) -> MlirAffineMap;
    pub fn spyreSliceGet(
        op: MlirOperation,
        capacity: isize,
        offsets: *mut MlirValue,
        static_offsets: *mut i64,
        sizes: *mut i64,
    ) -> isize;

    pub fn spyreJitCompile(
        module: MlirOperation,
        opt_level: c_int,
        symbol: MlirStringRef,
        address: *mut c_void,
        on_error: MlirStringCallback,
        user: *mut c_void,
    ) -> SpyreJit;
    pub fn spyreRegistryHasDialect(registry: MlirDialectRegistry, name: MlirStringRef) -> bool;
    pub fn spyreIsPassRegistered(argument: MlirStringRef) -> bool;
    pub fn spyreJitDestroy(jit: SpyreJit);
    pub fn spyreGuardProgram(
        module: MlirOperation,
        on_site: unsafe extern "C" fn(MlirLocation, *mut c_void),
        user: *mut c_void,
    );
    pub fn spyreCallCreate(max_bytes: u64) -> SpyreCall;
    pub fn spyreCallRun(
        call: SpyreCall,
        function: unsafe extern "C" fn(*mut *mut c_void),
        arguments: *mut *mut c_void,
    ) -> SpyreOutcome;
    pub fn spyreCallDestroy(call: SpyreCall);
    pub fn spyreConvertMath(op: MlirOperation) -> bool;
    pub fn spyreJitLookupPacked(
        jit: SpyreJit,
        name: MlirStringRef,
        on_error: MlirStringCallback,
        user: *mut c_void,
    ) -> *mut c_void;
    pub fn spyreParsePipeline(
        text: MlirStringRef,
        implicit_nesting: bool,
        on_text: MlirStringCallback,
        on_error: MlirStringCallback,
        user: *mut c_void,
    );

    pub fn spyreOperationMoveToEnd(op: MlirOperation, block: MlirBlock);
    pub fn spyreOperationErase(op: MlirOperation);
    pub fn spyreUnrollFor(op: MlirOperation) -> bool;
    pub fn spyreFunctionSetArgAttr(
        function: MlirOperation,
        argument: isize,
        name: MlirStringRef,
        attr: MlirAttribute,
    );
    pub fn spyreFunctionGetArgAttr(
        function: MlirOperation,
        argument: isize,
        name: MlirStringRef,
    ) -> MlirAttribute;
    pub fn spyreFunctionAddArgument(
        function: MlirOperation,
        ty: mlir_sys::MlirType,
        name: MlirStringRef,
        attr: MlirAttribute,
        location: mlir_sys::MlirLocation,
    ) -> MlirValue;
    pub fn spyreFunctionUpdateType(function: MlirOperation);
    pub fn spyreFunctionGetEntryBlock(op: MlirOperation) -> MlirBlock;
    pub fn spyreOperationIsPure(op: MlirOperation) -> bool;
}
