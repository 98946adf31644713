//! The C functions of `dialects/*/CAPI.h`.
#![allow(missing_docs)] // CAPI.h documents them.

use std::ffi::c_void;

use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirContext, MlirDialectHandle, MlirOperation, MlirStringRef,
    MlirType,
};

#[repr(C)]
pub(crate) struct SpyreTarget {
    pub cores: i64,
    pub lx_bytes: i64,
    pub lx_reserved_bytes: i64,
    pub lx_backend_percent: i64,
    pub stick_bytes: i64,
    pub span_limit_bytes: i64,
    pub segment_bytes: i64,
    pub segment_reserved_bytes: i64,
    pub segments: i64,
    pub formats: MlirAttribute,
    pub contract: MlirStringRef,
    pub exceptions: MlirAttribute,
    pub products_per_us: i64,
    pub elements_per_us: i64,
    pub bytes_per_us: i64,
    pub broadcast_cores: i64,
    pub rows_per_pass: i64,
    pub full_passes: i64,
    pub partial_ps: i64,
    pub shared_partial_ps: i64,
    pub execution_ps: i64,
    pub iteration_ps: i64,
    pub relayout_ps: i64,
}

unsafe extern "C" {
    pub(crate) fn mlirGetDialectHandle__spyre__() -> MlirDialectHandle;
    pub(crate) fn mlirGetDialectHandle__sdscbundle__() -> MlirDialectHandle;
    pub(crate) fn mlirGetDialectHandle__inductor__() -> MlirDialectHandle;
    pub(crate) fn mlirGetDialectHandle__ktdp__() -> MlirDialectHandle;
    pub(crate) fn mlirGetDialectHandle__spyreop__() -> MlirDialectHandle;
    pub(crate) fn mlirGetDialectHandle__uop__() -> MlirDialectHandle;
    pub(crate) fn mlirGetDialectHandle__shard__() -> MlirDialectHandle;

    pub(crate) fn spyreUopEffectTypeGet(context: MlirContext) -> MlirType;
    pub(crate) fn spyreUopKeywordGet(context: MlirContext, kind: i32, number: i32)
    -> MlirAttribute;
    pub(crate) fn spyreUopKeywordNumber(attr: MlirAttribute, kind: i32) -> i32;
    pub(crate) fn spyreUopOptGetNumbers(attr: MlirAttribute, numbers: *mut i64) -> i32;
    pub(crate) fn spyreUopAxisGet(
        context: MlirContext,
        extent: i64,
        kind: i32,
        loop_number: i64,
        step: i64,
    ) -> MlirAttribute;

    pub(crate) fn spyreKtdpAccessTileTypeGet(
        context: MlirContext,
        shape: *const i64,
        rank: isize,
    ) -> MlirType;
    pub(crate) fn spyreKtdpAccessTileTypeGetShape(ty: MlirType, shape: *mut *const i64) -> isize;
    pub(crate) fn spyreKtdpRuntimeArgTypeGet(
        underlying: MlirType,
        granularity: *const i64,
        upperbound: *const i64,
    ) -> MlirType;
    pub(crate) fn spyreKtdpRuntimeArgTypeGetBounds(
        ty: MlirType,
        granularity: *mut i64,
        upperbound: *mut i64,
    ) -> bool;
    pub(crate) fn spyreKtdpMemorySpaceGet(
        context: MlirContext,
        is_local: bool,
        ct_id: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreKtdpMemorySpaceGetKind(attr: MlirAttribute, ct_id: *mut i64) -> i32;
    pub(crate) fn spyreKtdpRuntimeArgFieldGet(context: MlirContext, field: i32) -> MlirAttribute;

    pub(crate) fn spyreSpyreOpFusedOf(element: MlirType) -> MlirType;
    pub(crate) fn spyreSpyreOpElementOf(fused: MlirType) -> MlirType;
    pub(crate) fn spyreSpyreOpIsDF16(ty: MlirType) -> bool;

    pub(crate) fn spyreInductorLayoutGet(
        context: MlirContext,
        kind: i32,
        stride: MlirAffineMap,
        size: MlirAffineMap,
        offset: MlirAffineMap,
        base_offset: MlirAffineMap,
    ) -> MlirAttribute;
    pub(crate) fn spyreInductorAttributeIsALayout(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreInductorLayoutGetKind(attr: MlirAttribute) -> i32;
    pub(crate) fn spyreInductorLayoutGetStride(attr: MlirAttribute) -> MlirAffineMap;
    pub(crate) fn spyreInductorLayoutGetSize(attr: MlirAttribute) -> MlirAffineMap;
    pub(crate) fn spyreInductorLayoutGetOffset(attr: MlirAttribute) -> MlirAffineMap;
    pub(crate) fn spyreInductorLayoutGetBaseOffset(attr: MlirAttribute) -> MlirAffineMap;
    pub(crate) fn spyreInductorSymGet(
        context: MlirContext,
        name: MlirStringRef,
        has_hint: bool,
        hint: i64,
        has_min: bool,
        min: i64,
        has_max: bool,
        max: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreInductorSymGetName(attr: MlirAttribute, name: *mut MlirStringRef) -> bool;
    pub(crate) fn spyreInductorSymGetHint(attr: MlirAttribute, value: *mut i64) -> bool;
    pub(crate) fn spyreInductorSymGetMin(attr: MlirAttribute, value: *mut i64) -> bool;
    pub(crate) fn spyreInductorSymGetMax(attr: MlirAttribute, value: *mut i64) -> bool;
    pub(crate) fn spyreInductorOperandGet(context: MlirContext, number: i64) -> MlirAttribute;
    pub(crate) fn spyreInductorOperandGetNumber(attr: MlirAttribute, number: *mut i64) -> bool;
    pub(crate) fn spyreInductorResultsTypeGet(context: MlirContext) -> MlirType;

    pub(crate) fn spyreIntegerRanges(
        function: MlirOperation,
        visit: unsafe extern "C" fn(MlirOperation, bool, i64, i64, *mut c_void),
        user: *mut c_void,
    ) -> bool;

    pub(crate) fn spyreAttributeIsALayout(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreLayoutGet(
        context: MlirContext,
        map: MlirAffineMap,
        size: *const i64,
        num_size: isize,
        expanded: *const i64,
        num_expanded: isize,
        format: i32,
        arrangement: i32,
    ) -> MlirAttribute;
    pub(crate) fn spyreLayoutGetMap(attr: MlirAttribute) -> MlirAffineMap;
    pub(crate) fn spyreLayoutGetSize(attr: MlirAttribute, size: *mut *const i64) -> isize;
    pub(crate) fn spyreLayoutGetExpanded(attr: MlirAttribute, expanded: *mut *const i64) -> isize;
    pub(crate) fn spyreLayoutGetFormat(attr: MlirAttribute) -> i32;
    pub(crate) fn spyreLayoutGetArrangement(attr: MlirAttribute) -> i32;

    pub(crate) fn spyreAttributeIsATarget(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreTargetGetFields(attr: MlirAttribute) -> SpyreTarget;

    pub(crate) fn spyreTileHintGet(
        context: MlirContext,
        scope: i64,
        dim: MlirStringRef,
        amount: i64,
        by_size: bool,
    ) -> MlirAttribute;
    pub(crate) fn spyreAttributeIsATileHint(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreTileHintGetScope(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreTileHintGetDim(attr: MlirAttribute) -> MlirStringRef;
    pub(crate) fn spyreTileHintGetAmount(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreTileHintIsBySize(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreAttributeIsADivideHint(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreDivideHintGet(
        context: MlirContext,
        dim: MlirStringRef,
        cores: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreDivideHintGetDim(attr: MlirAttribute) -> MlirStringRef;
    pub(crate) fn spyreDivideHintGetCores(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreAttributeIsATileScope(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreTileScopeGetNumHints(attr: MlirAttribute) -> isize;
    pub(crate) fn spyreTileScopeGetHint(attr: MlirAttribute, index: isize) -> MlirAttribute;
    pub(crate) fn spyreTileScopeGetNumDivisions(attr: MlirAttribute) -> isize;
    pub(crate) fn spyreTileScopeGetDivision(attr: MlirAttribute, index: isize) -> MlirAttribute;
    pub(crate) fn spyreTileScopeGetRange(
        attr: MlirAttribute,
        first: *mut i64,
        last: *mut i64,
    ) -> bool;

    pub(crate) fn spyreMergedGet(
        context: MlirContext,
        count: isize,
        names: *const MlirStringRef,
        extents: *const i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreDenseElementsBitcast(
        attr: MlirAttribute,
        element: MlirType,
    ) -> MlirAttribute;
    pub(crate) fn spyreDenseResourceGetData(attr: MlirAttribute, data: *mut *const u8) -> isize;
    pub(crate) fn spyreMergedGetNumNames(attr: MlirAttribute) -> isize;
    pub(crate) fn spyreMergedGetName(attr: MlirAttribute, index: isize) -> MlirStringRef;
    pub(crate) fn spyreMergedGetExtent(attr: MlirAttribute, index: isize) -> i64;

    pub(crate) fn spyreDynamicGet(
        context: MlirContext,
        granularity: i64,
        max: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreAttributeIsADynamic(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreDynamicGetGranularity(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreDynamicGetMax(attr: MlirAttribute) -> i64;

    pub(crate) fn spyrePlanGet(
        context: MlirContext,
        cache_arguments: bool,
        relayouts: bool,
        memory_weight: i64,
        most_bytes: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreAttributeIsAPlan(attr: MlirAttribute) -> bool;
    pub(crate) fn spyrePlanGetCacheArguments(attr: MlirAttribute) -> bool;
    pub(crate) fn spyrePlanGetRelayouts(attr: MlirAttribute) -> bool;
    pub(crate) fn spyrePlanGetMemoryWeight(attr: MlirAttribute) -> i64;
    pub(crate) fn spyrePlanGetMostBytes(attr: MlirAttribute) -> i64;

    pub(crate) fn spyrePlaceGet(context: MlirContext, space: i32, address: i64) -> MlirAttribute;
    pub(crate) fn spyreAttributeIsAPlace(attr: MlirAttribute) -> bool;
    pub(crate) fn spyrePlaceGetSpace(attr: MlirAttribute) -> i32;
    pub(crate) fn spyrePlaceGetAddress(attr: MlirAttribute) -> i64;

    pub(crate) fn spyreSdscBundleIterDimGet(
        context: MlirContext,
        symbol: MlirStringRef,
        extent: i64,
        slices: i64,
        size: MlirStringRef,
        granularity: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreSdscBundleIterDimGetSymbol(attr: MlirAttribute) -> MlirStringRef;
    pub(crate) fn spyreSdscBundleIterDimGetExtent(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreSdscBundleIterDimGetSlices(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreSdscBundleIterDimGetSize(attr: MlirAttribute) -> MlirStringRef;
    pub(crate) fn spyreSdscBundleIterDimGetGranularity(attr: MlirAttribute) -> i64;

    pub(crate) fn spyreSdscBundleLevelGet(
        context: MlirContext,
        r#loop: i64,
        dim: MlirStringRef,
        trips: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreSdscBundleLevelGetLoop(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreSdscBundleLevelGetDim(attr: MlirAttribute) -> MlirStringRef;
    pub(crate) fn spyreSdscBundleLevelGetTrips(attr: MlirAttribute) -> i64;

    pub(crate) fn spyreSdscBundleCoreSlicesGet(
        context: MlirContext,
        dims: *const MlirStringRef,
        num_dims: isize,
        cores: MlirAffineMap,
    ) -> MlirAttribute;
    pub(crate) fn spyreSdscBundleCoreSlicesGetNumDims(attr: MlirAttribute) -> isize;
    pub(crate) fn spyreSdscBundleCoreSlicesGetDim(
        attr: MlirAttribute,
        index: isize,
    ) -> MlirStringRef;
    pub(crate) fn spyreSdscBundleCoreSlicesGetCores(attr: MlirAttribute) -> MlirAffineMap;

    pub(crate) fn spyreSdscBundleOwnershipGet(
        context: MlirContext,
        slices: *const i64,
        num_slices: isize,
        cores: MlirAffineMap,
        among: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreSdscBundleOwnershipGetSlices(
        attr: MlirAttribute,
        slices: *mut *const i64,
    ) -> isize;
    pub(crate) fn spyreSdscBundleOwnershipGetCores(attr: MlirAttribute) -> MlirAffineMap;
    pub(crate) fn spyreSdscBundleOwnershipGetAmong(attr: MlirAttribute) -> i64;

    pub(crate) fn spyreSdscBundleRecordGet(
        context: MlirContext,
        names: *const MlirStringRef,
        values: *const MlirAttribute,
        count: isize,
    ) -> MlirAttribute;
    pub(crate) fn spyreSdscBundleAttributeIsARecord(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreSdscBundleRecordGetCount(attr: MlirAttribute) -> isize;
    pub(crate) fn spyreSdscBundleRecordGetName(attr: MlirAttribute, index: isize) -> MlirStringRef;
    pub(crate) fn spyreSdscBundleRecordGetValue(attr: MlirAttribute, index: isize)
    -> MlirAttribute;

    pub(crate) fn spyreSdscBundleSizeGet(
        context: MlirContext,
        name: MlirStringRef,
        arg: i64,
        dim: i64,
    ) -> MlirAttribute;
    pub(crate) fn spyreSdscBundleAttributeIsASize(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreSdscBundleSizeGetName(attr: MlirAttribute) -> MlirStringRef;
    pub(crate) fn spyreSdscBundleSizeGetArg(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreSdscBundleSizeGetDim(attr: MlirAttribute) -> i64;

    pub(crate) fn spyreSdscBundleTensorArgGet(
        context: MlirContext,
        is_output: bool,
        space: i32,
        address: i64,
        format: i32,
        size: *const i64,
        num_size: isize,
        coordinates: MlirAffineMap,
        advance: *const i64,
        num_advance: isize,
        offset: i64,
        arrangement: i32,
        name: MlirStringRef,
        indirect: *const MlirStringRef,
        num_indirect: isize,
        owners: MlirAttribute,
        separate_parts: bool,
        kernel_local: bool,
    ) -> MlirAttribute;
    pub(crate) fn spyreSdscBundleTensorArgIsOutput(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreSdscBundleTensorArgGetSpace(attr: MlirAttribute) -> i32;
    pub(crate) fn spyreSdscBundleTensorArgGetAddress(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreSdscBundleTensorArgGetFormat(attr: MlirAttribute) -> i32;
    pub(crate) fn spyreSdscBundleTensorArgGetSize(
        attr: MlirAttribute,
        size: *mut *const i64,
    ) -> isize;
    pub(crate) fn spyreSdscBundleTensorArgGetCoordinates(attr: MlirAttribute) -> MlirAffineMap;
    pub(crate) fn spyreSdscBundleTensorArgGetAdvance(
        attr: MlirAttribute,
        advance: *mut *const i64,
    ) -> isize;
    pub(crate) fn spyreSdscBundleTensorArgGetOffset(attr: MlirAttribute) -> i64;
    pub(crate) fn spyreSdscBundleTensorArgGetArrangement(attr: MlirAttribute) -> i32;
    pub(crate) fn spyreSdscBundleTensorArgGetName(attr: MlirAttribute) -> MlirStringRef;
    pub(crate) fn spyreSdscBundleTensorArgGetNumIndirect(attr: MlirAttribute) -> isize;
    pub(crate) fn spyreSdscBundleTensorArgGetIndirect(
        attr: MlirAttribute,
        index: isize,
    ) -> MlirStringRef;
    pub(crate) fn spyreSdscBundleTensorArgGetOwners(attr: MlirAttribute) -> MlirAttribute;
    pub(crate) fn spyreSdscBundleTensorArgHasSeparateParts(attr: MlirAttribute) -> bool;
    pub(crate) fn spyreSdscBundleTensorArgIsKernelLocal(attr: MlirAttribute) -> bool;

    pub(crate) fn spyreDeviceFormatOfType(ty: MlirType) -> i32;

    pub(crate) fn spyreOperationIsADeviceOp(op: MlirOperation) -> bool;
    pub(crate) fn spyreDeviceOps(
        context: MlirContext,
        visit: unsafe extern "C" fn(MlirStringRef, MlirStringRef, *mut c_void),
        data: *mut c_void,
    );
    pub(crate) fn spyreDeviceOpGetIterationSpace(
        op: MlirOperation,
        extents: *mut i64,
        capacity: isize,
    ) -> isize;
    pub(crate) fn spyreDeviceOpGetGatheredDim(op: MlirOperation) -> i64;
    pub(crate) fn spyreDeviceOpGetWalkedDims(
        op: MlirOperation,
        numbers: *mut i64,
        capacity: isize,
    ) -> isize;
    pub(crate) fn spyreDeviceOpGetNumReductionDims(op: MlirOperation) -> isize;
    pub(crate) fn spyreDeviceOpGetTensorDims(
        op: MlirOperation,
        tensor: isize,
        dims: *mut i64,
        capacity: isize,
    ) -> isize;
    pub(crate) fn spyreDeviceOpGetTensorTypes(
        op: MlirOperation,
        types: *mut MlirType,
        capacity: isize,
    ) -> isize;
    pub(crate) fn spyreDeviceOpGetConstants(op: MlirOperation) -> MlirAttribute;
    pub(crate) fn spyreDeviceOpGetTileHints(op: MlirOperation) -> MlirAttribute;
    pub(crate) fn spyreDeviceOpSetTileHints(op: MlirOperation, hints: MlirAttribute);
    pub(crate) fn spyreDeviceOpRemoveTileHints(op: MlirOperation);
    pub(crate) fn spyreDeviceOpGetDivideHints(op: MlirOperation) -> MlirAttribute;
    pub(crate) fn spyreDeviceOpSetDivideHints(op: MlirOperation, hints: MlirAttribute);
    pub(crate) fn spyreDeviceOpRemoveDivideHints(op: MlirOperation);
    pub(crate) fn spyreDeviceOpGetSplit(op: MlirOperation, split: *mut *const i64) -> isize;
    pub(crate) fn spyreDeviceOpSetSplit(op: MlirOperation, split: *const i64, rank: isize);
    pub(crate) fn spyreDeviceOpGetPlace(op: MlirOperation) -> MlirAttribute;
    pub(crate) fn spyreDeviceOpSetPlace(op: MlirOperation, place: MlirAttribute);

    pub(crate) fn spyreOperationIsAEmpty(op: MlirOperation) -> bool;
    pub(crate) fn spyreEmptyGetPlace(op: MlirOperation) -> MlirAttribute;
    pub(crate) fn spyreEmptySetPlace(op: MlirOperation, place: MlirAttribute);

    pub(crate) fn spyreOperationIsADimSize(op: MlirOperation) -> bool;
    pub(crate) fn spyreDimSizeGetDim(op: MlirOperation) -> MlirStringRef;

    pub(crate) fn spyreSdscBundleInputArgTypeGet(
        element: MlirType,
        has_granularity: bool,
        granularity: i64,
        has_max: bool,
        max: i64,
    ) -> MlirType;
    pub(crate) fn spyreSdscBundleTypeIsAInputArg(ty: MlirType) -> bool;
    pub(crate) fn spyreSdscBundleInputArgTypeHasGranularity(ty: MlirType) -> bool;
    pub(crate) fn spyreSdscBundleInputArgTypeGetGranularity(ty: MlirType) -> i64;
    pub(crate) fn spyreSdscBundleInputArgTypeHasMaxValue(ty: MlirType) -> bool;
    pub(crate) fn spyreSdscBundleInputArgTypeGetMaxValue(ty: MlirType) -> i64;
}
