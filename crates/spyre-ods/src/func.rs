//! Operations of `func`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "func.call" CALL call Call (*operands) {callee, ?arg_attrs, ?res_attrs, ?no_inline} -> (*results);
    "func.call_indirect" CALL_INDIRECT call_indirect CallIndirect (callee, *callee_operands) {?arg_attrs, ?res_attrs}
        -> (*results);
    "func.constant" CONSTANT constant Constant {value} -> (result);
    "func.func" FUNC func Func {sym_name, function_type, ?sym_visibility, ?arg_attrs, ?res_attrs, ?no_inline} [body];
    "func.return" RETURN return_ Return (*operands);
}
