//! The tree of OpSpecs of a bundle's files, for bundles that come without their tree.
//!
//! A file describes less than its OpSpec: names of symbols, dimensions of extent 1 and sticks that no element is in are
//! lost. So the tree here is one that gives the files, and not always the one that gave them. It is compiled, and
//! refused unless every operation, loop and address of the result is that of the files. Forms that are not read back
//! are refused by their name.

mod operation;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use spyre_bundle_files::{
    Arithmetic, Field, Files, InMemory, Place, Role, Statement, StatementKind, ValueId,
};
use spyre_layout::Bytes;
use spyre_sdsc::source::{SourceOptions, pool_size};
use spyre_sdsc::{LoopSpec, Node, compile_bundle};
use spyre_sim::{Bundle, ReadError};
use thiserror::Error;

use operation::op_spec;

/// The reason why files have no tree.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpSpecError {
    /// The files cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file that is not the JSON of an operation.
    #[error("{file}: {reason}")]
    Text {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// An operation of a form that is not read back.
    #[error("{file}: {form} is not read back from files")]
    Form {
        /// The file.
        file: String,
        /// The form.
        form: &'static str,
    },
    /// A statement of the function of a form that is not read back.
    #[error("bundle.mlir:{place}: {form} is not read back from files")]
    Statement {
        /// The place.
        place: Place,
        /// The form.
        form: &'static str,
    },
    /// The tree that was found has no bundle.
    #[error("the tree that was found is refused: {0}")]
    Compile(#[from] spyre_sdsc::Error),
    /// The files of the tree that was found cannot be written.
    #[error("the files of the tree that was found: {0}")]
    Write(#[from] std::io::Error),
    /// The tree that was found gives another bundle.
    #[error("{file}: no OpSpec was found that gives this file: {difference} differ")]
    Differs {
        /// The file.
        file: String,
        /// The parts that differ.
        difference: &'static str,
    },
}

impl OpSpecError {
    /// Returns the error as compilers write it, `place: error: reason`, for the bundle in a directory.
    #[must_use]
    pub fn located(&self, directory: &Path) -> String {
        let in_file = |file: &str, reason: &dyn Display| {
            format!("{}: error: {reason}", directory.join(file).display())
        };
        match self {
            // The files of a directory have its path already.
            Self::Read(err) => format!("{}: error: {}", err.place(), err.reason()),
            Self::Text { file, reason } => in_file(file, reason),
            Self::Form { file, form } => {
                in_file(file, &format_args!("{form} is not read back from files"))
            }
            Self::Statement { place, form } => in_file(
                &format!("bundle.mlir:{place}"),
                &format_args!("{form} is not read back from files"),
            ),
            Self::Differs { file, difference } => in_file(
                file,
                &format_args!("no OpSpec was found that gives this file: {difference} differ"),
            ),
            Self::Compile(_) | Self::Write(_) => {
                format!("{}: error: {self}", directory.display())
            }
        }
    }
}

/// Returns a tree of OpSpecs that compiles to the files of a bundle, and the options for them.
///
/// # Errors
/// [`OpSpecError`]
pub fn op_specs(files: &dyn Files) -> Result<(Vec<Node>, SourceOptions), OpSpecError> {
    let bundle = Bundle::from_files(files)?;
    let (nodes, executions, pool) = Walk::nodes(&bundle, files)?;
    let needed = pool_size(&nodes);
    let options = SourceOptions {
        pool_size: pool.bytes.filter(|bytes| *bytes != needed),
        caller_allocates_pool: pool.is_caller,
        share_files: is_shared(&executions),
        cores_in_order: false,
    };
    let compiled = compile_bundle(&nodes, &options.bundle_options(&nodes))?;
    let again_files = InMemory::collect("", compiled.files())?;
    let again = Bundle::from_files(&again_files)?;
    check(&bundle, &executions, &again, &again_files)?;
    Ok((nodes, options))
}

/// Checks that a bundle that was compiled again has the operations and the addresses of the first one.
fn check(
    bundle: &Bundle,
    executions: &[Execution],
    again: &Bundle,
    again_files: &InMemory,
) -> Result<(), OpSpecError> {
    let (_, again_executions, _) = Walk::nodes(again, again_files)?;
    let differs = |file: &str, difference| OpSpecError::Differs {
        file: file.to_owned(),
        difference,
    };
    for (one, other) in executions.iter().zip(&again_executions) {
        if one.file != other.file {
            return Err(differs(&one.file, "the files"));
        }
        if bundle.operation(&one.file) != again.operation(&one.file) {
            return Err(differs(&one.file, "the operations"));
        }
        if one != other {
            return Err(differs(&one.file, "the loops or the addresses"));
        }
    }
    match executions.len() == again_executions.len() {
        true => Ok(()),
        false => Err(differs("bundle.mlir", "the executions")),
    }
}

fn is_shared(executions: &[Execution]) -> bool {
    let mut names: Vec<&str> = executions.iter().map(|it| it.file.as_str()).collect();
    names.sort_unstable();
    names.array_windows().any(|[one, other]| one == other)
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// None: the value is a number.
    Number,
    /// A kernel argument.
    Argument(u32),
    /// The pool.
    Pool,
    /// A runtime size.
    Size,
}

/// A value of the function: a base, a number, and the number that is added for each iteration of each loop around.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Value {
    base: Base,
    number: i64,
    /// By the depth of the loop, outermost 0; without zeros.
    steps: BTreeMap<usize, i64>,
}

/// An execution of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Execution {
    file: String,
    /// The iterations of each loop around, outermost first.
    counts: Vec<i64>,
    /// The values by their symbols.
    symbols: BTreeMap<i64, Value>,
}

/// The pool of a bundle.
#[derive(Clone, Copy, Debug, Default)]
struct Pool {
    /// Its size, where the function allocates it.
    bytes: Option<Bytes>,
    /// Whether the caller allocates it.
    is_caller: bool,
}

impl Value {
    const fn number(number: i64) -> Self {
        Self {
            base: Base::Number,
            number,
            steps: BTreeMap::new(),
        }
    }

    const fn at(base: Base) -> Self {
        Self {
            base,
            number: 0,
            steps: BTreeMap::new(),
        }
    }

    /// Returns the value plus a number of times another one; `None` for a sum of bases, and for numbers beyond 64 bits.
    fn plus(mut self, other: &Self, times: i64) -> Option<Self> {
        self.base = match (self.base, other.base) {
            (base, Base::Number) => base,
            (Base::Number, base) if times == 1 => base,
            _ => return None,
        };
        self.number = self.number.checked_add(other.number.checked_mul(times)?)?;
        for (depth, step) in &other.steps {
            let sum = self.steps.entry(*depth).or_default();
            *sum = sum.checked_add(step.checked_mul(times)?)?;
        }
        self.steps.retain(|_, step| *step != 0);
        Some(self)
    }

    /// Returns the number; `None` for an address and for a value that changes.
    fn as_number(&self) -> Option<i64> {
        let is_number = self.base == Base::Number && self.steps.is_empty();
        is_number.then_some(self.number)
    }
}

struct Walk<'b> {
    bundle: &'b Bundle,
    files: &'b dyn Files,
    values: Vec<Value>,
    /// The iterations of each loop around the statement, outermost first.
    counts: Vec<i64>,
    executions: Vec<Execution>,
    pool: Pool,
}

impl<'b> Walk<'b> {
    /// Returns the tree of a bundle, its executions in order, and its pool.
    fn nodes(
        bundle: &'b Bundle,
        files: &'b dyn Files,
    ) -> Result<(Vec<Node>, Vec<Execution>, Pool), OpSpecError> {
        let function = bundle.function();
        let mut walk = Self {
            bundle,
            files,
            values: vec![Value::number(0); function.values.len()],
            counts: Vec::new(),
            executions: Vec::new(),
            pool: Pool::default(),
        };
        for param in &function.params {
            let base = match function.role(param) {
                Some(Role::Argument(number)) => Base::Argument(number),
                Some(Role::Pool) => {
                    walk.pool.is_caller = true;
                    Base::Pool
                }
                Some(Role::Size) | None => Base::Size,
            };
            walk.set(param.value, Value::at(base));
        }
        let nodes = walk.statements(&function.body)?;
        Ok((nodes, walk.executions, walk.pool))
    }

    fn get(&self, value: ValueId) -> &Value {
        &self.values[value.index()]
    }

    fn set(&mut self, value: ValueId, to: Value) {
        self.values[value.index()] = to;
    }

    fn statements(&mut self, statements: &'b [Statement]) -> Result<Vec<Node>, OpSpecError> {
        let mut nodes = Vec::new();
        for statement in statements {
            nodes.extend(self.statement(statement)?);
        }
        Ok(nodes)
    }

    /// Returns the node of a loop or an execution, and `None` for a statement that defines a value.
    fn statement(&mut self, statement: &'b Statement) -> Result<Option<Node>, OpSpecError> {
        match &statement.kind {
            StatementKind::For {
                iv,
                lower,
                upper,
                step,
                body,
            } => {
                let bounds = [*lower, *upper, *step].map(|value| self.get(value).as_number());
                let [Some(0), Some(end), Some(step @ 1..)] = bounds else {
                    let form = "a loop over a runtime size, or not from 0,";
                    let place = statement.place;
                    return Err(OpSpecError::Statement { place, form });
                };
                let count = end / step + i64::from(end % step > 0);
                let mut value = Value::number(0);
                value.steps.insert(self.counts.len(), step);
                self.set(*iv, value);
                self.counts.push(count);
                let body = self.statements(body)?;
                self.counts.pop();
                Ok(Some(LoopSpec::new(count, body).into()))
            }
            StatementKind::Execute { file, symbols } => {
                let symbols = symbols.iter();
                let execution = Execution {
                    file: file.clone(),
                    counts: self.counts.clone(),
                    symbols: symbols
                        .map(|(symbol, value)| (*symbol, self.get(*value).clone()))
                        .collect(),
                };
                let node = op_spec(self.bundle, self.files, &execution)?;
                self.executions.push(execution);
                Ok(Some(node.into()))
            }
            kind => {
                let value = self.value(kind);
                let (result, value) = value.map_err(|form| OpSpecError::Statement {
                    place: statement.place,
                    form,
                })?;
                self.set(result, value);
                Ok(None)
            }
        }
    }

    /// Returns the value that a statement defines, or the form of a statement that is not read back.
    fn value(&mut self, kind: &StatementKind) -> Result<(ValueId, Value), &'static str> {
        match kind {
            StatementKind::Constant { result, value } => Ok((*result, Value::number(*value))),
            StatementKind::Arithmetic {
                result,
                kind,
                lhs,
                rhs,
            } => {
                let (lhs, rhs) = (self.get(*lhs).clone(), self.get(*rhs));
                let value = match kind {
                    Arithmetic::Add => lhs.plus(rhs, 1),
                    Arithmetic::Subtract => lhs.plus(rhs, -1),
                    Arithmetic::Multiply => rhs
                        .as_number()
                        .and_then(|times| Value::number(0).plus(&lhs, times)),
                };
                Ok((*result, value.ok_or("this arithmetic")?))
            }
            StatementKind::Apply {
                result,
                map,
                operands,
            } => {
                let form = map.form.as_ref();
                let form = form.expect("a bundle is read with linear maps");
                let mut sum = Some(Value::number(form.constant));
                for (operand, factor) in operands.iter().zip(&form.factors) {
                    sum = sum.and_then(|sum| sum.plus(self.get(*operand), *factor));
                }
                Ok((*result, sum.ok_or("this map")?))
            }
            StatementKind::Extract {
                result,
                param,
                field: Field::Value,
            } => {
                let param = self.bundle.function().params[*param];
                Ok((*result, self.get(param.value).clone()))
            }
            StatementKind::Extract { .. } => Err("a bound of a runtime size"),
            StatementKind::Allocate { result, bytes } => {
                self.pool.bytes = Some(Bytes(*bytes));
                Ok((*result, Value::at(Base::Pool)))
            }
            StatementKind::For { .. } | StatementKind::Execute { .. } => {
                unreachable!("loops and executions define no value")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use spyre_layout::Bytes;
    use spyre_sdsc::bundle::BundleOptions;
    use spyre_sdsc::{Allocation, DeviceFormat, Expr, OpSpec, TensorArg};

    use super::*;

    /// The bytes of the pool: a matrix of 128 rows of 256 elements.
    const POOL: u64 = 128 * 256 * 2;

    /// A matrix with the columns on the stick.
    fn matrix([row, column]: [&str; 2], rows: u64, columns: u64, place: Allocation) -> TensorArg {
        let coordinates = vec![
            Expr::symbol(column).floor_div(64),
            Expr::symbol(row),
            Expr::symbol(column).modulo(64),
        ];
        let size = vec![columns.div_ceil(64), rows, 64];
        TensorArg::new(DeviceFormat::Sen169Fp16, size, coordinates, place)
    }

    fn files(nodes: &[Node]) -> InMemory {
        let options = BundleOptions {
            pool_size: Bytes(POOL),
            ..BundleOptions::default()
        };
        let bundle = compile_bundle(nodes, &options);
        let bundle = bundle.unwrap_or_else(|err| panic!("{err}"));
        InMemory::collect("", bundle.files()).expect("files")
    }

    /// Checks that the tree of the files of a tree gives the same files.
    fn round_trip(nodes: &[Node]) {
        let first = files(nodes);
        let (found, options) = op_specs(&first).unwrap_or_else(|err| panic!("{err}"));
        let second = compile_bundle(&found, &options.bundle_options(&found)).expect("a tree");
        for (name, contents) in second.files() {
            let contents = String::from_utf8(contents.expect("a file")).expect("text");
            assert_eq!(
                contents,
                first.text(&name).expect("the same names"),
                "{name}"
            );
        }
    }

    fn argument(number: u32) -> Allocation {
        Allocation::argument(number)
    }

    #[test]
    fn loops_places_and_constants_are_read_back() {
        let tile = |place| matrix(["c0", "c1"], 64, 128, place);
        let whole = |place| matrix(["c0", "c1"], 256, 128, place).advancing(advance());
        let space = |op: OpSpec| {
            let op = op.with_dim("c0", Expr::int(64), 8);
            op.with_dim("c1", Expr::int(128), 1)
                .with_tiled_level(["t".into()])
                .with_trip_count("t", 4)
        };
        let exp = space(OpSpec::pointwise("exp"))
            .with_input(whole(argument(0)))
            .with_output(tile(Allocation::lx(0)));
        let softplus = space(OpSpec::pointwise("softplus"))
            .with_input(tile(Allocation::lx(0)))
            .with_output(whole(argument(1)))
            .with_constant("softplusBeta", 2.0)
            .with_constant("softplusThresh", 16.0);
        let body = vec![exp.into(), softplus.into()];
        round_trip(&[LoopSpec::new(4, body).into()]);
    }

    fn advance() -> Expr {
        Expr::int(4096) * Expr::symbol("t")
    }

    #[test]
    fn reductions_products_and_the_pool_are_read_back() {
        let product = OpSpec::reduction("batchmatmul")
            .with_dim("c0", Expr::int(128), 32)
            .with_dim("c1", Expr::int(256), 1)
            .with_dim("c2", Expr::int(64), 1)
            .with_input(matrix(["c0", "c2"], 128, 64, argument(0)))
            .with_input(matrix(["c2", "c1"], 64, 256, argument(1)))
            .with_output(matrix(["c0", "c1"], 128, 256, Allocation::pool(0)));
        let sum = OpSpec::reduction("sum")
            .with_dim("c1", Expr::int(256), 4)
            .with_dim("c0", Expr::int(128), 1)
            .with_input(matrix(["c0", "c1"], 128, 256, Allocation::pool(0)))
            .with_output(matrix_row(256, argument(2)));
        round_trip(&[product.into(), sum.into()]);
    }

    /// A row on sticks of `c1`.
    fn matrix_row(columns: u64, place: Allocation) -> TensorArg {
        let coordinates = vec![
            Expr::symbol("c1").floor_div(64),
            Expr::symbol("c1").modulo(64),
        ];
        TensorArg::new(
            DeviceFormat::Sen169Fp16,
            vec![columns.div_ceil(64), 64],
            coordinates,
            place,
        )
    }

    #[test]
    fn another_form_is_refused_by_its_name() {
        let mut indices = TensorArg::new(
            DeviceFormat::IeeeInt32,
            vec![2, 32],
            vec![
                Expr::symbol("c0").floor_div(32),
                Expr::symbol("c0").modulo(32),
            ],
            argument(0),
        );
        indices.name = Some("rows".into());
        let mut table = matrix(["c0", "c1"], 40, 128, argument(1));
        table.device_coordinates[1] = Expr::indirect_access("rows");
        let gather = OpSpec::pointwise("identity")
            .with_dim("c0", Expr::int(64), 1)
            .with_dim("c1", Expr::int(128), 1)
            .with_input(indices)
            .with_input(table)
            .with_output(matrix(["c0", "c1"], 64, 128, argument(2)));
        let err = op_specs(&files(&[gather.into()])).expect_err("a gather");
        assert_eq!(
            err.to_string(),
            "sdsc_0.json: a gather is not read back from files"
        );
    }
}
