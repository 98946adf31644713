//! The contents of `bundle.mlir`: the function of a bundle, with its names resolved, and the other operations.
//!
//! Every value has a number, its [`ValueId`], and a place where it is defined. The location of a statement is the name of its
//! operation, as in MLIR. A map is a linear form; a nonlinear map is kept as its error, for a reader that does not need it.

use crate::error::{Place, TextError};

/// An SSA value: its position in [`Function::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(pub(crate) usize);

impl ValueId {
    /// Returns the position of the value in [`Function::values`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// The definition of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The name, without the sign.
    pub name: String,
    /// The place of the name where it is defined.
    pub place: Place,
}

/// The text of `bundle.mlir`.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The place where it starts, after the named maps.
    pub place: Place,
    /// The maps that have names, in order.
    pub maps: Vec<NamedMap>,
    /// The function `@sdsc_bundle`.
    pub function: Option<Function>,
    /// Operations next to the function. A bundle has none.
    pub others: Vec<Other>,
}

impl Module {
    /// Returns the function of a bundle that can run.
    ///
    /// # Errors
    /// There is no function, or another operation next to it, or a map that is not linear.
    pub fn into_function(self) -> Result<Function, TextError> {
        if let Some(other) = self.others.into_iter().next() {
            return Err(other.error);
        }
        let missing = || TextError::new(self.place, "there is no function @sdsc_bundle");
        let function = self.function.ok_or_else(missing)?;
        check_linear(&function.body)?;
        Ok(function)
    }
}

fn check_linear(statements: &[Statement]) -> Result<(), TextError> {
    statements
        .iter()
        .try_for_each(|statement| match &statement.kind {
            StatementKind::Apply { map, .. } => map.form.as_ref().map(drop).map_err(Clone::clone),
            StatementKind::For { body, .. } => check_linear(body),
            _ => Ok(()),
        })
}

/// A map that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedMap {
    /// The name, without the sign.
    pub name: String,
    /// The place of the definition.
    pub place: Place,
    /// The map.
    pub map: Map,
    /// The number of places that name the map, without its definition.
    pub uses: usize,
}

/// An operation next to the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The place of the operation.
    pub place: Place,
    /// The error of a reader who needs the function alone.
    pub error: TextError,
}

/// An affine map with one result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The number of its dimensions.
    pub dims: usize,
    /// The number of its symbols.
    pub symbols: usize,
    /// The result, or the reason why the result is not linear.
    pub form: Result<Linear, TextError>,
}

/// `func.func @sdsc_bundle` (SDSC bundle specification, section 2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// The place of the operation.
    pub place: Place,
    /// Every value.
    pub values: Vec<Value>,
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// The statements.
    pub body: Vec<Statement>,
}

impl Function {
    /// Returns the name of a value, without its sign.
    ///
    /// # Panics
    /// The value belongs to another function.
    #[must_use]
    pub fn name(&self, value: ValueId) -> &str {
        &self.values[value.0].name
    }

    /// Returns the value that the launcher binds to a parameter, by its type and name (SDSC bundle specification,
    /// section 2.3); `None` if neither determines it.
    #[must_use]
    pub fn role(&self, param: &Param) -> Option<Role> {
        if param.bounds.is_size() {
            return Some(Role::Size);
        }
        match ParamName::parse(self.name(param.value))? {
            ParamName::Tensor(number) => number.try_into().ok().map(Role::Argument),
            ParamName::Pool => Some(Role::Pool),
            ParamName::Size(..) | ParamName::LoopSize(_) => None,
        }
    }
}

/// The meaning of a parameter's name, in the order of parameters (SDSC bundle specification, section 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamName<'t> {
    /// The pool, if the front end allocates it.
    Pool,
    /// A tensor of the kernel.
    Tensor(u64),
    /// A size, by the operation that first needs it and its position there.
    Size(u64, u64),
    /// A size that bounds loops.
    LoopSize(&'t str),
}

impl<'t> ParamName<'t> {
    /// Returns the parsed name of a parameter; `None` if it is no known form.
    #[must_use]
    pub fn parse(name: &'t str) -> Option<Self> {
        if let Some(stem) = name.strip_suffix("_base_addr") {
            return match stem.strip_prefix("arg_") {
                Some(number) => number.parse().ok().map(Self::Tensor),
                None => (stem == "pool").then_some(Self::Pool),
            };
        }
        let stem = name.strip_suffix("_base")?;
        if let Some(size) = stem.strip_prefix("dim_") {
            return (!size.is_empty()).then_some(Self::LoopSize(size));
        }
        let (op, ordinal) = stem.strip_prefix("sym_")?.split_once('_')?;
        Some(Self::Size(op.parse().ok()?, ordinal.parse().ok()?))
    }
}

/// The value that the launcher binds a parameter to.
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
    /// The value.
    pub value: ValueId,
    /// Whether its type is `index`: it is read as it is, and not by `input_arg_extract`.
    pub is_index: bool,
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
    /// Returns a field of the type; `None` if the type does not have it.
    #[must_use]
    pub fn get(self, field: Field) -> Option<i64> {
        match field {
            Field::Value => None,
            Field::Granularity => self.granularity,
            Field::MaxValue => self.max_value,
        }
    }

    /// Returns whether a runtime size satisfies the bounds. Absent bounds admit every size.
    #[must_use]
    pub fn admit(self, size: i64) -> bool {
        let is_multiple = size % self.granularity.unwrap_or(1) == 0;
        size > 0 && size <= self.max_value.unwrap_or(i64::MAX) && is_multiple
    }

    /// Returns whether the parameter is a runtime size. Addresses have no bounds.
    #[must_use]
    pub fn is_size(self) -> bool {
        self.granularity.is_some() || self.max_value.is_some()
    }
}

/// A field of a parameter, as the function reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The value itself.
    Value,
    /// The granularity of the value.
    Granularity,
    /// The largest value that is allowed.
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

/// A linear form over operands: dimensions, then symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Linear {
    /// The number that is added to the terms.
    pub constant: i64,
    /// The factor of each operand.
    pub factors: Vec<i64>,
}

/// A statement with its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The place of the operation's name.
    pub place: Place,
    /// The action.
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
        map: Map,
        /// The operands.
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
        /// The bytes.
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
