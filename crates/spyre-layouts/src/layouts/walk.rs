//! Builds the analysis: a walk over the function gives each value its candidates.

mod carried;
mod node;

use std::rc::Rc;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::indexing::Indexings;
use spyre_analysis::kinds::is_fill;
use spyre_analysis::tensor::{self, TensorTypes};
use spyre_analysis::view::is_permute;
use spyre_analysis::walk::device_ops;
use spyre_dialects::attr;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::names::CANDIDATES;
use spyre_layout::{Arrangement, DeviceFormat, Elements, View};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_ods::{arith, func};
use spyre_ops::Pairs;

use super::analysis::{Candidate, Node, NodeKind, Read};
use super::fit::{Choice, OperandFit, StatedLayouts, readable};
use super::wants::Wants;
use super::{decide, restick, view};

/// The analysis under construction.
pub(super) struct Builder<'t, 'p> {
    /// The tensor types.
    pub types: &'t TensorTypes<'p>,
    pass: &'static str,
    nodes: Vec<Node<'p>>,
    of_value: FxHashMap<ir::ValueKey, usize>,
    /// The number of elements that are not written yet, by the key of a value that starts as `spyre.empty`.
    unwritten: FxHashMap<ir::ValueKey, Elements>,
    indexings: Indexings<'p>,
    wants: Wants,
    /// The arrangements other than the standard one that operations of the function leave, with the formats of their results.
    arrangements: Vec<(DeviceFormat, Arrangement)>,
}

impl<'t, 'p> Builder<'t, 'p> {
    /// Returns a builder without nodes.
    pub(super) fn new(pass: &'static str, types: &'t TensorTypes<'p>, body: Blk<'p>) -> Self {
        Self {
            types,
            pass,
            nodes: Vec::new(),
            of_value: FxHashMap::default(),
            unwritten: FxHashMap::default(),
            indexings: Indexings::default(),
            wants: Wants::of_block(types, body),
            arrangements: arrangements_left(types, body),
        }
    }

    /// Builds the nodes of a function.
    pub(super) fn function(
        mut self,
        function: Op<'p>,
        body: Blk<'p>,
    ) -> Result<Vec<Node<'p>>, Diagnostic<'p>> {
        for index in 0..body.argument_count() {
            let argument = body
                .argument(index)
                .map_err(|err| self.error(function, err))?;
            if ir::is_ranked_tensor(argument.r#type()) {
                let (candidate, decided) = self
                    .laid_out(argument.r#type())
                    .map_err(|err| self.error(function, format!("argument {index}: {err}")))?;
                self.push(Node {
                    what: NodeKind::Value(argument.into()),
                    op: function,
                    views: vec![candidate.device.view()],
                    candidates: vec![candidate],
                    reads: Vec::new(),
                    targets: Vec::new(),
                    decided,
                });
            }
        }
        self.block(body)?;
        Ok(self.nodes)
    }

    /// Returns an error of the pass at an operation.
    pub(super) fn error(&self, op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
        Diagnostic::error(op.location(), format!("{}: {message}", self.pass))
    }

    /// Returns the layouts that a value may have. `user` is the operation that reads it.
    pub(super) fn candidates(
        &self,
        user: Op<'p>,
        value: Val<'p>,
    ) -> Result<&[Candidate<'p>], Diagnostic<'p>> {
        let producer = self.producer(user, value)?;
        Ok(&self.nodes[producer].candidates)
    }

    /// Returns a value as a view of its buffer, per candidate. `user` is the operation that reads the value.
    pub(super) fn views(&self, user: Op<'p>, value: Val<'p>) -> Result<&[View], Diagnostic<'p>> {
        let producer = self.producer(user, value)?;
        Ok(&self.nodes[producer].views)
    }

    /// Returns the dimensions that readers need on the stick of a value.
    pub(super) fn wanted_dims(&self, value: Val<'p>) -> Vec<usize> {
        self.wants.of_value(value)
    }

    /// Returns the number of elements of a value that are not written yet. A copy of the value would read them.
    pub(super) fn unwritten(&self, value: Val<'p>) -> Elements {
        let elements = self.unwritten.get(&ir::value_key(value));
        elements.copied().unwrap_or(Elements(0))
    }

    /// Notes the number of elements of a value that are left unwritten.
    fn leave_unwritten(&mut self, value: Val<'p>, left: Elements) {
        if left > Elements(0) {
            self.unwritten.insert(ir::value_key(value), left);
        }
    }

    /// Returns a type with its layout, or with the default one, and whether it had a layout.
    fn laid_out(&self, ty: Type<'p>) -> Result<(Candidate<'p>, bool), String> {
        let tensor = self.types.get(ty)?;
        if tensor.has_layout {
            return Ok((tensor, true));
        }
        let layout = tensor.device.layout();
        let laid_out = self
            .types
            .with_layout(tensor.shape(), tensor.element, layout)?;
        Ok((laid_out, false))
    }

    fn producer(&self, user: Op<'p>, value: Val<'p>) -> Result<usize, Diagnostic<'p>> {
        self.of_value
            .get(&ir::value_key(value))
            .copied()
            .ok_or_else(|| {
                self.error(user, "reads a tensor that has no rule for layouts")
                    .note(value.location(), "the tensor is defined here")
            })
    }

    fn push(&mut self, node: Node<'p>) {
        if let NodeKind::Value(value) = node.what {
            self.of_value.insert(ir::value_key(value), self.nodes.len());
        }
        self.nodes.push(node);
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        ir::operations(block).try_for_each(|op| self.operation(op))
    }

    fn operation(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if let Some(device) = DeviceOp::cast(op) {
            let stated_layouts = self.stated_layouts(op)?;
            let choices = match self.decided(op, &stated_layouts) {
                Some(choice) => vec![choice],
                None => {
                    let indexing = self.indexings.of(device);
                    decide::choices(self, device, &indexing, &stated_layouts)?
                }
            };
            return self.finish(op, choices, &stated_layouts);
        }
        match ir::kind(op) {
            OpKind::For => self.for_loop(op),
            OpKind::Return => self.returned(op),
            OpKind::Other if EmptyOp::cast(op).is_some() || is_fill(op) => self.source(op),
            OpKind::Other if !is_permute(op) => self.other(op),
            OpKind::ExtractSlice
            | OpKind::InsertSlice
            | OpKind::ExpandShape
            | OpKind::CollapseShape
            | OpKind::Other => {
                let stated_layouts = self.stated_layouts(op)?;
                let choices = match self.decided(op, &stated_layouts) {
                    Some(choice) => vec![choice],
                    None => view::choices(self, op, &stated_layouts)?,
                };
                if ir::kind(op) == OpKind::InsertSlice {
                    self.fill_window(op)?;
                }
                self.finish(op, choices, &stated_layouts)
            }
            _ => Ok(()),
        }
    }

    /// Returns the only choice for an operation on tensors with layouts, which the verifier has checked; `None` for
    /// other operations.
    fn decided(&self, op: Op<'p>, stated_layouts: &StatedLayouts<'p>) -> Option<Choice<'p>> {
        let StatedLayouts::Layout(ty) = stated_layouts else {
            return None;
        };
        let tensors = op
            .operands()
            .filter(|value| ir::is_ranked_tensor(value.r#type()));
        let is_device = DeviceOp::cast(op).is_some();
        let mut fits = Vec::new();
        let mut first = None;
        for value in tensors {
            let producer = &self.nodes[*self.of_value.get(&ir::value_key(value))?];
            // A view may have its layout from several of its source.
            if !producer.decided || producer.candidates.len() != 1 {
                return None;
            }
            let view = &producer.views[0];
            first = first.or(Some(view));
            fits.push(vec![if is_device {
                readable(view)
            } else {
                OperandFit::Met
            }]);
        }
        let fresh = ty.device.view();
        let view = match first {
            Some(source) if !is_device => view::of_decided(op, source, ty).unwrap_or(fresh),
            _ => fresh,
        };
        Some(Choice {
            ty: Rc::clone(ty),
            view,
            fits,
        })
    }

    /// Returns the layouts that the IR allows for an operation's only result.
    fn stated_layouts(&self, op: Op<'p>) -> Result<StatedLayouts<'p>, Diagnostic<'p>> {
        let result = self.result(op)?;
        let tensor = self
            .types
            .get(result.r#type())
            .map_err(|err| self.error(op, err))?;
        if tensor.has_layout {
            return Ok(StatedLayouts::Layout(tensor));
        }
        let Ok(listed) = op.attribute(CANDIDATES) else {
            return Ok(StatedLayouts::Nothing);
        };
        let listed = attr::elements(listed).into_iter().filter_map(attr::layout);
        let types = listed.map(|layout| {
            self.types
                .with_layout(tensor.shape(), tensor.element, &layout)
                .map_err(|err| self.error(op, err))
        });
        Ok(StatedLayouts::Candidates(types.collect::<Result<_, _>>()?))
    }

    fn result(&self, op: Op<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let result = op.result(0).map_err(|err| self.error(op, err))?;
        Ok(result.into())
    }

    /// Notes the elements that an insertion leaves unwritten, where the windows of one tensor do not overlap.
    fn fill_window(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let operand = |index| op.operand(index).map_err(|err| self.error(op, err));
        let (tile, into) = (operand(0)?, operand(1)?);
        let tile = self
            .types
            .get(tile.r#type())
            .map_err(|err| self.error(op, err))?;
        let written = Elements(tile.shape().iter().product());
        // A window may be written twice.
        let left = Elements(self.unwritten(into).get().saturating_sub(written.get()));
        let result = self.result(op)?;
        self.leave_unwritten(result, left);
        Ok(())
    }

    /// Builds the node of a tensor without operands. Any wanted dimension may be on its stick. A tensor that is not
    /// written yet is not copied to the layout that its windows need, so it can have that layout from the start.
    fn source(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let stated_layouts = self.stated_layouts(op)?;
        let result = self.result(op)?;
        let is_empty = EmptyOp::cast(op).is_some();
        let types = if let Some(types) = stated_layouts.types() {
            types.to_vec()
        } else {
            let (default, _) = self
                .laid_out(result.r#type())
                .map_err(|err| self.error(op, err))?;
            let mut types = vec![Rc::clone(&default)];
            let stick = default.device.layout().stick_dim();
            let is_one = stick.is_some_and(|dim| default.shape().get(dim) == Some(&1));
            // With a dimension of extent 1 on the stick, each stick has one element, as in the result of a reduction.
            let sparse = (is_one || is_empty).then_some(None);
            let wanted_dims = match is_empty {
                true => (0..default.shape().len())
                    .filter(|dim| default.shape().get(*dim) != Some(&1))
                    .collect(),
                false => self.wanted_dims(result),
            };
            for dim in wanted_dims.into_iter().map(Some).chain(sparse) {
                let ty = restick::with_stick(self.types, &default, dim, Arrangement::Standard);
                types.extend(ty.ok().filter(|ty| ty.ty != default.ty));
            }
            if is_empty {
                types.extend(self.arranged(&default));
            }
            types
        };
        if is_empty && let Some(first) = types.first() {
            self.leave_unwritten(result, Elements(first.shape().iter().product()));
        }
        let choices = types.into_iter().map(|ty| Choice {
            view: ty.device.view(),
            ty,
            fits: Vec::new(),
        });
        self.finish(op, choices.collect(), &stated_layouts)
    }

    /// Returns the layouts of a tensor that is not written yet, in the arrangements that operations of the function
    /// leave: no operation changes the arrangement of the values that are written into it.
    fn arranged(&self, default: &Candidate<'p>) -> Vec<Candidate<'p>> {
        let mut types = Vec::new();
        let shape = default.shape();
        let format = default.device.format();
        let entries = self.arrangements.iter().filter(|(of, _)| *of == format);
        for (_, arrangement) in entries {
            let is_on_stick = |dim: &usize| match arrangement {
                // The two moments of a row are the last dimension.
                Arrangement::Exx2 => dim + 1 == shape.len() && shape[*dim] == 2,
                _ => shape[*dim] != 1,
            };
            for dim in (0..shape.len()).filter(is_on_stick) {
                let laid = restick::with_stick(self.types, default, Some(dim), *arrangement);
                types.extend(laid.and_then(|laid| self.with_whole_sticks(&laid)).ok());
            }
        }
        types
    }

    /// Returns a layout with room for all sticks that hold the elements of one.
    fn with_whole_sticks(&self, ty: &Candidate<'p>) -> Result<Candidate<'p>, String> {
        let together = ty.device.layout().arrangement().sticks_together();
        let together = together * ty.device.format().elements_per_stick().get();
        match tensor::with_room(&ty.device, Elements(together))? {
            Some(layout) => Ok(self.types.with_layout(ty.shape(), ty.element, &layout)?),
            None => Ok(Rc::clone(ty)),
        }
    }

    /// Checks an operation without a rule for layouts. It is allowed if it has no tensor result and does not depend on
    /// the type of a tensor that is going to change.
    fn other(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if op.name().as_string_ref().as_str() == Ok(func::CALL) {
            self.call(op)?;
        }
        if !op
            .results()
            .any(|result| ir::is_ranked_tensor(result.r#type()))
        {
            return Ok(());
        }
        Err(self.error(
            op,
            match ir::name(op) {
                spyre_ods::tensor::CAST => {
                    "tensor.cast does not change layouts; spyre.restickify does, and \
                                  nothing else"
                        .to_owned()
                }
                arith::CONSTANT => "arith.constant has no rule for layouts; spyre.fill makes a \
                                     constant tensor"
                    .to_owned(),
                name => format!("{name} has a tensor as result, but no rule for layouts"),
            },
        ))
    }

    /// Checks that the operands of a call have layouts. The function that is called takes tensors of certain types, so their
    /// layouts are not chosen here.
    fn call(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        for (operand, value) in op.operands().enumerate() {
            let ty = value.r#type();
            if !ir::is_ranked_tensor(ty) || self.types.get(ty).is_ok_and(|ty| ty.has_layout) {
                continue;
            }
            return Err(self
                .error(
                    op,
                    format!(
                        "operand #{operand} has no layout, but the called function takes the type without a change; give both \
                         the same layout"
                    ),
                )
                .note(value.location(), format!("operand #{operand} is defined here")));
        }
        Ok(())
    }

    /// Builds the nodes of the values that a function returns. A returned value is copied to an argument, so an
    /// operation has to be able to read it. The host has to be able to read it too. It copies tensors in the standard
    /// order, and has no places for a pair of moments, so the order that a cast leaves and pairs are refused unless the
    /// type requires them.
    fn returned(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        for (operand, value) in op.operands().enumerate() {
            if !ir::is_ranked_tensor(value.r#type()) {
                continue;
            }
            let candidates = self.candidates(op, value)?;
            let first = Rc::clone(&candidates[0]);
            let is_decided = self.types.get(value.r#type()).is_ok_and(|ty| ty.has_layout);
            let fit = |(ty, view): (&Candidate<'p>, &View)| {
                let arrangement = ty.device.layout().arrangement();
                match readable(view) {
                    OperandFit::Met if arrangement.is_staggered() && !is_decided => {
                        OperandFit::Never(format!(
                            "is returned in the arrangement {arrangement}, but the host copies tensors in the standard order \
                         only; return it before the cast, or cast it back"
                        ))
                    }
                    OperandFit::Met if arrangement == Arrangement::Exx2 && !is_decided => {
                        OperandFit::Never(format!(
                            "is returned in the arrangement {arrangement}, and no document has the places of the two values of a \
                             row, so the host cannot read them; return the result of layernormscale or layernormnorm on it"
                        ))
                    }
                    fit => fit,
                }
            };
            let seen = candidates.iter().zip(self.views(op, value)?);
            let fits = seen.map(fit).collect();
            let choice = Choice {
                view: first.device.view(),
                ty: first,
                fits: vec![fits],
            };
            let choices = self.possible(op, vec![choice], &[value])?;
            let producer = self.producer(op, value)?;
            let needs = self.needs(producer, &choices, 0, None);
            self.push(Node {
                what: NodeKind::Yield,
                op,
                views: choices.iter().map(|choice| choice.view.clone()).collect(),
                candidates: choices.into_iter().map(|choice| choice.ty).collect(),
                reads: vec![Read {
                    producer,
                    user: op,
                    operand,
                    needs,
                }],
                targets: Vec::new(),
                decided: true,
            });
        }
        Ok(())
    }
}

/// Returns the arrangements other than the standard one that operations of a block leave, with the formats of their results.
fn arrangements_left<'p>(
    types: &TensorTypes<'p>,
    body: Blk<'p>,
) -> Vec<(DeviceFormat, Arrangement)> {
    let mut left = Vec::new();
    for device in device_ops(body) {
        let facts = device.facts();
        let of_casts = facts.arrangements.iter().map(|(_, left)| *left);
        let of_pairs = (facts.pairs == Some(Pairs::Makes)).then_some(Arrangement::Exx2);
        let result = ir::result(device.op(), 0).expect("a device operation has a result");
        // A result with an open extent is refused where it is read.
        let Ok(ty) = types.get(result.r#type()) else {
            continue;
        };
        for arrangement in of_casts.chain(of_pairs) {
            let entry = (ty.device.format(), arrangement);
            if arrangement != Arrangement::Standard && !left.contains(&entry) {
                left.push(entry);
            }
        }
    }
    left
}
