//! Operations of `affine`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "affine.apply" APPLY apply AffineApply (*map_operands "mapOperands") {map} -> (result);
    "affine.max" MAX max AffineMax (*operands) {map} -> (result);
    "affine.min" MIN min AffineMin (*operands) {map} -> (result);
}
