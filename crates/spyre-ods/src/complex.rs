//! Operations of `complex`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "complex.abs" ABS abs Abs (complex) {?fastmath} -> (result);
    "complex.add" ADD add Add (lhs, rhs) {?fastmath} -> (result);
    "complex.angle" ANGLE angle Angle (complex) {?fastmath} -> (result);
    "complex.atan2" ATAN2 atan2 Atan2 (lhs, rhs) {?fastmath} -> (result);
    "complex.bitcast" BITCAST bitcast Bitcast (operand) -> (result);
    "complex.conj" CONJ conj Conj (complex) {?fastmath} -> (result);
    "complex.constant" CONSTANT constant Constant {value} -> (complex);
    "complex.cos" COS cos Cos (complex) {?fastmath} -> (result);
    "complex.create" CREATE create Create (real, imaginary) -> (complex);
    "complex.div" DIV div Div (lhs, rhs) {?fastmath} -> (result);
    "complex.eq" EQ eq Equal (lhs, rhs) -> (result);
    "complex.exp" EXP exp Exp (complex) {?fastmath} -> (result);
    "complex.expm1" EXPM1 expm1 Expm1 (complex) {?fastmath} -> (result);
    "complex.im" IM im Im (complex) {?fastmath} -> (imaginary);
    "complex.log" LOG log Log (complex) {?fastmath} -> (result);
    "complex.log1p" LOG1P log1p Log1p (complex) {?fastmath} -> (result);
    "complex.mul" MUL mul Mul (lhs, rhs) {?fastmath} -> (result);
    "complex.neg" NEG neg Neg (complex) {?fastmath} -> (result);
    "complex.neq" NEQ neq NotEqual (lhs, rhs) -> (result);
    "complex.pow" POW pow Pow (lhs, rhs) {?fastmath} -> (result);
    "complex.powi" POWI powi Powi (lhs, rhs) {?fastmath} -> (result);
    "complex.re" RE re Re (complex) {?fastmath} -> (real);
    "complex.rsqrt" RSQRT rsqrt Rsqrt (complex) {?fastmath} -> (result);
    "complex.sign" SIGN sign Sign (complex) {?fastmath} -> (result);
    "complex.sin" SIN sin Sin (complex) {?fastmath} -> (result);
    "complex.sqrt" SQRT sqrt Sqrt (complex) {?fastmath} -> (result);
    "complex.sub" SUB sub Sub (lhs, rhs) {?fastmath} -> (result);
    "complex.tan" TAN tan Tan (complex) {?fastmath} -> (result);
    "complex.tanh" TANH tanh Tanh (complex) {?fastmath} -> (result);
}
