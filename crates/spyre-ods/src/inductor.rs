//! Operations of `inductor`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "inductor.apply" APPLY apply Apply (*operands) {name} -> (result);
    "inductor.check_bounds" CHECK_BOUNDS check_bounds CheckBounds (*indices) {map, size, ?lower, ?upper};
    "inductor.concat" CONCAT concat Concat (*parts) {op_ "op", buffer} -> (result);
    "inductor.constant" CONSTANT constant Constant {name, ?value} -> (result);
    "inductor.extern" EXTERN extern_ Extern (*operands) {op_ "op", buffer, class_name, ?overload, ?mutates}
        -> (*results);
    "inductor.graph" GRAPH graph Graph {sym_name, ?symbols, ?phase} [body];
    "inductor.index_apply" INDEX_APPLY index_apply IndexApply (*indices) {function, map} -> (result);
    "inductor.index_expr" INDEX_EXPR index_expr IndexExpr (*indices) {map} -> (result);
    "inductor.indirect" INDIRECT indirect Indirect (value) {size, ?check, ?wrap} -> (result);
    "inductor.input" INPUT input Input {name, ?size} -> (result);
    "inductor.kernel" KERNEL kernel Kernel {name, ?outer, ?parts} [body] -> (*results);
    "inductor.load" LOAD load Load (source, *indices) {map, ?view} -> (result);
    "inductor.masked" MASKED masked Masked (mask) {other} [body] -> (result);
    "inductor.multi_output" MULTI_OUTPUT multi_output MultiOutput (tuple) {op_ "op", buffer, indices} -> (result);
    "inductor.pointwise" POINTWISE pointwise Pointwise (?into) {op_ "op", buffer, ranges, ?loops} [body] -> (result);
    "inductor.reduction" REDUCTION reduction Reduction
        {op_ "op", buffer, kind, ranges, reduction_ranges, ?loops, source, ?hint, ?output} [body] -> (result);
    "inductor.return" RETURN return_ Return (*operands) {?outputs, ?mutated};
    "inductor.scan" SCAN scan Scan {op_ "op", buffer, ranges, scan_ranges, ?loops, output} [body, combine] -> (result);
    "inductor.scatter" SCATTER scatter Scatter (into) {op_ "op", buffer, ranges, ?loops, ?mode} [body] -> (result);
    "inductor.sort" SORT sort Sort {op_ "op", buffer, ranges, sort_ranges, ?loops, output, ?stable, ?descending} [body]
        -> (result);
    "inductor.store" STORE store Store (*values, *indices) sized {map, ?view};
    "inductor.to_dtype" TO_DTYPE to_dtype ToDtype (value) {dtype, ?source, ?compute} -> (result);
    "inductor.view" VIEW view View (source) -> (result);
    "inductor.yield" YIELD yield_ Yield (*values);
}
