//! Operations of `arith`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "arith.addf" ADDF addf AddF (lhs, rhs) {?fastmath} -> (result);
    "arith.addi" ADDI addi AddI (lhs, rhs) {?overflow_flags "overflowFlags"} -> (result);
    "arith.addui_extended" ADDUI_EXTENDED addui_extended AddUIExtended (lhs, rhs) -> (sum, overflow);
    "arith.andi" ANDI andi AndI (lhs, rhs) -> (result);
    "arith.bitcast" BITCAST bitcast Bitcast (in_ "in") -> (out);
    "arith.ceildivsi" CEILDIVSI ceildivsi CeilDivSI (lhs, rhs) -> (result);
    "arith.ceildivui" CEILDIVUI ceildivui CeilDivUI (lhs, rhs) -> (result);
    "arith.cmpf" CMPF cmpf CmpF (lhs, rhs) {predicate, ?fastmath} -> (result);
    "arith.cmpi" CMPI cmpi CmpI (lhs, rhs) {predicate} -> (result);
    "arith.constant" CONSTANT constant Constant {value} -> (result);
    "arith.divf" DIVF divf DivF (lhs, rhs) {?fastmath} -> (result);
    "arith.divsi" DIVSI divsi DivSI (lhs, rhs) {?is_exact "isExact"} -> (result);
    "arith.divui" DIVUI divui DivUI (lhs, rhs) {?is_exact "isExact"} -> (result);
    "arith.extf" EXTF extf ExtF (in_ "in") {?fastmath} -> (out);
    "arith.extsi" EXTSI extsi ExtSI (in_ "in") -> (out);
    "arith.extui" EXTUI extui ExtUI (in_ "in") -> (out);
    "arith.floordivsi" FLOORDIVSI floordivsi FloorDivSI (lhs, rhs) -> (result);
    "arith.fptosi" FPTOSI fptosi FPToSI (in_ "in") -> (out);
    "arith.fptoui" FPTOUI fptoui FPToUI (in_ "in") -> (out);
    "arith.index_cast" INDEX_CAST index_cast IndexCast (in_ "in") -> (out);
    "arith.index_castui" INDEX_CASTUI index_castui IndexCastUI (in_ "in") -> (out);
    "arith.maximumf" MAXIMUMF maximumf MaximumF (lhs, rhs) {?fastmath} -> (result);
    "arith.maxnumf" MAXNUMF maxnumf MaxNumF (lhs, rhs) {?fastmath} -> (result);
    "arith.maxsi" MAXSI maxsi MaxSI (lhs, rhs) -> (result);
    "arith.maxui" MAXUI maxui MaxUI (lhs, rhs) -> (result);
    "arith.minimumf" MINIMUMF minimumf MinimumF (lhs, rhs) {?fastmath} -> (result);
    "arith.minnumf" MINNUMF minnumf MinNumF (lhs, rhs) {?fastmath} -> (result);
    "arith.minsi" MINSI minsi MinSI (lhs, rhs) -> (result);
    "arith.minui" MINUI minui MinUI (lhs, rhs) -> (result);
    "arith.mulf" MULF mulf MulF (lhs, rhs) {?fastmath} -> (result);
    "arith.muli" MULI muli MulI (lhs, rhs) {?overflow_flags "overflowFlags"} -> (result);
    "arith.mulsi_extended" MULSI_EXTENDED mulsi_extended MulSIExtended (lhs, rhs) -> (low, high);
    "arith.mului_extended" MULUI_EXTENDED mului_extended MulUIExtended (lhs, rhs) -> (low, high);
    "arith.negf" NEGF negf NegF (operand) {?fastmath} -> (result);
    "arith.ori" ORI ori OrI (lhs, rhs) -> (result);
    "arith.remf" REMF remf RemF (lhs, rhs) {?fastmath} -> (result);
    "arith.remsi" REMSI remsi RemSI (lhs, rhs) -> (result);
    "arith.remui" REMUI remui RemUI (lhs, rhs) -> (result);
    "arith.scaling_extf" SCALING_EXTF scaling_extf ScalingExtF (in_ "in", scale) {?fastmath} -> (out);
    "arith.scaling_truncf" SCALING_TRUNCF scaling_truncf ScalingTruncF (in_ "in", scale) {?roundingmode, ?fastmath}
        -> (out);
    "arith.select" SELECT select Select (condition, true_value, false_value) -> (result);
    "arith.shli" SHLI shli ShLI (lhs, rhs) {?overflow_flags "overflowFlags"} -> (result);
    "arith.shrsi" SHRSI shrsi ShRSI (lhs, rhs) {?is_exact "isExact"} -> (result);
    "arith.shrui" SHRUI shrui ShRUI (lhs, rhs) {?is_exact "isExact"} -> (result);
    "arith.sitofp" SITOFP sitofp SIToFP (in_ "in") -> (out);
    "arith.subf" SUBF subf SubF (lhs, rhs) {?fastmath} -> (result);
    "arith.subi" SUBI subi SubI (lhs, rhs) {?overflow_flags "overflowFlags"} -> (result);
    "arith.truncf" TRUNCF truncf TruncF (in_ "in") {?roundingmode, ?fastmath} -> (out);
    "arith.trunci" TRUNCI trunci TruncI (in_ "in") {?overflow_flags "overflowFlags"} -> (out);
    "arith.uitofp" UITOFP uitofp UIToFP (in_ "in") -> (out);
    "arith.xori" XORI xori XOrI (lhs, rhs) -> (result);
}
