//! The body of a structured operation as device operations: one for each operation on elements.
//!
//! An element becomes a tensor with one dimension for each loop, of extent 1 where the element is the same along the loop.
//! So a row that is added to a matrix stays a row, and a number a tensor of one element.

use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::access::{Coordinate, LoopId};
use spyre_construct::build::{Build, element_of, is_truth, ones};
use spyre_mlir_rt::affine::LinearForm as _;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{CmpIPredicate, arith, linalg, math, spyre, tensor};
use spyre_ops::Decomposed;

use super::index::{self, cut, resized, resized_constant, width as integer_width};
use super::nest::Nest;
use super::shift::{self, Shift};
use super::{bounds, gather, truth, view};

/// An element of the body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Element<'p> {
    /// The value differs from iteration to iteration: a tensor with a dimension for each loop, of extent 1 where the
    /// value does not depend on the loop.
    Tensor(Val<'p>),
    /// The value is the same number in all iterations.
    Constant(Attribute<'p>),
    /// The value is the index of a loop.
    Index(LoopId),
}

/// The elements of a body that were requested.
pub(crate) struct Elements<'a, 'p> {
    pub build: Build<'p>,
    nest: &'a Nest<'p>,
    elements: FxHashMap<ir::ValueKey, Element<'p>>,
}

impl<'a, 'p> Elements<'a, 'p> {
    /// Returns the elements of a nest, none of them built.
    pub(crate) fn new(build: Build<'p>, nest: &'a Nest<'p>) -> Self {
        Self {
            build,
            nest,
            elements: FxHashMap::default(),
        }
    }

    /// Returns the number of loops, which is the rank of every tensor here.
    pub(crate) fn rank(&self) -> usize {
        self.nest.extents.len()
    }

    /// Returns an element of the body, and builds the operations that it needs.
    ///
    /// # Errors
    /// The reason why the device has no operation for it.
    pub(crate) fn get(&mut self, value: Val<'p>) -> Result<Element<'p>, String> {
        let key = ir::value_key(value);
        if let Some(element) = self.elements.get(&key) {
            return Ok(*element);
        }
        let element = self.make(value)?;
        self.elements.insert(key, element);
        Ok(element)
    }

    /// Returns an element as a tensor of the type that the body has it in.
    ///
    /// # Errors
    /// See [`Elements::get`].
    pub(crate) fn tensor(&mut self, value: Val<'p>) -> Result<Val<'p>, String> {
        let element = self.get(value)?;
        self.materialize(element, index::stored(self.build.context, value))
    }

    /// Returns an element as a tensor of `ty`, which is the type of its number.
    fn materialize(&mut self, element: Element<'p>, ty: Type<'p>) -> Result<Val<'p>, String> {
        match element {
            Element::Tensor(tensor) => Ok(tensor),
            Element::Constant(value) => {
                let ty = if ty.is_f64() { self.exact(value)? } else { ty };
                let value = typed(&self.build, value, ty)?;
                Ok(self.build.fill(value, &ones(self.rank()), ty))
            }
            Element::Index(id) => {
                gather::positions_of_all(self.build, self.nest, &Coordinate::index(id), ty)
            }
        }
    }

    /// Returns f32 for a number of f64 that it holds.
    fn exact(&self, value: Attribute<'p>) -> Result<Type<'p>, String> {
        let number = spyre_dialects::attr::number(value).ok_or("a constant that is no number")?;
        #[expect(clippy::cast_possible_truncation, reason = "what is lost is compared")]
        let narrow = f64::from(number as f32);
        if narrow == number || number.is_nan() {
            Ok(Type::float32(self.build.context))
        } else {
            Err(format!(
                "the device has no f64, and f32 does not hold {number}"
            ))
        }
    }

    fn make(&mut self, value: Val<'p>) -> Result<Element<'p>, String> {
        let inputs = self.nest.inputs.iter();
        let mut inputs = inputs.filter(|input| input.element == value);
        if let Some(input) = inputs.next() {
            // A number is the result of its operation, as where the body reads it from outside.
            let is_number = !ir::is_ranked_tensor(input.value.r#type());
            return match is_number && ir::defining_op(input.value).is_some() {
                true => self.get(input.value),
                false => view::read(&self.build, self.nest, input),
            };
        }
        let Some(op) = ir::defining_op(value) else {
            let is_outer = !self
                .nest
                .outputs
                .iter()
                .any(|output| output.element == value);
            return Err(if is_outer {
                "the body reads a number that the function is called with, which is no tensor"
                    .into()
            } else {
                "the body reads what its result starts from, in a way that is no reduction".into()
            });
        };
        let name = ir::name(op);
        match name {
            arith::CONSTANT => {
                let attribute = op.attribute("value").map_err(|err| err.to_string())?;
                Ok(Element::Constant(attribute))
            }
            linalg::INDEX => {
                let dim = ir::attribute(op, "dim");
                let dim = dim.and_then(spyre_dialects::attr::integer);
                let dim = dim.and_then(|dim| usize::try_from(dim).ok());
                let dim = dim.ok_or("an index of no loop")?;
                self.index(dim)
            }
            arith::INDEX_CAST | arith::INDEX_CASTUI => {
                let from = operand(op, 0)?;
                self.cast_index(from, value, name == arith::INDEX_CAST)
            }
            tensor::DIM => {
                let extents = self.build.extents;
                let symbol = extents.and_then(|extents| extents.of_index(value));
                let name = symbol.map(|symbol| self.build.name(Extent::Dynamic(symbol)));
                let name = name.unwrap_or_else(|| "a dimension".to_owned());
                Err(format!(
                    "the body computes with the extent of {name}, which is dynamic"
                ))
            }
            tensor::EXTRACT => gather::element(self, self.nest, op).map(Element::Tensor),
            _ => self.apply(op, name, value.r#type()).map(Element::Tensor),
        }
    }

    /// Returns the index of a loop that the operation numbers so.
    fn index(&self, number: usize) -> Result<Element<'p>, String> {
        let at = self.nest.loops.get(number).ok_or("an index of no loop")?;
        match (at.as_index(), at.as_constant()) {
            (Some(id), _) => Ok(Element::Index(id)),
            (None, Some(index)) => {
                let ty = Type::index(self.build.context);
                Ok(Element::Constant(IntegerAttribute::new(ty, index).into()))
            }
            (None, None) => unreachable!("loops are renumbered and fixed, and nothing else"),
        }
    }

    /// Returns `to`, the integer or index that an index or integer becomes.
    fn cast_index(
        &mut self,
        from: Val<'p>,
        to: Val<'p>,
        is_signed: bool,
    ) -> Result<Element<'p>, String> {
        let ty = index::stored(self.build.context, to);
        match self.get(from)? {
            Element::Index(id) => Ok(Element::Index(id)),
            Element::Constant(value) => {
                resized_constant(&self.build, value, ty, is_signed).map(Element::Constant)
            }
            Element::Tensor(x) if is_truth(element_of(x)) => {
                let one = self.number(if is_signed { -1.0 } else { 1.0 }, ty);
                let zero = self.number(0.0, ty);
                self.choose(x, one, zero).map(Element::Tensor)
            }
            Element::Tensor(x) => resized(&self.build, x, ty, is_signed).map(Element::Tensor),
        }
    }

    /// Builds the device operations of one operation of the body.
    fn apply(&mut self, op: Op<'p>, name: &str, ty: Type<'p>) -> Result<Val<'p>, String> {
        if let Some(device) = same_in_both(name) {
            let operands = self.operands(op)?;
            // An index has the type of the integers it is computed from, and an exact f64 has that of the f32.
            let ty = if ty.is_index() || (ty.is_f64() && is_exact(name)) {
                element_of(operands[0])
            } else {
                ty
            };
            supported(name, ty)?;
            return Ok(self.build.pointwise(device, &operands, ty));
        }
        if let Some(row) = Decomposed::of_upstream(name).filter(|row| !row.is_cast()) {
            let operands = self.operands(op)?;
            supported(name, ty)?;
            let device = format!("spyre.{}", row.mnemonic);
            return Ok(self.build.pointwise(&device, &operands, ty));
        }
        match name {
            arith::CMPF => self.compare_floats(op),
            arith::CMPI => self.compare_integers(op),
            arith::SELECT => {
                let [condition, on_true, on_false] = self.three(op)?;
                self.choose(condition, on_true, on_false)
            }
            arith::MAXUI | arith::MINUI => self.extreme_without_sign(op, name),
            arith::MAXNUMF => self.number_of_two(op, spyre::MAXIMUM),
            arith::MINNUMF => self.number_of_two(op, spyre::MINIMUM),
            arith::ANDI | arith::ORI | arith::XORI if is_truth(ty) => {
                let [a, b] = self.two(op)?;
                Ok(match name {
                    arith::ANDI => truth::both(&self.build, a, b),
                    arith::ORI => truth::either(&self.build, a, b),
                    _ => truth::differ(&self.build, a, b),
                })
            }
            arith::EXTF | arith::TRUNCF => self.convert_float(op, ty),
            arith::SITOFP | arith::FPTOSI => self.convert_integer(op, name, ty),
            arith::EXTSI | arith::TRUNCI => self.widen_integer(op, name, ty),
            arith::BITCAST => self.same_bits(op, ty),
            arith::SHLI | arith::SHRSI | arith::SHRUI if integer_width(ty) == Some(32) => {
                self.shift(op, name)
            }
            math::ABSI => {
                let x = self.tensor(operand(op, 0)?)?;
                let ty = element_of(x);
                let zero = self.build.scalar(0.0, self.rank(), ty);
                let negative = self.build.pointwise(spyre::SUB, &[zero, x], ty);
                Ok(self.build.pointwise(spyre::MAXIMUM, &[x, negative], ty))
            }
            arith::EXTUI | arith::UITOFP if is_truth(operand(op, 0)?.r#type()) => {
                let condition = self.tensor(operand(op, 0)?)?;
                let (one, zero) = (self.number(1.0, ty), self.number(0.0, ty));
                self.choose(condition, one, zero)
            }
            math::FPOWI => self.integer_power(op, ty),
            _ => Err(format!("no device operation computes '{name}' of {ty}")),
        }
    }

    fn number(&self, value: f64, ty: Type<'p>) -> Val<'p> {
        self.build.scalar(value, self.rank(), ty)
    }

    fn choose(
        &self,
        condition: Val<'p>,
        on_true: Val<'p>,
        on_false: Val<'p>,
    ) -> Result<Val<'p>, String> {
        let ty = element_of(on_true);
        if is_truth(ty) {
            let chosen = truth::both(&self.build, condition, on_true);
            let other = truth::both(&self.build, truth::not(&self.build, condition), on_false);
            return Ok(truth::either(&self.build, chosen, other));
        }
        if let Some(number) = truth::constant(condition) {
            return Ok(if number == 0.0 { on_false } else { on_true });
        }
        if let Some(opposite) = truth::negated(condition) {
            return self.choose(opposite, on_false, on_true);
        }
        // An integer has 32 or 8 bits in device memory. Truth values have no format of 8 bits, so that an integer of 8
        // bits cannot be selected.
        if truth::width(ty).is_none() && integer_width(ty).is_none_or(|width| width < 32) {
            return Err(format!(
                "a selection between values of {ty}; the device selects between floats, and integers of 32 bits"
            ));
        }
        let condition = truth::convert_to_choose(&self.build, condition, ty);
        Ok(self
            .build
            .pointwise(spyre::WHERE3, &[condition, on_true, on_false], ty))
    }

    fn operands(&mut self, op: Op<'p>) -> Result<Vec<Val<'p>>, String> {
        // An index that is the position of a read of a table has 32 bits, and so have its operands.
        let is_address = ir::result(op, 0).is_some_and(index::is_address);
        let word: Type<'p> = IntegerType::new(self.build.context, 32).into();
        let values: Vec<_> = op.operands().collect();
        values
            .into_iter()
            .map(|value| {
                let element = self.get(value)?;
                if is_address && value.r#type().is_index() {
                    let x = self.materialize(element, word)?;
                    return resized(&self.build, x, word, true);
                }
                self.materialize(element, index::stored(self.build.context, value))
            })
            .collect()
    }

    fn two(&mut self, op: Op<'p>) -> Result<[Val<'p>; 2], String> {
        let operands = self.operands(op)?;
        <[Val<'p>; 2]>::try_from(operands).map_err(|_| "an operation without two operands".into())
    }

    fn three(&mut self, op: Op<'p>) -> Result<[Val<'p>; 3], String> {
        let operands = self.operands(op)?;
        <[Val<'p>; 3]>::try_from(operands).map_err(|_| "an operation without three operands".into())
    }

    /// Builds a maximum or a minimum that is the other operand where one is NaN. The device's maximum and minimum
    /// are NaN then.
    fn number_of_two(&mut self, op: Op<'p>, name: &str) -> Result<Val<'p>, String> {
        let [a, b] = self.two(op)?;
        let truth: Type<'p> = IntegerType::new(self.build.context, 1).into();
        let is_nan = |x| self.build.pointwise(spyre::NOTEQUAL, &[x, x], truth);
        let both = self.build.pointwise(name, &[a, b], element_of(a));
        let both = self.choose(is_nan(b), a, both)?;
        self.choose(is_nan(a), b, both)
    }

    /// Builds a comparison of floats. The device's comparisons are false where an operand is not a number, but for
    /// `notequal`.
    fn compare_floats(&mut self, op: Op<'p>) -> Result<Val<'p>, String> {
        let predicate = predicate(op)?;
        let [a, b] = self.two(op)?;
        let truth: Type<'p> = IntegerType::new(self.build.context, 1).into();
        let compare = |name: &str, a, b| self.build.pointwise(name, &[a, b], truth);
        let not = |x| truth::not(&self.build, x);
        Ok(match predicate {
            // false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true
            1 => compare(spyre::EQUAL, a, b),
            2 => compare(spyre::GREATERTHAN, a, b),
            3 => compare(spyre::GREATEREQUAL, a, b),
            4 => compare(spyre::LESSERTHAN, a, b),
            5 => compare(spyre::LESSEREQUAL, a, b),
            6 => {
                let (less, more) = (
                    compare(spyre::LESSERTHAN, a, b),
                    compare(spyre::GREATERTHAN, a, b),
                );
                truth::either(&self.build, less, more)
            }
            7 | 14 => {
                let (a, b) = (compare(spyre::EQUAL, a, a), compare(spyre::EQUAL, b, b));
                let both = truth::both(&self.build, a, b);
                if predicate == 7 { both } else { not(both) }
            }
            8 => {
                let less = compare(spyre::LESSERTHAN, a, b);
                let more = compare(spyre::GREATERTHAN, a, b);
                not(truth::either(&self.build, less, more))
            }
            9 => not(compare(spyre::LESSEREQUAL, a, b)),
            10 => not(compare(spyre::LESSERTHAN, a, b)),
            11 => not(compare(spyre::GREATEREQUAL, a, b)),
            12 => not(compare(spyre::GREATERTHAN, a, b)),
            13 => compare(spyre::NOTEQUAL, a, b),
            other => {
                return Err(format!(
                    "a comparison with the constant predicate {other} is not supported"
                ));
            }
        })
    }

    fn compare_integers(&mut self, op: Op<'p>) -> Result<Val<'p>, String> {
        let predicate = predicate(op)?;
        let operands = self.two(op)?;
        self.ordered(predicate, operands)
    }

    /// Builds the larger or the smaller of two integers without a sign.
    fn extreme_without_sign(&mut self, op: Op<'p>, name: &str) -> Result<Val<'p>, String> {
        let [a, b] = self.two(op)?;
        let is_largest = name == arith::MAXUI;
        if is_truth(element_of(a)) {
            return Ok(match is_largest {
                true => truth::either(&self.build, a, b),
                false => truth::both(&self.build, a, b),
            });
        }
        let is_less = self.ordered(CmpIPredicate::Ult as i64, [a, b])?;
        match is_largest {
            true => self.choose(is_less, b, a),
            false => self.choose(is_less, a, b),
        }
    }

    /// Builds a comparison of two tensors of integers, by the number of its predicate.
    ///
    /// # Errors
    /// The device compares none of their type.
    fn ordered(&self, predicate: i64, operands: [Val<'p>; 2]) -> Result<Val<'p>, String> {
        let truth = IntegerType::new(self.build.context, 1).into();
        let ty = element_of(operands[0]);
        let is_word = integer_width(ty).is_some_and(|width| width >= 32);
        if !is_truth(ty) && !is_word {
            return Err(format!(
                "the device compares integers of 32 bits only, not {ty}"
            ));
        }
        if is_truth(ty) {
            let [a, b] = operands;
            let differ = || truth::differ(&self.build, a, b);
            return match predicate {
                0 => Ok(truth::not(&self.build, differ())),
                1 => Ok(differ()),
                _ => Err("truth values are compared by order".into()),
            };
        }
        let name = match predicate {
            0 => spyre::EQUAL,
            1 => spyre::NOTEQUAL,
            2 | 6 => spyre::LESSERTHAN,
            3 | 7 => spyre::LESSEREQUAL,
            4 | 8 => spyre::GREATERTHAN,
            _ => spyre::GREATEREQUAL,
        };
        let compare = |name, operands: [Val<'p>; 2]| self.build.pointwise(name, &operands, truth);
        if predicate < 6 {
            return Ok(compare(name, operands));
        }
        // Without a sign, the order is the other one where one operand has the first bit and the other has not.
        if integer_width(ty) == Some(32) {
            return Ok(compare(name, operands.map(|operand| self.turned(operand))));
        }
        let zero = self.build.scalar(0.0, self.rank(), ty);
        let [a, b] = operands.map(|operand| compare(spyre::LESSERTHAN, [operand, zero]));
        let is_turned = truth::differ(&self.build, a, b);
        let signed = compare(name, operands);
        Ok(truth::differ(&self.build, signed, is_turned))
    }

    /// Builds integers of 32 bits with the other first bit: their order as signed numbers is that of the operand without a sign.
    fn turned(&self, x: Val<'p>) -> Val<'p> {
        let ty = element_of(x);
        let least = IntegerAttribute::new(ty, i32::MIN.into()).into();
        let least = self.build.fill(least, &ones(self.rank()), ty);
        self.build.pointwise(spyre::ADD, &[x, least], ty)
    }

    /// Builds integers of another width, which have 32 bits in device memory both.
    fn widen_integer(&mut self, op: Op<'p>, name: &str, ty: Type<'p>) -> Result<Val<'p>, String> {
        let x = self.tensor(operand(op, 0)?)?;
        match (integer_width(element_of(x)), integer_width(ty)) {
            (Some(32), Some(64)) | (Some(64), Some(32)) => {
                Ok(self.build.pointwise(spyre::BITCAST, &[x], ty))
            }
            _ => Err(format!("no device operation computes '{name}' of {ty}")),
        }
    }

    /// Builds the bitcast of a number of 32 bits to another type.
    fn same_bits(&mut self, op: Op<'p>, ty: Type<'p>) -> Result<Val<'p>, String> {
        let x = self.tensor(operand(op, 0)?)?;
        let from = element_of(x);
        let has_32 = |ty: Type<'p>| ty.is_f32() || integer_width(ty) == Some(32);
        if !has_32(from) || !has_32(ty) {
            return Err(format!(
                "no device operation computes 'arith.bitcast' from {from} to {ty}: floats of 16 bits have other bits in device memory"
            ));
        }
        Ok(self.build.pointwise(spyre::BITCAST, &[x], ty))
    }

    /// Builds integers of 32 bits that are shifted by a constant.
    fn shift(&mut self, op: Op<'p>, name: &str) -> Result<Val<'p>, String> {
        let Element::Constant(bits) = self.get(operand(op, 1)?)? else {
            return Err(format!(
                "no device operation computes '{name}' by integers that are no constant"
            ));
        };
        let bits = spyre_dialects::attr::integer(bits).ok_or("a shift by no integer")?;
        let shift = Shift::of(name).expect("the operation is a shift");
        let x = self.tensor(operand(op, 0)?)?;
        shift::by(&self.build, shift, x, bits)
    }

    /// Builds a float of an integer, or the integer of a float, of 16 or 32 bits.
    fn convert_integer(&mut self, op: Op<'p>, name: &str, ty: Type<'p>) -> Result<Val<'p>, String> {
        let x = self.tensor(operand(op, 0)?)?;
        let from = element_of(x);
        let is_word = |ty: Type<'p>| integer_width(ty).is_some_and(|width| width >= 32);
        let f32 = Type::float32(self.build.context);
        let i32: Type<'p> = IntegerType::new(self.build.context, 32).into();
        let number = match (name, truth::width(from), truth::width(ty)) {
            (arith::SITOFP, None, Some(width)) if is_word(from) => {
                let single = self.build.pointwise(spyre::SITOFP, &[x], f32);
                match width {
                    32 => single,
                    _ => self.build.pointwise(spyre::FP32TODL16, &[single], ty),
                }
            }
            (arith::FPTOSI, Some(width), None) if is_word(ty) => {
                let x = match width {
                    32 => x,
                    _ => self.build.pointwise(spyre::DL16TOFP32, &[x], f32),
                };
                let bounds = bounds::of(x);
                if ty != i32 && !bounds.fits() {
                    return Err(format!(
                        "integers have 32 bits in device memory, and {from} that is converted to {ty} may be in [{:e}, {:e}] here; \
                         bound it by constants from -2147483648 to 2147483520",
                        bounds.low, bounds.high
                    ));
                }
                let word = self.build.pointwise(spyre::FPTOSI, &[x], i32);
                match ty == i32 {
                    true => word,
                    false => self.build.pointwise(spyre::BITCAST, &[word], ty),
                }
            }
            _ => {
                return Err(format!(
                    "no device operation computes '{name}' from {from} to {ty}"
                ));
            }
        };
        Ok(number)
    }

    /// Builds a conversion of floats. A conversion of f32 to f64 is exact, and stays an f32: only operations with
    /// exact results use it.
    fn convert_float(&mut self, op: Op<'p>, ty: Type<'p>) -> Result<Val<'p>, String> {
        if let Some(rounded) = self.rounded_once(op, ty)? {
            return Ok(rounded);
        }
        let x = self.tensor(operand(op, 0)?)?;
        let from = element_of(x);
        let to = if ty.is_f64() {
            Type::float32(self.build.context)
        } else {
            ty
        };
        let name = match (truth::width(from), truth::width(to)) {
            (Some(32), Some(32)) => return Ok(x),
            (Some(16), Some(32)) => spyre::DL16TOFP32,
            (Some(32), Some(16)) => spyre::FP32TODL16,
            _ => return Err(format!("no device operation converts {from} to {ty}")),
        };
        Ok(self.build.pointwise(name, &[x], to))
    }

    /// Builds an f64 that is rounded to f32 at once, from exact f32 or an integer; `None` if it is computed
    /// otherwise. Rounding it to f64 first does not change the result: 53 bits are at least twice 24 and 2 more
    /// (Figueroa, "When is double rounding innocuous?").
    fn rounded_once(&mut self, op: Op<'p>, ty: Type<'p>) -> Result<Option<Val<'p>>, String> {
        let wide = operand(op, 0)?;
        let Some(inner) = ir::defining_op(wide).filter(|_| ty.is_f32() && wide.r#type().is_f64())
        else {
            return Ok(None);
        };
        let name = ir::name(inner);
        match name {
            arith::SITOFP => self.convert_integer(inner, name, ty).map(Some),
            arith::ADDF | arith::SUBF | arith::MULF | arith::DIVF | math::SQRT => {
                let operands = self.operands(inner)?;
                let device = same_in_both(name).expect("the device has all five");
                let is_exact = operands.iter().all(|operand| element_of(*operand).is_f32());
                Ok(is_exact.then(|| self.build.pointwise(device, &operands, ty)))
            }
            _ => Ok(None),
        }
    }

    /// Builds a power with a constant integer exponent: no device operation converts an integer to a float.
    fn integer_power(&mut self, op: Op<'p>, ty: Type<'p>) -> Result<Val<'p>, String> {
        let Element::Constant(exponent) = self.get(operand(op, 1)?)? else {
            return Err(
                "no device operation computes a power by integers that are no constant".into(),
            );
        };
        let exponent =
            spyre_dialects::attr::number(exponent).ok_or("an exponent that is no number")?;
        let x = self.tensor(operand(op, 0)?)?;
        supported(math::FPOWI, ty)?;
        let exponent = self.number(exponent, ty);
        Ok(self.build.pointwise(spyre::POW, &[x, exponent], ty))
    }
}

/// Returns the device operation with the semantics of an operation on elements.
fn same_in_both(name: &str) -> Option<&'static str> {
    Some(match name {
        arith::ADDF | arith::ADDI => spyre::ADD,
        arith::SUBF | arith::SUBI => spyre::SUB,
        arith::MULF | arith::MULI => spyre::MUL,
        arith::DIVF => spyre::REALDIV,
        arith::MAXIMUMF | arith::MAXSI => spyre::MAXIMUM,
        arith::MINIMUMF | arith::MINSI => spyre::MINIMUM,
        arith::NEGF => spyre::NEG,
        math::ABSF => spyre::ABS,
        math::EXP => spyre::EXP,
        math::FLOOR => spyre::FLOOR,
        math::LOG => spyre::LOG,
        math::RSQRT => spyre::RSQRT,
        math::SQRT => spyre::SQRT,
        math::TANH => spyre::TANH,
        _ => return None,
    })
}

/// Returns whether an operation on f64 values that are exact in f32 has a result that is exact in f32, so that it can
/// be computed in f32.
fn is_exact(name: &str) -> bool {
    matches!(
        name,
        arith::MAXIMUMF | arith::MINIMUMF | arith::NEGF | math::ABSF | math::FLOOR
    )
}

/// Refuses arithmetic on truth values, which the device has as numbers.
fn supported(name: &str, ty: Type<'_>) -> Result<(), String> {
    if is_truth(ty) || ty.is_f64() {
        return Err(format!("no device operation computes '{name}' of {ty}"));
    }
    Ok(())
}

/// Returns a number as an attribute of `ty`. High bits of an integer that do not fit are lost.
fn typed<'p>(
    build: &Build<'p>,
    value: Attribute<'p>,
    ty: Type<'p>,
) -> Result<Attribute<'p>, String> {
    if let Ok(integer) = IntegerAttribute::try_from(value) {
        let number = if is_truth(ty) {
            i64::from(integer.value() != 0)
        } else {
            cut(integer.value(), integer_width(ty))
        };
        return Ok(IntegerAttribute::new(ty, number).into());
    }
    let number = FloatAttribute::try_from(value).map_err(|_| format!("{value} is no number"))?;
    Ok(FloatAttribute::new(build.context, ty, number.value()).into())
}

fn predicate(op: Op<'_>) -> Result<i64, String> {
    let predicate = ir::attribute(op, "predicate");
    let predicate = predicate.and_then(spyre_dialects::attr::integer);
    predicate.ok_or_else(|| "a comparison without a predicate".into())
}

fn operand<'p>(op: Op<'p>, number: usize) -> Result<Val<'p>, String> {
    op.operand(number).map_err(|err| err.to_string())
}
