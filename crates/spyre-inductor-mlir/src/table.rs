//! The vocabulary of Inductor's graphs: each name of the file next to the name in the dialect, read both ways.
//!
//! Import and export have three things in common. An operation of the file has a kind, and the kind an operation of
//! the dialect; its fields are attributes ([`KINDS`], with a [`Field`] each). An instruction of a body has an
//! operation, and its fields are operands, attributes or the type of the result ([`INSTRUCTIONS`], with a [`Slot`]
//! each). A function of numbers has an operation of `arith` or `math` for each class of operands
//! ([`FUNCTIONS`](super::functions::FUNCTIONS)). Import walks a row to build the operation, export walks the same row
//! to write the fields. The order of a row is the order in which import checks the fields and in which export numbers
//! index expressions; the file has the fields of an instruction in the order of their names.
//!
//! What differs by direction is no row: import resolves names of values and indices and infers types, export assigns
//! the names again. Layouts of buffers and tensors of kernels refer to each other across operations. These are
//! functions.

use spyre_dialects::inductor_attr;
use spyre_inductor::schema::{
    Constant, Expr, Extern, Fields, Input, LayoutKind, Op, OpKind, Text, Value,
};
use spyre_ods::{arith, inductor};

use super::{functions, op};

/// The name of the function of an `inductor.apply`, the operation of functions without an upstream operation.
pub(super) const FUNCTION: &str = "name";
/// The map of indices, loops and indices that were read, of an operation of a body.
pub(super) const MAP: &str = "map";
/// The view of the buffer of a load or a store.
pub(super) const VIEW: &str = "view";
/// The name of the buffer that an operation computes.
pub(super) const BUFFER: &str = "buffer";
/// The kind of a reduction.
pub(super) const REDUCTION: &str = "kind";
/// The number of the result that a nest stores, of several.
pub(super) const OUTPUT: &str = "output";
/// The outputs of the graph, where they are no plain list of tensors.
pub(super) const OUTPUTS: &str = "outputs";
/// The inputs that the graph writes.
pub(super) const MUTATED: &str = "mutated";
/// The operands that a kernel writes.
pub(super) const MUTATES: &str = "mutates";

/// The field of an object that is a float without a literal in JSON.
pub(super) const FLOAT: &str = "f";

/// The names of the floats without a literal in JSON.
pub(super) const FLOATS: [(&str, f64); 3] = [
    ("inf", f64::INFINITY),
    ("-inf", f64::NEG_INFINITY),
    ("nan", f64::NAN),
];

/// The kinds of layouts of tensors.
pub(super) const LAYOUTS: [(LayoutKind, inductor_attr::LayoutKind); 3] = [
    (LayoutKind::Fixed, inductor_attr::LayoutKind::Fixed),
    (LayoutKind::Flexible, inductor_attr::LayoutKind::Flexible),
    (LayoutKind::NonOwning, inductor_attr::LayoutKind::NonOwning),
];

/// A field of a part of the file, and the attribute of an operation that has its value.
pub(super) struct Field<T: 'static> {
    /// The name in the file.
    pub(super) name: &'static str,
    /// The attribute.
    pub(super) attribute: &'static str,
    /// Whether a file without it is refused.
    pub(super) is_required: bool,
    pub(super) form: Form<T>,
}

/// The form of a field: its type in the file, and with that the kind of the attribute.
pub(super) enum Form<T: 'static> {
    /// A text.
    Text(Lens<T, Text>),
    /// A list of texts.
    Texts(Lens<T, Vec<Text>>),
    /// An integer of 64 bits.
    Integer(Lens<T, i64>),
    /// An element type.
    Type(Lens<T, Text>),
    /// An expression of symbols: a map with one result.
    Extent(Lens<T, Expr>),
    /// Expressions of symbols: a map.
    Extents(Lens<T, Vec<Expr>>),
    /// An argument of a kernel.
    Argument(Lens<T, Value>),
    /// A list of arguments.
    Arguments(Lens<T, Vec<Value>>),
    /// Arguments by name.
    NamedArguments(Lens<T, Fields>),
}

/// The two directions of a field of a struct.
pub(super) struct Lens<T: 'static, V: 'static> {
    /// Returns the value; `None` if the field is absent.
    pub(super) get: fn(&T) -> Option<&V>,
    /// Sets the value.
    pub(super) set: fn(&mut T, V),
}

/// Returns a row of a field: `required` or `optional` where the schema has an option, `plain` where it has a value, and
/// `list` where an empty list is omitted.
macro_rules! field {
    (optional $form:ident $name:ident => $attribute:expr) => {
        field!(@ $form $name $attribute, false, |it| it.$name.as_ref(), |it, value| it.$name = Some(value))
    };
    (required $form:ident $name:ident => $attribute:expr) => {
        field!(@ $form $name $attribute, true, |it| it.$name.as_ref(), |it, value| it.$name = Some(value))
    };
    (plain $form:ident $name:ident => $attribute:expr) => {
        field!(@ $form $name $attribute, true, |it| Some(&it.$name), |it, value| it.$name = value)
    };
    (list $form:ident $name:ident => $attribute:expr) => {
        field!(
            @ $form $name $attribute, false,
            |it| Some(&it.$name).filter(|list| !list.is_empty()), |it, value| it.$name = value
        )
    };
    (@ $form:ident $name:ident $attribute:expr, $required:expr, $get:expr, $set:expr) => {
        Field {
            name: stringify!($name),
            attribute: $attribute,
            is_required: $required,
            form: Form::$form(Lens { get: $get, set: $set }),
        }
    };
}

/// The fields of an input that are attributes.
pub(super) const INPUT: &[Field<Input>] = &[
    field!(plain Text name => "name"),
    field!(optional Extent expr => "size"),
    field!(optional Text source => op::SOURCE),
];

/// The fields of a constant that are attributes.
pub(super) const CONSTANT: &[Field<Constant>] = &[field!(plain Text name => "name")];

/// The elements of a constant.
pub(super) const ELEMENTS: &str = "value";

/// The fields that all operations have.
pub(super) const COMMON: &[Field<Op>] = &[
    field!(plain Text name => "op"),
    Field {
        name: "buffers",
        attribute: BUFFER,
        is_required: true,
        form: Form::Text(Lens {
            get: |it| it.buffers.first(),
            set: |it, buffer| it.buffers = vec![buffer],
        }),
    },
    field!(optional Text origin => op::ORIGIN),
    field!(list Texts origins => op::ORIGINS),
    field!(optional Argument hints => op::HINTS),
];

/// A kind of operations.
pub(super) struct Kind {
    pub(super) kind: OpKind,
    /// The operation of the dialect.
    pub(super) op: &'static str,
    /// The operation in messages.
    pub(super) noun: &'static str,
    /// The fields of a loop nest, next to [`COMMON`].
    pub(super) fields: &'static [Field<Op>],
    /// The fields of a kernel from outside.
    pub(super) kernel: &'static [Field<Extern>],
    /// The class of the kernel, where it follows from the kind. It computes one tensor.
    pub(super) class: Option<&'static str>,
}

/// Returns rows of kinds: the kind, the operation and the noun; the fields of a loop nest or of a kernel.
macro_rules! kinds {
    ($($kind:ident, $op:expr, $noun:expr, $class:expr => [$($fields:expr),*], [$($kernel:expr),*];)*) => {
        &[$(Kind {
            kind: OpKind::$kind,
            op: $op,
            noun: $noun,
            fields: &[$($fields),*],
            kernel: &[$($kernel),*],
            class: $class,
        }),*]
    };
}

const RANGES: Field<Op> = field!(required Extents ranges => "ranges");

/// The kinds of operations.
pub(super) const KINDS: &[Kind] = kinds! {
    Pointwise, inductor::POINTWISE, "a loop nest", None => [RANGES], [];
    Scatter, inductor::SCATTER, "a loop nest", None => [RANGES], [];
    Scan, inductor::SCAN, "a scan", None =>
        [RANGES, field!(required Extents scan_ranges => "scan_ranges")], [];
    Sort, inductor::SORT, "a sort", None =>
        [RANGES, field!(required Extents scan_ranges => "sort_ranges")], [];
    Reduction, inductor::REDUCTION, "a reduction", None => [
        RANGES,
        field!(required Text reduction_type => REDUCTION),
        field!(required Extents reduction_ranges => "reduction_ranges"),
        field!(required Type src_dtype => "source"),
        field!(optional Text reduction_hint => "hint"),
        field!(optional Integer output_index => OUTPUT)
    ], [];
    Extern, inductor::EXTERN, "a kernel from outside", None => [], [
        field!(plain Text class => "class_name"),
        field!(optional Text op_overload => "overload"),
        field!(optional Text kernel => op::KERNEL),
        field!(plain Arguments constant_args => op::CONSTANT_ARGS),
        field!(plain NamedArguments kwargs => op::KWARGS),
        field!(optional Argument call => op::CALL),
        field!(list NamedArguments other => op::OTHER)
    ];
    MultiOutput, inductor::MULTI_OUTPUT, "a result of a kernel", Some("MultiOutput") => [],
        [field!(required Argument indices => "indices")];
    Concat, inductor::CONCAT, "a concatenation", Some("ConcatKernel") => [], [];
};

/// Returns the row of a kind. An operation without work is a kernel that computes nothing.
pub(super) fn of_kind(kind: OpKind) -> &'static Kind {
    let kind = match kind {
        OpKind::Nop => OpKind::Extern,
        kind => kind,
    };
    let mut rows = KINDS.iter();
    rows.find(|row| row.kind == kind)
        .expect("each kind has a row")
}

/// Returns the row of an operation of the dialect.
pub(super) fn of_op(op: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|row| row.op == op)
}

/// An instruction of a body.
pub(super) struct Instruction {
    /// The name of its operation in the file.
    pub(super) name: &'static str,
    /// The operation of the dialect. An `inductor.apply` has the name as its function.
    pub(super) op: &'static str,
    pub(super) role: Role,
    pub(super) slots: &'static [Slot],
    /// The message about a list of arguments of another length, where slots are in that list.
    pub(super) arguments: &'static str,
}

/// The form of an instruction in the dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// An operation with a number as its result.
    Value,
    /// An operation without a result.
    Effect,
    /// An operation with an index as its result, which expressions call by the name in a slot.
    Variable,
    /// An operation with a block.
    Masked,
    /// The store of a nest.
    Store,
    /// Values that the store of the nest takes. The attributes are attributes of the nest.
    Group,
    /// One of several results.
    Part,
    /// A mantissa and an exponent: an operation for each part that is read.
    Pair,
}

/// A field of an instruction.
pub(super) struct Slot {
    pub(super) place: Place,
    pub(super) presence: Presence,
    pub(super) content: Content,
}

/// Where a value is in an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// A field of this name.
    Field(&'static str),
    /// The list of arguments, at this number.
    Argument(usize),
}

/// The list of arguments of an instruction.
pub(super) const ARGUMENTS: &str = "args";

/// Whether a field is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    /// It is null where the operation does not have the attribute.
    Nullable,
    /// It follows from the nest: it is written, and not read.
    Written,
}

/// The content of a field, and its part in the operation.
#[derive(Debug, Clone, Copy)]
pub(super) enum Content {
    /// A value: the next operand.
    Operand,
    /// A value, which is the result as well: the next operand.
    Condition,
    /// Values: all next operands.
    Operands(Listing),
    /// The types of the values of the next operands.
    Types,
    /// The buffer that is read: the next operand.
    Source,
    /// The number of an element of that buffer: a map without dimensions.
    Element,
    /// The buffer that the nest computes.
    Target,
    /// The name of an index expression, as a place of that buffer: the map, its operands and the view.
    Access,
    /// The name of an index expression: the map and its operands.
    Index,
    /// The name of an index expression of symbols alone: a map.
    Bound(&'static str),
    /// An expression of symbols: a map.
    Size(&'static str),
    /// The name of the index that the result is, below the size in this attribute.
    Variable(&'static str),
    /// A truth value: a unit if it is true.
    Flag(&'static str),
    /// A text.
    Text(&'static str),
    /// The mode of a scatter: a text.
    Mode(&'static str),
    /// An element type.
    Type(&'static str),
    /// An element type. The result is its register.
    Conversion(&'static str),
    /// The element type of the result. If the register of the result has another type, the attribute with this name
    /// holds the element type.
    Register(Option<&'static str>),
    /// The element type that the nest computes.
    Computed,
    /// A number of the type of the result.
    Number(&'static str),
    /// The name of a block of the operation, with this prefix.
    Block(&'static str),
    /// The name of the block that combines the values of a scan, with this prefix.
    Combiner(&'static str),
    /// The value that is stored: one of the body, or a group.
    Stored,
    /// The instruction with several results.
    Whole,
    /// The number of one result of such an instruction.
    Part,
}

/// The form of a list of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// A list.
    List,
    /// A list, or one value.
    Several,
    /// A list; in the combiner of a scan, it is nested in another list.
    Yielded,
}

/// The instruction that stores an element.
pub(super) const STORE: &str = "store";
/// The instruction that stores an element of a reduction.
pub(super) const STORE_REDUCTION: &str = "store_reduction";
/// The instruction of one of several results.
pub(super) const PART: &str = "getitem";

/// Returns rows of instructions: the name, the operation, the role, and the slots, each with its place and its content.
/// After the role may be the message about other arguments. `?` in place of `=` is for fields that may be null, `!` for
/// fields that are written alone.
macro_rules! instructions {
    ($(
        $name:expr, $op:expr, $role:ident $(($arguments:expr))?:
        $($place:tt $mark:tt $content:ident $(($value:expr))?),*;
    )*) => {
        &[$(Instruction {
            name: $name,
            op: $op,
            role: Role::$role,
            slots: &[$(Slot {
                place: instructions!(@place $place),
                presence: instructions!(@presence $mark),
                content: Content::$content $(($value))?,
            }),*],
            arguments: concat!($($arguments)?),
        }),*]
    };
    (@place $name:ident) => { Place::Field(stringify!($name)) };
    (@place $number:literal) => { Place::Argument($number) };
    (@presence =) => { Presence::Required };
    (@presence ?) => { Presence::Nullable };
    (@presence !) => { Presence::Written };
}

/// The instructions that are no function of numbers. Of several with one operation, export takes the first.
pub(super) const INSTRUCTIONS: &[Instruction] = instructions! {
    "load", inductor::LOAD, Value: buffer = Source, index = Access;
    "load_seed", inductor::LOAD, Value("a seed has a buffer and a number"): 0 = Source, 1 = Element;
    STORE, inductor::STORE, Store: buffer = Target, value = Stored, index = Access, mode ? Mode("mode");
    STORE_REDUCTION, inductor::STORE, Store: buffer = Target, value = Stored, index = Access;
    "reduction", inductor::REDUCTION, Group: dtype ! Computed, src_dtype ! Type("source"),
        reduction_type ! Text(REDUCTION), value = Operands(Listing::Several);
    "scan", inductor::SCAN, Group: dtypes ! Types, values = Operands(Listing::List),
        combine = Combiner("scan");
    "sort", inductor::SORT, Group: dtypes ! Types, values = Operands(Listing::List),
        stable = Flag("stable"), descending = Flag("descending");
    PART, "", Part: value = Whole, i = Part;
    "constant", arith::CONSTANT, Value: dtype = Register(Some(op::DTYPE)), value = Number("value");
    "index_expr", inductor::INDEX_EXPR, Value: dtype = Register(None), index = Index;
    "set_indirect", inductor::INDIRECT, Variable: var = Variable("size"), value = Operand,
        size = Size("size"), check = Flag("check"), wrap_neg = Flag("wrap");
    "check_bounds", inductor::CHECK_BOUNDS, Effect: index = Index, size = Bound("size"),
        lower = Flag("lower"), upper = Flag("upper");
    "masked", inductor::MASKED, Masked: mask = Operand, block = Block("masked_subblock"),
        other = Number("other");
    "to_dtype", inductor::TO_DTYPE, Value: x = Operand, dtype = Conversion("dtype"),
        src_dtype ? Type("source"), use_compute_types = Flag("compute");
    "yield", inductor::YIELD, Effect: args = Operands(Listing::Yielded);
    "device_assert_async", inductor::APPLY, Value("an assertion has a condition and a message"):
        0 = Condition, 1 = Text("message");
    functions::BITCAST, inductor::APPLY, Value("a view by another type has a number and two types"):
        0 = Operand, 1 = Conversion("dtype"), 2 = Type("source");
    functions::FREXP, inductor::APPLY, Pair("'frexp' takes a number"): 0 = Operand;
};

/// Returns the row of an instruction; `None` for functions of numbers.
pub(super) fn instruction(name: &str) -> Option<&'static Instruction> {
    INSTRUCTIONS.iter().find(|row| row.name == name)
}

/// Returns the row of an operation of a body, `function` being the name of a function without an upstream operation.
pub(super) fn of_body(op: &str, function: Option<&str>) -> Option<&'static Instruction> {
    let mut rows = INSTRUCTIONS.iter();
    rows.find(|row| row.op == op && (op != inductor::APPLY || function == Some(row.name)))
}
