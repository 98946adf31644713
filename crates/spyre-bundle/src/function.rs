//! Reads a bundle's function.
//!
//! The file format has four ways to compute an index: a constant, a sum, a base moved by multiples of induction variables or
//! sizes, and the value of a parameter. IR has more: canonicalization folds constants into maps and composes maps. So the map of
//! every `affine.apply` is read as a sum of multiples of its operands, and written in the ways of the format. A value
//! that is no such sum is rejected where an execute binds it. A loop without executes has no form in the format, and is
//! left out.

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::bundle::{ALLOCATE, EXECUTE, EXTRACT};
use spyre_dialects::input_arg::input_arg_bounds;
use spyre_dialects::op_spec::{self, SIZE};
use spyre_mlir_rt::affine::{self, LinearForm};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_sdsc::Bytes;
use spyre_sdsc::bundle::{
    AffineMap, InputArgType, StatedFunction, StatedParam, Stmt, SymbolId, ValueId,
};
use spyre_sdsc::model::DimBounds;

/// Returns the function of a bundle. Its operations have been checked to have a form in files.
///
/// # Errors
/// A parameter of another type, or an execute with an operand that is not affine in the loops.
pub(crate) fn stated<'p>(op: Op<'p>, body: Blk<'p>) -> Result<StatedFunction, Diagnostic<'p>> {
    let mut reader = Reader {
        function: StatedFunction::default(),
        values: FxHashMap::default(),
        maps: FxHashMap::default(),
        executes: 0,
    };
    for number in 0..body.argument_count() {
        let argument = body.argument(number).expect("a block has its arguments");
        let ty = param_type(op, number, argument.into())?;
        let size = ir::argument_attribute(op, number, SIZE).and_then(op_spec::size);
        let value = reader.new_value();
        reader.define(argument.into(), value);
        reader.function.params.push(StatedParam { value, ty, size });
    }
    reader.function.body = reader.block(body)?;
    Ok(reader.function)
}

/// Returns the type of a parameter.
fn param_type<'p>(
    function: Op<'p>,
    number: usize,
    argument: Val<'p>,
) -> Result<InputArgType, Diagnostic<'p>> {
    let bounds = match input_arg_bounds(argument.r#type()) {
        Some((None, None)) => None,
        Some((Some(granularity), Some(max))) => Some(DimBounds {
            granularity: positive(granularity),
            max: positive(max),
        }),
        Some(_) | None => {
            let message = format!(
                "parameter {number} of the bundle has type {}, but a parameter is an !sdscbundle.input_arg, with both \
                 bounds or none",
                argument.r#type()
            );
            return Err(Diagnostic::error(function.location(), message));
        }
    };
    Ok(InputArgType { bounds })
}

fn positive(bound: i64) -> u64 {
    u64::try_from(bound).expect("the verifier wants positive bounds")
}

/// An index: a constant, and multiples of the operands of a map, by their number.
#[derive(Clone, Default)]
struct Form {
    constant: i64,
    terms: Vec<(usize, i64)>,
}

impl LinearForm for Form {
    fn add(&self, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant)?;
        for &(operand, factor) in &other.terms {
            match sum
                .terms
                .iter_mut()
                .find(|(term_operand, _)| *term_operand == operand)
            {
                Some((_, coefficient)) => *coefficient = coefficient.checked_add(factor)?,
                None => sum.terms.push((operand, factor)),
            }
        }
        Some(sum)
    }

    fn scale(&self, factor: i64) -> Option<Self> {
        let terms = self.terms.iter();
        let terms =
            terms.map(|(operand, coefficient)| Some((*operand, coefficient.checked_mul(factor)?)));
        Some(Self {
            constant: self.constant.checked_mul(factor)?,
            terms: terms.collect::<Option<_>>()?,
        })
    }

    fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

struct Reader {
    function: StatedFunction,
    /// The number of each value that has a form in the format, by [`ir::value_key`]. No operation is erased while the
    /// table lives.
    values: FxHashMap<ir::ValueKey, ValueId>,
    maps: FxHashMap<AffineMap, usize>,
    /// The number of executes that were read.
    executes: usize,
}

impl Reader {
    fn new_value(&mut self) -> ValueId {
        let number = u32::try_from(self.function.values);
        self.function.values += 1;
        ValueId::new(number.expect("a function has fewer than 2^32 values"))
    }

    fn define(&mut self, value: Val<'_>, id: ValueId) {
        self.values.insert(ir::value_key(value), id);
    }

    fn value(&self, value: Val<'_>) -> Option<ValueId> {
        self.values.get(&ir::value_key(value)).copied()
    }

    fn block<'p>(&mut self, block: Blk<'p>) -> Result<Vec<Stmt>, Diagnostic<'p>> {
        let mut statements = Vec::new();
        for op in ir::operations(block) {
            match ir::kind(op) {
                OpKind::For => {
                    let before = (
                        self.executes,
                        self.function.values,
                        self.function.maps.len(),
                    );
                    let statement = self.loop_of(op)?;
                    if self.executes > before.0 {
                        statements.push(statement);
                    } else {
                        self.function.values = before.1;
                        self.function.maps.truncate(before.2);
                        self.maps.retain(|_, number| *number < before.2);
                    }
                }
                OpKind::ConstantIndex => {
                    if let Ok(value) = u64::try_from(ir::constant_index(op)) {
                        let result = self.new_value();
                        statements.push(Stmt::Constant { result, value });
                        self.define(result_of(op), result);
                    }
                }
                OpKind::AddIndex => {
                    let operands: Vec<_> = op
                        .operands()
                        .filter_map(|value| self.value(value))
                        .collect();
                    if let [lhs, rhs] = operands[..] {
                        let result = self.new_value();
                        statements.push(Stmt::AddI { result, lhs, rhs });
                        self.define(result_of(op), result);
                    }
                }
                OpKind::AffineApply => {
                    if let Some(value) = self.apply(op, &mut statements) {
                        self.define(result_of(op), value);
                    }
                }
                _ => match ir::name(op) {
                    EXECUTE => statements.push(self.execute(op)?),
                    ALLOCATE => {
                        let result = self.new_value();
                        let size = Bytes(crate::allocated(op));
                        statements.push(Stmt::DeviceMemAllocate { result, size });
                        self.define(result_of(op), result);
                    }
                    EXTRACT => self.extract(op, &mut statements),
                    // The ends of blocks.
                    _ => {}
                },
            }
        }
        Ok(statements)
    }

    fn loop_of<'p>(&mut self, op: Op<'p>) -> Result<Stmt, Diagnostic<'p>> {
        let bound = |number: usize| {
            let bound = op.operand(number).ok();
            let bound = bound.and_then(|bound| self.value(bound));
            bound.expect("bounds of loops were checked to be constants or sizes")
        };
        let (lower, upper, step) = (bound(0), bound(1), bound(2));
        let iv = self.new_value();
        let body = ir::body(op).expect("a loop has a body");
        let variable = body.argument(0).expect("a loop has an induction variable");
        self.define(variable.into(), iv);
        Ok(Stmt::For {
            iv,
            lower,
            upper,
            step,
            body: self.block(body)?,
        })
    }

    /// Appends the extraction of a parameter's value. The value of another operand has no form.
    fn extract(&mut self, op: Op<'_>, statements: &mut Vec<Stmt>) {
        let field = ir::attribute(op, "field").and_then(attr::string);
        let param = op.operand(0).ok().and_then(|param| self.value(param));
        // Parameters are the first values.
        let param = param.and_then(|param| self.function.params.get(param.index()));
        let is_value = field.as_deref() == Some("value");
        if let Some(param) = param.filter(|_| is_value) {
            let (param, ty) = (param.value, param.ty);
            let result = self.new_value();
            statements.push(Stmt::InputArgExtract { result, param, ty });
            self.define(result_of(op), result);
        }
    }

    /// Appends the statements that compute an `affine.apply`, and returns its value; `None` if it has no form.
    fn apply(&mut self, op: Op<'_>, statements: &mut Vec<Stmt>) -> Option<ValueId> {
        let map = ir::affine_map(op)?;
        let operands: Vec<_> = op.operands().map(|value| self.value(value)).collect();
        let terms: Vec<Form> = (0..operands.len())
            .map(|operand| Form {
                constant: 0,
                terms: vec![(operand, 1)],
            })
            .collect();
        let constant = |constant| Form {
            constant,
            terms: Vec::new(),
        };
        let mut form = affine::evaluate(map.result(0).ok()?, &terms, map.dim_count(), &constant)?;
        form.terms.retain(|(_, factor)| *factor != 0);
        form.terms.sort_unstable();
        // The base is a symbol, where there is one.
        let base = form.terms.iter().rposition(|(_, factor)| *factor == 1);
        let base = base.map(|position| form.terms.remove(position).0);
        let base = match base {
            Some(operand) => Some(operands[operand]?),
            None => None,
        };
        let mut strides = Vec::with_capacity(form.terms.len());
        let mut ivs = Vec::with_capacity(form.terms.len());
        for (operand, factor) in form.terms {
            strides.push(Bytes(u64::try_from(factor).ok()?));
            ivs.push(operands[operand]?);
        }
        let base = match (base, u64::try_from(form.constant).ok()?) {
            (Some(base), 0) => base,
            (base, value) => {
                let constant = self.new_value();
                statements.push(Stmt::Constant {
                    result: constant,
                    value,
                });
                match base {
                    None => constant,
                    Some(lhs) => {
                        let (result, rhs) = (self.new_value(), constant);
                        statements.push(Stmt::AddI { result, lhs, rhs });
                        result
                    }
                }
            }
        };
        if ivs.is_empty() {
            return Some(base);
        }
        let map = self.map_number(AffineMap { strides });
        let result = self.new_value();
        statements.push(Stmt::Apply {
            result,
            map,
            ivs: ivs.into(),
            base,
        });
        Some(result)
    }

    fn map_number(&mut self, map: AffineMap) -> usize {
        let next = self.function.maps.len();
        let number = *self.maps.entry(map.clone()).or_insert(next);
        if number == next {
            self.function.maps.push(map);
        }
        number
    }

    fn execute<'p>(&mut self, op: Op<'p>) -> Result<Stmt, Diagnostic<'p>> {
        let ids = ir::attribute(op, "symbol_ids").map(attr::elements);
        let ids = ids.expect("the verifier wants symbols");
        assert_eq!(
            op.operand_count(),
            ids.len(),
            "the verifier wants a symbol for each operand"
        );
        let mut operands = Vec::with_capacity(ids.len());
        let mut symbol_ids = Vec::with_capacity(ids.len());
        for (number, (value, id)) in op.operands().zip(ids).enumerate() {
            let id = attr::integer(id).and_then(SymbolId::from_number);
            symbol_ids.push(id.expect("the verifier wants negative numbers of symbols"));
            operands.push(self.value(value).ok_or_else(|| {
                let message = format!("operand {number} is not a base plus steps of the loops");
                Diagnostic::error(op.location(), message)
            })?);
        }
        self.executes += 1;
        Ok(Stmt::Execute {
            operands: operands.into(),
            filename: crate::file(op),
            symbol_ids: symbol_ids.into(),
        })
    }
}

/// Returns the only result of an operation.
fn result_of<'p>(op: Op<'p>) -> Val<'p> {
    op.result(0).expect("the operation has a result").into()
}
