//! Operations of `index`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "index.add" ADD add Add (lhs, rhs) -> (result);
    "index.and" AND and And (lhs, rhs) -> (result);
    "index.bool.constant" BOOL_CONSTANT bool_constant BoolConstant {value} -> (result);
    "index.casts" CASTS casts CastS (input) -> (output);
    "index.castu" CASTU castu CastU (input) -> (output);
    "index.ceildivs" CEILDIVS ceildivs CeilDivS (lhs, rhs) -> (result);
    "index.ceildivu" CEILDIVU ceildivu CeilDivU (lhs, rhs) -> (result);
    "index.cmp" CMP cmp Cmp (lhs, rhs) {pred} -> (result);
    "index.constant" CONSTANT constant Constant {value} -> (result);
    "index.divs" DIVS divs DivS (lhs, rhs) -> (result);
    "index.divu" DIVU divu DivU (lhs, rhs) -> (result);
    "index.floordivs" FLOORDIVS floordivs FloorDivS (lhs, rhs) -> (result);
    "index.maxs" MAXS maxs MaxS (lhs, rhs) -> (result);
    "index.maxu" MAXU maxu MaxU (lhs, rhs) -> (result);
    "index.mins" MINS mins MinS (lhs, rhs) -> (result);
    "index.minu" MINU minu MinU (lhs, rhs) -> (result);
    "index.mul" MUL mul Mul (lhs, rhs) -> (result);
    "index.or" OR or Or (lhs, rhs) -> (result);
    "index.rems" REMS rems RemS (lhs, rhs) -> (result);
    "index.remu" REMU remu RemU (lhs, rhs) -> (result);
    "index.shl" SHL shl Shl (lhs, rhs) -> (result);
    "index.shrs" SHRS shrs ShrS (lhs, rhs) -> (result);
    "index.shru" SHRU shru ShrU (lhs, rhs) -> (result);
    "index.sizeof" SIZEOF sizeof SizeOf -> (result);
    "index.sub" SUB sub Sub (lhs, rhs) -> (result);
    "index.xor" XOR xor XOr (lhs, rhs) -> (result);
}
