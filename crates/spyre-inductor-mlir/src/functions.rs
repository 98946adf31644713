//! The functions of bodies: their names in PyTorch, and the operations of `arith` and `math` that compute them.

use melior::ir::Type;
use rustc_hash::FxHashMap;
use smol_str::format_smolstr;
use spyre_inductor::schema::Text;
use spyre_mlir_rt::ir;

use super::import::class;

/// The class of a number in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Float,
    Integer,
    /// An unsigned integer, with the type of a signed one in a register.
    Unsigned,
    Truth,
}

/// A function that an upstream operation computes.
pub(super) struct Function {
    /// Its name in PyTorch.
    pub(super) name: &'static str,
    /// The class of its operands.
    pub(super) class: Class,
    /// The operation.
    pub(super) op: &'static str,
    /// The predicate of a comparison.
    pub(super) predicate: Option<i64>,
}

const fn float(name: &'static str, op: &'static str) -> Function {
    row(name, Class::Float, op, None)
}

const fn integer(name: &'static str, op: &'static str) -> Function {
    row(name, Class::Integer, op, None)
}

const fn unsigned(name: &'static str, op: &'static str, predicate: Option<i64>) -> Function {
    row(name, Class::Unsigned, op, predicate)
}

const fn truth(name: &'static str, op: &'static str) -> Function {
    row(name, Class::Truth, op, None)
}

const fn row(
    name: &'static str,
    class: Class,
    op: &'static str,
    predicate: Option<i64>,
) -> Function {
    Function {
        name,
        class,
        op,
        predicate,
    }
}

/// The functions, each with one operation for a class of operands.
pub(super) const FUNCTIONS: &[Function] = &[
    float("add", "arith.addf"),
    integer("add", "arith.addi"),
    float("sub", "arith.subf"),
    integer("sub", "arith.subi"),
    float("mul", "arith.mulf"),
    integer("mul", "arith.muli"),
    float("truediv", "arith.divf"),
    float("neg", "arith.negf"),
    float("abs", "math.absf"),
    integer("abs", "math.absi"),
    float("exp", "math.exp"),
    float("exp2", "math.exp2"),
    float("expm1", "math.expm1"),
    float("log", "math.log"),
    float("log1p", "math.log1p"),
    float("log2", "math.log2"),
    float("log10", "math.log10"),
    float("sqrt", "math.sqrt"),
    float("rsqrt", "math.rsqrt"),
    float("sin", "math.sin"),
    float("cos", "math.cos"),
    float("tan", "math.tan"),
    float("asin", "math.asin"),
    float("acos", "math.acos"),
    float("atan", "math.atan"),
    float("atan2", "math.atan2"),
    float("sinh", "math.sinh"),
    float("cosh", "math.cosh"),
    float("tanh", "math.tanh"),
    float("asinh", "math.asinh"),
    float("acosh", "math.acosh"),
    float("atanh", "math.atanh"),
    float("erf", "math.erf"),
    float("erfc", "math.erfc"),
    float("floor", "math.floor"),
    float("ceil", "math.ceil"),
    float("trunc", "math.trunc"),
    float("round", "math.roundeven"),
    float("pow", "math.powf"),
    float("copysign", "math.copysign"),
    float("fma", "math.fma"),
    float("fmod", "arith.remf"),
    float("maximum", "arith.maximumf"),
    integer("maximum", "arith.maxsi"),
    float("minimum", "arith.minimumf"),
    integer("minimum", "arith.minsi"),
    unsigned("maximum", "arith.maxui", None),
    unsigned("minimum", "arith.minui", None),
    integer("bitwise_and", "arith.andi"),
    integer("bitwise_or", "arith.ori"),
    integer("bitwise_xor", "arith.xori"),
    truth("and_", "arith.andi"),
    truth("or_", "arith.ori"),
    row("eq", Class::Float, "arith.cmpf", Some(1)),
    row("gt", Class::Float, "arith.cmpf", Some(2)),
    row("ge", Class::Float, "arith.cmpf", Some(3)),
    row("lt", Class::Float, "arith.cmpf", Some(4)),
    row("le", Class::Float, "arith.cmpf", Some(5)),
    row("ne", Class::Float, "arith.cmpf", Some(13)),
    row("eq", Class::Integer, "arith.cmpi", Some(0)),
    row("ne", Class::Integer, "arith.cmpi", Some(1)),
    row("lt", Class::Integer, "arith.cmpi", Some(2)),
    row("le", Class::Integer, "arith.cmpi", Some(3)),
    row("gt", Class::Integer, "arith.cmpi", Some(4)),
    row("ge", Class::Integer, "arith.cmpi", Some(5)),
    unsigned("lt", "arith.cmpi", Some(6)),
    unsigned("le", "arith.cmpi", Some(7)),
    unsigned("gt", "arith.cmpi", Some(8)),
    unsigned("ge", "arith.cmpi", Some(9)),
];

/// The function that selects one of two numbers by a truth value, and its operation.
pub(super) const SELECT: &str = "where";
pub(super) const SELECT_OP: &str = "arith.select";

/// The predicate of a comparison.
pub(super) const PREDICATE: &str = "predicate";

/// The function that has the bits of a number of another type. Its operation has the types `source` and `dtype`.
pub(super) const BITCAST: &str = "to_dtype_bitcast";

/// The function with two results, a mantissa and an exponent. The operation with the result of an integer has the latter.
pub(super) const FREXP: &str = "frexp";

/// Functions without an upstream operation that return a truth value.
const TRUTHS: &[&str] = &[
    "isnan",
    "isinf",
    "signbit",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
];

/// Functions of a seed and the number of an element that return an `f32`.
const RANDOM: &[&str] = &["rand", "randn"];

/// Returns whether a function of integers returns a random number of `f32`.
pub(super) fn is_random(name: &str) -> bool {
    RANDOM.contains(&name)
}

/// Returns whether the result of a function without an upstream operation is a truth value.
pub(super) fn is_truth(name: &str) -> bool {
    TRUTHS.contains(&name)
}

/// Returns the type in which PyTorch computes a function of numbers of some types, of which there is one: that of a float before
/// that of an integer, and of the widest of these.
pub(super) fn promoted<'p>(types: &[Type<'p>]) -> Type<'p> {
    let rank = |ty: &Type<'p>| (class(*ty) == Class::Float, ir::bits(*ty));
    let mut types = types.iter().copied();
    let first = types.next().expect("a function has an operand");
    types.fold(first, |best, ty| match rank(&ty) > rank(&best) {
        true => ty,
        false => best,
    })
}

/// Returns the operation of a function; `None` if no upstream operation computes it.
pub(super) fn of_name(name: &str, class: Class) -> Option<&'static Function> {
    let find = |class: Class| {
        let mut functions = FUNCTIONS.iter();
        functions.find(|row| row.name == name && row.class == class)
    };
    find(class).or_else(|| match (class, name) {
        // It has no sign to lose.
        (Class::Unsigned, "abs") => None,
        // The bits are the same as of a signed integer.
        (Class::Unsigned, _) => find(Class::Integer),
        _ => None,
    })
}

/// Returns the function that an operation computes. The class is that of the type of its operands.
pub(super) fn of_op(op: &str, class: Class, predicate: Option<i64>) -> Option<&'static Function> {
    let mut functions = FUNCTIONS.iter();
    let has_class = |row: &Function| match row.class {
        Class::Unsigned => class == Class::Integer,
        other => other == class,
    };
    functions.find(|row| row.op == op && has_class(row) && row.predicate == predicate)
}

/// Names that Python has, so that PyTorch numbers its first value of that name.
const BUILTINS: &[&str] = &[
    "abs", "all", "any", "bool", "complex", "divmod", "float", "hash", "id", "int", "max", "min",
    "pow", "range", "reversed", "round", "slice", "sorted", "sum", "type",
];

/// Names values as PyTorch does: by their functions, with numbers after the first.
#[derive(Default)]
pub(super) struct Names {
    counts: FxHashMap<Text, usize>,
}

impl Names {
    /// Returns the name of the next value of a function.
    pub(super) fn next(&mut self, base: &str) -> Text {
        let start = usize::from(BUILTINS.contains(&base));
        let count = self.counts.entry(base.into()).or_insert(start);
        *count += 1;
        match *count {
            1 => base.into(),
            count => format_smolstr!("{base}_{}", count - 1),
        }
    }
}
