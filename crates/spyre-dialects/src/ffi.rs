//! The C functions of `dialects/*/CAPI.h`.
#![allow(missing_docs)] // CAPI.h documents them.

use std::ffi::c_void;

use mlir_sys::{
    MlirAffineMap, MlirAttribute, MlirContext, MlirDialectHandle, MlirOperation, MlirStringRef,
    MlirType,
};

#[repr(C)]
pub struct SpyreTarget {
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
    pub assumed_formats: bool,
}

unsafe extern "C" {
    pub fn mlirGetDialectHandle__spyre__() -> MlirDialectHandle;
    pub fn mlirGetDialectHandle__sdscbundle__() -> MlirDialectHandle;

    pub fn spyreIntegerRanges(
        function: MlirOperation,
        visit: unsafe extern "C" fn(MlirOperation, i64, i64, *mut c_void),
        user: *mut c_void,
    ) -> bool;

    pub fn spyreAttributeIsALayout(attr: MlirAttribute) -> bool;
    pub fn spyreLayoutGet(
        context: MlirContext,
        map: MlirAffineMap,
        size: *const i64,
        num_size: isize,
        expanded: *const i64,
        num_expanded: isize,
        format: i32,
        arrangement: i32,
    ) -> MlirAttribute;
    pub fn spyreLayoutGetMap(attr: MlirAttribute) -> MlirAffineMap;
    pub fn spyreLayoutGetSize(attr: MlirAttribute, size: *mut *const i64) -> isize;
    pub fn spyreLayoutGetExpanded(attr: MlirAttribute, expanded: *mut *const i64) -> isize;
    pub fn spyreLayoutGetFormat(attr: MlirAttribute) -> i32;
    pub fn spyreLayoutGetArrangement(attr: MlirAttribute) -> i32;

    pub fn spyreAttributeIsATarget(attr: MlirAttribute) -> bool;
    pub fn spyreTargetGetFields(attr: MlirAttribute) -> SpyreTarget;

    pub fn spyreTileHintGet(
        context: MlirContext,
        scope: i64,
        dim: MlirStringRef,
        amount: i64,
        by_size: bool,
    ) -> MlirAttribute;
    pub fn spyreAttributeIsATileHint(attr: MlirAttribute) -> bool;
    pub fn spyreTileHintGetScope(attr: MlirAttribute) -> i64;
    pub fn spyreTileHintGetDim(attr: MlirAttribute) -> MlirStringRef;
    pub fn spyreTileHintGetAmount(attr: MlirAttribute) -> i64;
    pub fn spyreTileHintIsBySize(attr: MlirAttribute) -> bool;
    pub fn spyreAttributeIsADivideHint(attr: MlirAttribute) -> bool;
    pub fn spyreDivideHintGetDim(attr: MlirAttribute) -> MlirStringRef;
    pub fn spyreDivideHintGetCores(attr: MlirAttribute) -> i64;
    pub fn spyreAttributeIsATileScope(attr: MlirAttribute) -> bool;
    pub fn spyreTileScopeGetNumHints(attr: MlirAttribute) -> isize;
    pub fn spyreTileScopeGetHint(attr: MlirAttribute, index: isize) -> MlirAttribute;
    pub fn spyreTileScopeGetNumDivisions(attr: MlirAttribute) -> isize;
    pub fn spyreTileScopeGetDivision(attr: MlirAttribute, index: isize) -> MlirAttribute;
    pub fn spyreTileScopeGetRange(attr: MlirAttribute, first: *mut i64, last: *mut i64) -> bool;

    pub fn spyreMergedGet(
        context: MlirContext,
        count: isize,
        names: *const MlirStringRef,
        extents: *const i64,
    ) -> MlirAttribute;
    pub fn spyreMergedGetNumNames(attr: MlirAttribute) -> isize;
    pub fn spyreMergedGetName(attr: MlirAttribute, index: isize) -> MlirStringRef;
    pub fn spyreMergedGetExtent(attr: MlirAttribute, index: isize) -> i64;

    pub fn spyreDynamicGet(context: MlirContext, granularity: i64, max: i64) -> MlirAttribute;
    pub fn spyreAttributeIsADynamic(attr: MlirAttribute) -> bool;
    pub fn spyreDynamicGetGranularity(attr: MlirAttribute) -> i64;
    pub fn spyreDynamicGetMax(attr: MlirAttribute) -> i64;

    pub fn spyrePlaceGet(context: MlirContext, space: i32, address: i64) -> MlirAttribute;
    pub fn spyreAttributeIsAPlace(attr: MlirAttribute) -> bool;
    pub fn spyrePlaceGetSpace(attr: MlirAttribute) -> i32;
    pub fn spyrePlaceGetAddress(attr: MlirAttribute) -> i64;

    pub fn spyreIterDimGet(
        context: MlirContext,
        symbol: MlirStringRef,
        extent: i64,
        slices: i64,
        size: MlirStringRef,
        granularity: i64,
    ) -> MlirAttribute;
    pub fn spyreIterDimGetSymbol(attr: MlirAttribute) -> MlirStringRef;
    pub fn spyreIterDimGetExtent(attr: MlirAttribute) -> i64;
    pub fn spyreIterDimGetSlices(attr: MlirAttribute) -> i64;
    pub fn spyreIterDimGetSize(attr: MlirAttribute) -> MlirStringRef;
    pub fn spyreIterDimGetGranularity(attr: MlirAttribute) -> i64;

    pub fn spyreLevelGet(
        context: MlirContext,
        r#loop: i64,
        dim: MlirStringRef,
        trips: i64,
    ) -> MlirAttribute;
    pub fn spyreLevelGetLoop(attr: MlirAttribute) -> i64;
    pub fn spyreLevelGetDim(attr: MlirAttribute) -> MlirStringRef;
    pub fn spyreLevelGetTrips(attr: MlirAttribute) -> i64;

    pub fn spyreOwnershipGet(
        context: MlirContext,
        slices: *const i64,
        num_slices: isize,
        cores: MlirAffineMap,
    ) -> MlirAttribute;
    pub fn spyreOwnershipGetSlices(attr: MlirAttribute, slices: *mut *const i64) -> isize;
    pub fn spyreOwnershipGetCores(attr: MlirAttribute) -> MlirAffineMap;

    pub fn spyreRecordGet(
        context: MlirContext,
        names: *const MlirStringRef,
        values: *const MlirAttribute,
        count: isize,
    ) -> MlirAttribute;
    pub fn spyreAttributeIsARecord(attr: MlirAttribute) -> bool;
    pub fn spyreRecordGetCount(attr: MlirAttribute) -> isize;
    pub fn spyreRecordGetName(attr: MlirAttribute, index: isize) -> MlirStringRef;
    pub fn spyreRecordGetValue(attr: MlirAttribute, index: isize) -> MlirAttribute;

    pub fn spyreSizeGet(
        context: MlirContext,
        name: MlirStringRef,
        arg: i64,
        dim: i64,
    ) -> MlirAttribute;
    pub fn spyreAttributeIsASize(attr: MlirAttribute) -> bool;
    pub fn spyreSizeGetName(attr: MlirAttribute) -> MlirStringRef;
    pub fn spyreSizeGetArg(attr: MlirAttribute) -> i64;
    pub fn spyreSizeGetDim(attr: MlirAttribute) -> i64;

    pub fn spyreTensorArgGet(
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
    ) -> MlirAttribute;
    pub fn spyreTensorArgIsOutput(attr: MlirAttribute) -> bool;
    pub fn spyreTensorArgGetSpace(attr: MlirAttribute) -> i32;
    pub fn spyreTensorArgGetAddress(attr: MlirAttribute) -> i64;
    pub fn spyreTensorArgGetFormat(attr: MlirAttribute) -> i32;
    pub fn spyreTensorArgGetSize(attr: MlirAttribute, size: *mut *const i64) -> isize;
    pub fn spyreTensorArgGetCoordinates(attr: MlirAttribute) -> MlirAffineMap;
    pub fn spyreTensorArgGetAdvance(attr: MlirAttribute, advance: *mut *const i64) -> isize;
    pub fn spyreTensorArgGetOffset(attr: MlirAttribute) -> i64;
    pub fn spyreTensorArgGetArrangement(attr: MlirAttribute) -> i32;
    pub fn spyreTensorArgGetName(attr: MlirAttribute) -> MlirStringRef;
    pub fn spyreTensorArgGetNumIndirect(attr: MlirAttribute) -> isize;
    pub fn spyreTensorArgGetIndirect(attr: MlirAttribute, index: isize) -> MlirStringRef;
    pub fn spyreTensorArgGetOwners(attr: MlirAttribute) -> MlirAttribute;

    pub fn spyreDeviceFormatOfType(ty: MlirType) -> i32;

    pub fn spyreOperationIsADeviceOp(op: MlirOperation) -> bool;
    pub fn spyreDeviceOps(
        context: MlirContext,
        visit: unsafe extern "C" fn(MlirStringRef, MlirStringRef, *mut c_void),
        data: *mut c_void,
    );
    pub fn spyreDeviceOpGetIterationSpace(
        op: MlirOperation,
        extents: *mut i64,
        capacity: isize,
    ) -> isize;
    pub fn spyreDeviceOpGetGatheredDim(op: MlirOperation) -> i64;
    pub fn spyreDeviceOpGetNumReductionDims(op: MlirOperation) -> isize;
    pub fn spyreDeviceOpGetTensorDims(
        op: MlirOperation,
        tensor: isize,
        dims: *mut i64,
        capacity: isize,
    ) -> isize;
    pub fn spyreDeviceOpGetTensorTypes(
        op: MlirOperation,
        types: *mut MlirType,
        capacity: isize,
    ) -> isize;
    pub fn spyreDeviceOpGetConstants(op: MlirOperation) -> MlirAttribute;
    pub fn spyreDeviceOpGetTileHints(op: MlirOperation) -> MlirAttribute;
    pub fn spyreDeviceOpSetTileHints(op: MlirOperation, hints: MlirAttribute);
    pub fn spyreDeviceOpRemoveTileHints(op: MlirOperation);
    pub fn spyreDeviceOpGetDivideHints(op: MlirOperation) -> MlirAttribute;
    pub fn spyreDeviceOpRemoveDivideHints(op: MlirOperation);
    pub fn spyreDeviceOpGetSplit(op: MlirOperation, split: *mut *const i64) -> isize;
    pub fn spyreDeviceOpSetSplit(op: MlirOperation, split: *const i64, rank: isize);
    pub fn spyreDeviceOpGetPlace(op: MlirOperation) -> MlirAttribute;
    pub fn spyreDeviceOpSetPlace(op: MlirOperation, place: MlirAttribute);

    pub fn spyreOperationIsAEmpty(op: MlirOperation) -> bool;
    pub fn spyreEmptyGetPlace(op: MlirOperation) -> MlirAttribute;
    pub fn spyreEmptySetPlace(op: MlirOperation, place: MlirAttribute);

    pub fn spyreOperationIsADimSize(op: MlirOperation) -> bool;
    pub fn spyreDimSizeGetDim(op: MlirOperation) -> MlirStringRef;

    pub fn spyreSdscBundleInputArgTypeGet(
        element: MlirType,
        has_granularity: bool,
        granularity: i64,
        has_max: bool,
        max: i64,
    ) -> MlirType;
    pub fn spyreSdscBundleTypeIsAInputArg(ty: MlirType) -> bool;
    pub fn spyreSdscBundleInputArgTypeHasGranularity(ty: MlirType) -> bool;
    pub fn spyreSdscBundleInputArgTypeGetGranularity(ty: MlirType) -> i64;
    pub fn spyreSdscBundleInputArgTypeHasMaxValue(ty: MlirType) -> bool;
    pub fn spyreSdscBundleInputArgTypeGetMaxValue(ty: MlirType) -> i64;
}
