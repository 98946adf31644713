//! Operations of `builtin`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "builtin.module" MODULE module Module {?sym_name, ?sym_visibility} [body_region "bodyRegion"];
    "builtin.unrealized_conversion_cast" UNREALIZED_CONVERSION_CAST unrealized_conversion_cast UnrealizedConversionCast
        (*inputs) -> (*outputs);
}
