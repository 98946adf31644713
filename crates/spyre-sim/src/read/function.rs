//! The function of a bundle, with its names resolved.

use super::error::Place;

/// An SSA value: its position in [`Function::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(pub(crate) usize);

/// `func.func @sdsc_bundle` (SDSC bundle specification, section 2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// The name of every value.
    pub names: Vec<String>,
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// The statements.
    pub body: Vec<Statement>,
}

impl Function {
    /// Returns the name of a value, without its sign.
    ///
    /// # Panics
    /// The value is one of another function.
    #[must_use]
    pub fn name(&self, value: ValueId) -> &str {
        &self.names[value.0]
    }

    /// Returns what the launcher binds a parameter to, by its type and name (SDSC bundle specification, section 2.3); `None` for
    /// a name that says neither.
    #[must_use]
    pub fn role(&self, param: &Param) -> Option<Role> {
        if param.bounds.is_size() {
            return Some(Role::Size);
        }
        let stem = self.name(param.value).strip_suffix("_base_addr")?;
        match stem.strip_prefix("arg_") {
            Some(number) => number.parse().ok().map(Role::Argument),
            None => (stem == "pool").then_some(Role::Pool),
        }
    }
}

/// The thing that the launcher binds a parameter to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The address of a kernel argument.
    Argument(u32),
    /// The address of the pool.
    Pool,
    /// A runtime size.
    Size,
}

/// A parameter of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its value.
    pub value: ValueId,
    /// The bounds that the runtime promises of a size.
    pub bounds: Bounds,
}

/// The bounds that the type of a parameter has for its value. Both are absent for addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The value is a multiple of this.
    pub granularity: Option<i64>,
    /// The largest value.
    pub max_value: Option<i64>,
}

impl Bounds {
    /// Returns whether the parameter is a runtime size. Addresses have no bounds.
    #[must_use]
    pub fn is_size(self) -> bool {
        self.granularity.is_some() || self.max_value.is_some()
    }
}

/// A field of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The value itself.
    Value,
    /// Its granularity.
    Granularity,
    /// Its largest value.
    MaxValue,
}

/// Arithmetic on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `arith.addi`.
    Add,
    /// `arith.subi`.
    Subtract,
    /// `arith.muli`.
    Multiply,
}

/// A linear form over operands: those of dimensions, then those of symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// The number that is added to the terms.
    pub constant: i64,
    /// The factor of each operand.
    pub factors: Vec<i64>,
}

/// A statement with its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The place where it starts.
    pub place: Place,
    /// Its action.
    pub kind: StatementKind,
}

/// The action of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `arith.constant`.
    Constant {
        /// The value that is defined.
        result: ValueId,
        /// The number.
        value: i64,
    },
    /// `arith.addi` and its like.
    Arithmetic {
        /// The value that is defined.
        result: ValueId,
        /// The operation.
        kind: Arithmetic,
        /// The left operand.
        lhs: ValueId,
        /// The right operand.
        rhs: ValueId,
    },
    /// `affine.apply`.
    Apply {
        /// The value that is defined.
        result: ValueId,
        /// The map.
        map: Linear,
        /// Its operands.
        operands: Vec<ValueId>,
    },
    /// `sdscbundle.input_arg_extract`.
    Extract {
        /// The value that is defined.
        result: ValueId,
        /// The parameter's position.
        param: usize,
        /// The field that is read.
        field: Field,
    },
    /// `sdscbundle.device_mem_allocate`.
    Allocate {
        /// The value that is defined: the address.
        result: ValueId,
        /// Its bytes.
        bytes: u64,
    },
    /// `scf.for`.
    For {
        /// The induction variable.
        iv: ValueId,
        /// The first value.
        lower: ValueId,
        /// The end, which it does not reach.
        upper: ValueId,
        /// The distance between values.
        step: ValueId,
        /// The statements inside.
        body: Vec<Statement>,
    },
    /// `sdscbundle.sdsc_execute`.
    Execute {
        /// The name of the file.
        file: String,
        /// Symbols and the values bound to them.
        symbols: Vec<(i64, ValueId)>,
    },
}
