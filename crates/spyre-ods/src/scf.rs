//! Operations of `scf`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "scf.condition" CONDITION condition Condition (condition, *args);
    "scf.execute_region" EXECUTE_REGION execute_region ExecuteRegion {?no_inline} [region] -> (*results);
    "scf.for" FOR for_ For (lower_bound "lowerBound", upper_bound "upperBound", step, *init_args "initArgs")
        {?unsigned_cmp "unsignedCmp"} [region] -> (*results);
    "scf.forall" FORALL forall Forall (*dynamic_lower_bound "dynamicLowerBound",
        *dynamic_upper_bound "dynamicUpperBound", *dynamic_step "dynamicStep", *outputs) sized
        {static_lower_bound "staticLowerBound", static_upper_bound "staticUpperBound", static_step "staticStep",
        ?mapping} [region] -> (*results);
    "scf.forall.in_parallel" FORALL_IN_PARALLEL forall_in_parallel InParallel [region];
    "scf.if" IF if_ If (condition) [then_region "thenRegion", else_region "elseRegion"] -> (*results);
    "scf.index_switch" INDEX_SWITCH index_switch IndexSwitch (arg) {cases}
        [default_region "defaultRegion", *case_regions "caseRegions"] -> (*results);
    "scf.parallel" PARALLEL parallel Parallel
        (*lower_bound "lowerBound", *upper_bound "upperBound", *step, *init_vals "initVals") sized [region]
        -> (*results);
    "scf.reduce" REDUCE reduce Reduce (*operands) [*reductions];
    "scf.reduce.return" REDUCE_RETURN reduce_return ReduceReturn (result);
    "scf.while" WHILE while_ While (*inits) [before, after] -> (*results);
    "scf.yield" YIELD yield_ Yield (*results);
}
