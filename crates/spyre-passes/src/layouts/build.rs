//! Builds the analysis: a walk over the function gives each value its candidates.

use std::rc::Rc;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, AttributeLike, Type, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_layout::{Arrangement, Elements, View};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_plan::restickify::{Need, Needs, TargetId};

use super::analysis::{Candidate, Node, Read, Target, What};
use super::wants::Wants;
use super::{CANDIDATES, decide, restick, view};
use crate::indexing::Indexings;
use crate::tensor::TensorTypes;
use crate::view::is_permute;
use crate::walk::FIRST_INIT;

/// The need of an operand for one candidate of the operation and one candidate of the value that it reads.
#[derive(Debug, Clone)]
pub(super) enum Fit<'p> {
    /// The value is read as it is.
    Met,
    /// The value is first restickified to this type.
    Restickify(Candidate<'p>),
    /// The two cannot go together, for the given reason. The text continues after "operand #0 ".
    Never(String),
}

/// The tiling hints of the copies that an operation needs.
#[derive(Debug, Clone, Copy)]
struct Hints<'p> {
    attribute: Attribute<'p>,
    /// Whether they are only for copies that leave the dimension on the stick.
    same_stick: bool,
}

/// A candidate for the result of an operation.
#[derive(Debug)]
pub(super) struct Choice<'p> {
    /// The type of the result.
    pub ty: Candidate<'p>,
    /// The view of the buffer behind it that the result is.
    pub view: View,
    /// The need of each of the first operands, per candidate of the value that it reads.
    pub fits: Vec<Vec<Fit<'p>>>,
}

/// The layouts that the IR allows for a result.
#[derive(Debug)]
pub(super) enum Given<'p> {
    /// The layout is in the type.
    Layout(Candidate<'p>),
    /// The layout is one of these.
    Candidates(Vec<Candidate<'p>>),
    /// The IR does not say anything.
    Nothing,
}

impl<'p> Given<'p> {
    /// Returns the layouts that are allowed; `None` if the IR does not say anything.
    pub(super) fn types(&self) -> Option<&[Candidate<'p>]> {
        match self {
            Self::Layout(ty) => Some(std::slice::from_ref(ty)),
            Self::Candidates(types) => Some(types),
            Self::Nothing => None,
        }
    }

    /// Returns whether a layout is allowed.
    pub(super) fn allows(&self, ty: &Candidate<'p>) -> bool {
        self.types()
            .is_none_or(|types| types.iter().any(|given| given.ty == ty.ty))
    }
}

/// The analysis under construction.
pub(super) struct Builder<'t, 'p> {
    /// The tensor types.
    pub types: &'t TensorTypes<'p>,
    pass: &'static str,
    nodes: Vec<Node<'p>>,
    of_value: FxHashMap<usize, usize>,
    /// The number of elements that are not written yet, by the key of a value that starts as `spyre.empty`.
    unwritten: FxHashMap<usize, Elements>,
    indexings: Indexings<'p>,
    wants: Wants,
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
                .map_err(|why| self.error(function, why))?;
            if ir::is_ranked_tensor(argument.r#type()) {
                let (candidate, decided) = self
                    .laid_out(argument.r#type())
                    .map_err(|why| self.error(function, format!("argument {index}: {why}")))?;
                self.push(Node {
                    what: What::Value(argument.into()),
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
        Ok(self
            .nodes
            .get(producer)
            .map_or(&[], |node| node.candidates.as_slice()))
    }

    /// Returns the view of the buffer behind it that a value is, per candidate. `user` is the operation that reads the value.
    pub(super) fn views(&self, user: Op<'p>, value: Val<'p>) -> Result<&[View], Diagnostic<'p>> {
        let producer = self.producer(user, value)?;
        Ok(self
            .nodes
            .get(producer)
            .map_or(&[], |node| node.views.as_slice()))
    }

    /// Returns the dimensions that readers want on the stick of a value.
    pub(super) fn wanted(&self, value: Val<'p>) -> Vec<usize> {
        self.wants.of_value(value)
    }

    /// Returns the number of elements of a value that are not written yet. A copy of the value would read them.
    pub(super) fn unwritten(&self, value: Val<'p>) -> Elements {
        let known = self.unwritten.get(&ir::value_key(value));
        known.copied().unwrap_or(Elements(0))
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
                    .note(value.location(), "the tensor is made here")
            })
    }

    fn push(&mut self, node: Node<'p>) {
        if let What::Value(value) = node.what {
            self.of_value.insert(ir::value_key(value), self.nodes.len());
        }
        self.nodes.push(node);
    }

    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        ir::operations(block).try_for_each(|op| self.operation(op))
    }

    fn operation(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if let Some(device) = DeviceOp::cast(op) {
            let given = self.given(op)?;
            let choices = match self.decided(op, &given) {
                Some(choice) => vec![choice],
                None => {
                    let indexing = self.indexings.of(device);
                    decide::choices(self, device, &indexing, &given)?
                }
            };
            return self.finish(op, choices, &given);
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
                let given = self.given(op)?;
                let choices = match self.decided(op, &given) {
                    Some(choice) => vec![choice],
                    None => view::choices(self, op, &given)?,
                };
                if ir::kind(op) == OpKind::InsertSlice {
                    self.fill_window(op)?;
                }
                self.finish(op, choices, &given)
            }
            _ => Ok(()),
        }
    }

    /// Returns the only choice for an operation whose tensors all have their layouts, which the verifier has checked; `None` for
    /// other operations.
    fn decided(&self, op: Op<'p>, given: &Given<'p>) -> Option<Choice<'p>> {
        let Given::Layout(ty) = given else {
            return None;
        };
        let tensors = op
            .operands()
            .filter(|value| ir::is_ranked_tensor(value.r#type()));
        let is_device = DeviceOp::cast(op).is_some();
        let mut fits = Vec::new();
        let mut first = None;
        for value in tensors {
            let producer = self.nodes.get(*self.of_value.get(&ir::value_key(value))?)?;
            if !producer.decided {
                return None;
            }
            let view = producer.views.first()?;
            first = first.or(Some(view));
            fits.push(vec![if is_device { readable(view) } else { Fit::Met }]);
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
    fn given(&self, op: Op<'p>) -> Result<Given<'p>, Diagnostic<'p>> {
        let result = self.result(op)?;
        let tensor = self
            .types
            .get(result.r#type())
            .map_err(|why| self.error(op, why))?;
        if tensor.has_layout {
            return Ok(Given::Layout(tensor));
        }
        let Ok(listed) = op.attribute(CANDIDATES) else {
            return Ok(Given::Nothing);
        };
        let listed = attr::elements(listed).into_iter().filter_map(attr::layout);
        let types = listed.map(|layout| {
            self.types
                .with_layout(tensor.shape(), tensor.element, &layout)
                .map_err(|why| self.error(op, why))
        });
        Ok(Given::Candidates(types.collect::<Result<_, _>>()?))
    }

    fn result(&self, op: Op<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let result = op.result(0).map_err(|why| self.error(op, why))?;
        Ok(result.into())
    }

    /// Notes the elements that an insertion leaves unwritten, where the windows of one tensor do not overlap.
    fn fill_window(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let operand = |index| op.operand(index).map_err(|why| self.error(op, why));
        let (tile, into) = (operand(0)?, operand(1)?);
        let tile = self
            .types
            .get(tile.r#type())
            .map_err(|why| self.error(op, why))?;
        let written = Elements(tile.shape().iter().product());
        let left = Elements(self.unwritten(into).get().saturating_sub(written.get()));
        let result = self.result(op)?;
        self.leave_unwritten(result, left);
        Ok(())
    }

    /// Makes the node of a tensor without operands. Any dimension that is wanted may be on its stick. A tensor that is not
    /// written yet is not copied to the layout that its windows ask for, so it can have that layout from the start.
    fn source(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let given = self.given(op)?;
        let result = self.result(op)?;
        let is_empty = EmptyOp::cast(op).is_some();
        let types = if let Some(types) = given.types() {
            types.to_vec()
        } else {
            let (default, _) = self
                .laid_out(result.r#type())
                .map_err(|why| self.error(op, why))?;
            let mut types = vec![Rc::clone(&default)];
            let stick = default.device.layout().stick_dim();
            let is_one = stick.is_some_and(|dim| default.shape().get(dim) == Some(&1));
            // With a dimension of one element on the stick there is one element in each stick, as in the result of a reduction.
            let sparse = (is_one || is_empty).then_some(None);
            let wanted = match is_empty {
                true => (0..default.shape().len())
                    .filter(|dim| default.shape().get(*dim) != Some(&1))
                    .collect(),
                false => self.wanted(result),
            };
            for dim in wanted.into_iter().map(Some).chain(sparse) {
                let wanted = restick::default_with_stick(
                    self.types,
                    default.shape(),
                    default.element,
                    default.device.format(),
                    dim,
                    Arrangement::Standard,
                );
                types.extend(wanted.ok().filter(|wanted| wanted.ty != default.ty));
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
        self.finish(op, choices.collect(), &given)
    }

    /// Checks an operation without a rule for layouts. It is allowed if it makes no tensor and does not depend on the type of a
    /// tensor that is going to change.
    fn other(&self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if op.name().as_string_ref().as_str() == Ok("func.call") {
            self.call(op)?;
        }
        if !op
            .results()
            .any(|result| ir::is_ranked_tensor(result.r#type()))
        {
            return Ok(());
        }
        let name = op.name();
        let name = name.as_string_ref();
        Err(self.error(
            op,
            match name.as_str().unwrap_or("operation") {
                "tensor.cast" => "tensor.cast does not change layouts; spyre.restickify does, and \
                                  nothing else"
                    .to_owned(),
                "arith.constant" => "arith.constant has no rule for layouts; spyre.fill makes a \
                                     constant tensor"
                    .to_owned(),
                name => format!("{name} makes a tensor, but has no rule for layouts"),
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
                        "operand #{operand} has no layout, and the function that is called takes the type as it is; \
                         give both the same layout"
                    ),
                )
                .note(value.location(), format!("operand #{operand} is made here")));
        }
        Ok(())
    }

    fn for_loop(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let Some(body) = ir::body(op) else {
            return Ok(());
        };
        if op.has_attribute(CANDIDATES) {
            return Err(self.error(
                op,
                format!(
                    "a loop has the layouts of what it starts with, so {CANDIDATES} belongs on that"
                ),
            ));
        }
        let mut carried = Vec::new();
        for index in 0..op.result_count() {
            let inside: Val<'p> = body
                .argument(1 + index)
                .map_err(|why| self.error(op, why))?
                .into();
            if ir::is_ranked_tensor(inside.r#type()) {
                let operand = FIRST_INIT + index;
                let init = op.operand(operand).map_err(|why| self.error(op, why))?;
                self.same_as(inside, op, operand, init)?;
                self.leave_unwritten(inside, self.unwritten(init));
                carried.push((index, inside));
            }
        }
        self.block(body)?;
        let end = body
            .terminator()
            .ok_or_else(|| self.error(op, "the loop has no end"))?;
        for (index, inside) in carried {
            self.yielded(end, index, inside)?;
            let result = op.result(index).map_err(|why| self.error(op, why))?;
            self.same_as(result.into(), op, FIRST_INIT + index, inside)?;
        }
        Ok(())
    }

    /// Makes the node of a value of a loop that has the layout of another value.
    fn same_as(
        &mut self,
        value: Val<'p>,
        user: Op<'p>,
        operand: usize,
        source: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let producer = self.producer(user, source)?;
        let candidates = self.candidates(user, source)?.to_vec();
        let views = self.views(user, source)?.to_vec();
        let count = candidates.len();
        let needs = Needs::from_fn(count, count, |own, other| {
            if own == other {
                Need::Met
            } else {
                Need::Impossible
            }
        });
        let decided = self.types.get(value.r#type()).is_ok_and(|ty| ty.has_layout);
        self.push(Node {
            what: What::Value(value),
            op: user,
            candidates,
            views,
            reads: vec![Read {
                producer,
                user,
                operand,
                needs,
            }],
            targets: Vec::new(),
            decided,
        });
        Ok(())
    }

    /// Makes the node of a value that a loop yields. It has the layout of the value that the loop carries.
    fn yielded(
        &mut self,
        end: Op<'p>,
        index: usize,
        inside: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let yielded = end.operand(index).map_err(|why| self.error(end, why))?;
        let carried = self.candidates(end, inside)?.to_vec();
        let found = self.candidates(end, yielded)?.to_vec();
        let seen = self.views(end, yielded)?.to_vec();
        let choices = carried.iter().enumerate().map(|(own, ty)| Choice {
            ty: Rc::clone(ty),
            view: ty.device.view(),
            fits: vec![
                found
                    .iter()
                    .zip(&seen)
                    .map(|(found, view)| exactly(found, view, ty))
                    .collect(),
                (0..carried.len())
                    .map(|other| {
                        if own == other {
                            Fit::Met
                        } else {
                            Fit::Never("has another layout than what is carried".to_owned())
                        }
                    })
                    .collect(),
            ],
        });
        let choices: Vec<_> = choices.collect();
        let choices = self.possible(end, choices, &[yielded, inside])?;
        let candidates = choices.iter().map(|choice| Rc::clone(&choice.ty)).collect();
        let reads = [(index, yielded, 0), (index, inside, 1)].map(|(operand, value, fit)| {
            let producer = self.producer(end, value)?;
            let needs = self.needs(producer, &choices, fit, None);
            Ok(Read {
                producer,
                user: end,
                operand,
                needs,
            })
        });
        let reads = reads.into_iter().collect::<Result<_, Diagnostic<'p>>>()?;
        self.push(Node {
            what: What::Yield,
            op: end,
            candidates,
            views: choices.into_iter().map(|choice| choice.view).collect(),
            reads,
            targets: Vec::new(),
            decided: true,
        });
        Ok(())
    }

    /// Makes the nodes of the values that a function returns. A returned value is copied to an argument, so an operation has to
    /// be able to read it. The host has to be able to read it too. It does not know the order that a cast leaves, so that order
    /// is refused unless the type asks for it.
    fn returned(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        for (operand, value) in op.operands().enumerate() {
            if !ir::is_ranked_tensor(value.r#type()) {
                continue;
            }
            let found = self.candidates(op, value)?;
            let Some(first) = found.first().map(Rc::clone) else {
                continue;
            };
            let is_decided = self.types.get(value.r#type()).is_ok_and(|ty| ty.has_layout);
            let fit = |(ty, view): (&Candidate<'p>, &View)| {
                let arrangement = ty.device.layout().arrangement();
                match readable(view) {
                    Fit::Met if arrangement.is_staggered() && !is_decided => Fit::Never(format!(
                        "is returned in the arrangement {arrangement}, an order that no document describes and the host cannot \
                         read; return it before the cast, or cast it back"
                    )),
                    fit => fit,
                }
            };
            let seen = found.iter().zip(self.views(op, value)?);
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
                what: What::Yield,
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

    /// Makes the node of an operation with one result.
    fn finish(
        &mut self,
        op: Op<'p>,
        choices: Vec<Choice<'p>>,
        given: &Given<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let operands: Vec<Val<'p>> = op.operands().collect();
        let choices = self.possible(op, choices, &operands)?;
        // Views have no hints. A copy for a view is tiled with the operation that makes the view's source. It is not tiled where
        // another dimension comes onto the stick, which could be one that is cut.
        let source = operands.first().copied();
        let (tiled, reads_exactly) = match DeviceOp::cast(op) {
            Some(device) => (Some(device), false),
            None => (
                source.and_then(|source| DeviceOp::cast(ir::defining_op(source)?)),
                true,
            ),
        };
        let hints = tiled
            .and_then(DeviceOp::hints_attribute)
            .map(|hints| Hints {
                attribute: hints,
                same_stick: reads_exactly,
            });
        let read = choices.first().map_or(0, |choice| choice.fits.len());
        let mut reads = Vec::with_capacity(read);
        for (operand, value) in operands.iter().take(read).enumerate() {
            let producer = self.producer(op, *value)?;
            reads.push(Read {
                producer,
                user: op,
                operand,
                needs: self.needs(producer, &choices, operand, hints),
            });
        }
        let node = Node {
            what: What::Value(self.result(op)?),
            op,
            views: choices.iter().map(|choice| choice.view.clone()).collect(),
            candidates: choices.into_iter().map(|choice| choice.ty).collect(),
            reads,
            targets: Vec::new(),
            decided: matches!(given, Given::Layout(_)),
        };
        self.push(node);
        Ok(())
    }

    /// Returns the choices for which every operand has a layout that goes with them.
    fn possible(
        &self,
        op: Op<'p>,
        choices: Vec<Choice<'p>>,
        operands: &[Val<'p>],
    ) -> Result<Vec<Choice<'p>>, Diagnostic<'p>> {
        let mut refused = None;
        let mut possible = Vec::with_capacity(choices.len());
        for choice in choices {
            let why = choice.fits.iter().enumerate().find_map(|(operand, fits)| {
                let mut reasons = fits.iter().map(|fit| match fit {
                    Fit::Never(why) => Some(why),
                    _ => None,
                });
                let first = reasons.next().flatten()?;
                reasons
                    .all(|why| why.is_some())
                    .then(|| (operand, first.clone()))
            });
            match why {
                None => possible.push(choice),
                Some(why) => {
                    refused.get_or_insert((why, choice.ty));
                }
            }
        }
        if possible.is_empty()
            && let Some(((operand, why), _)) = refused
        {
            let diagnostic = self.error(op, format!("operand #{operand} {why}"));
            return Err(match operands.get(operand) {
                Some(value) => {
                    diagnostic.note(value.location(), format!("operand #{operand} is made here"))
                }
                None => diagnostic,
            });
        }
        if possible.is_empty() {
            return Err(self.error(op, "there is no layout for the result"));
        }
        Ok(possible)
    }

    /// Returns the table of an operand's needs. Copies are entered at the producer.
    fn needs(
        &mut self,
        producer: usize,
        choices: &[Choice<'p>],
        operand: usize,
        hints: Option<Hints<'p>>,
    ) -> Needs {
        let columns = self
            .nodes
            .get(producer)
            .map_or(0, |node| node.candidates.len());
        Needs::from_fn(choices.len(), columns, |own, other| {
            let fit = choices
                .get(own)
                .and_then(|choice| choice.fits.get(operand)?.get(other));
            match fit {
                Some(Fit::Met) => Need::Met,
                Some(Fit::Restickify(ty)) => {
                    let hints = hints.filter(|hints| {
                        let node = self.nodes.get(producer);
                        let found = node.and_then(|node| node.candidates.get(other));
                        let stick = |ty: &Candidate<'p>| ty.device.layout().stick_dim();
                        !hints.same_stick || found.map(stick) == Some(stick(ty))
                    });
                    self.target(producer, ty, hints.map(|hints| hints.attribute))
                        .map_or(Need::Impossible, Need::Copy)
                }
                Some(Fit::Never(_)) | None => Need::Impossible,
            }
        })
    }

    /// Returns the number of a copy of a value, which is added if it is new.
    fn target(
        &mut self,
        producer: usize,
        ty: &Candidate<'p>,
        hints: Option<Attribute<'p>>,
    ) -> Option<TargetId> {
        let targets = &mut self.nodes.get_mut(producer)?.targets;
        let key = |hints: Option<Attribute<'p>>| hints.map(|hints| hints.to_raw().ptr as usize);
        let known = targets.iter().position(|target| {
            target.ty.ty.to_raw().ptr == ty.ty.to_raw().ptr && key(target.hints) == key(hints)
        });
        let index = known.unwrap_or_else(|| {
            targets.push(Target {
                ty: Rc::clone(ty),
                hints,
            });
            targets.len() - 1
        });
        u32::try_from(index).ok().map(TargetId)
    }
}

/// Returns [`Fit::Met`] if an operation can read a view, and the reason if it cannot.
pub(super) fn readable(view: &View) -> Fit<'static> {
    match view.operand_coords() {
        Ok(_) => Fit::Met,
        Err(why) => Fit::Never(format!("is a view that no operation can read: {why}")),
    }
}

/// Returns the copy of a view to a layout, or the reason why it is impossible.
pub(super) fn copied<'p>(found: &Candidate<'p>, view: &View, wanted: &Candidate<'p>) -> Fit<'p> {
    match readable(view) {
        Fit::Never(why) => Fit::Never(why),
        _ => restick::copy_to(found, wanted),
    }
}

/// Returns the need of an operand that is read in exactly one type: none, a copy, or the reason why it is impossible.
pub(super) fn exactly<'p>(found: &Candidate<'p>, view: &View, wanted: &Candidate<'p>) -> Fit<'p> {
    if found.ty == wanted.ty {
        return Fit::Met;
    }
    copied(found, view, wanted)
}

/// Returns the need of an operand that is read in one layout: none, a copy, or the reason why it is impossible. Padding may
/// differ, because a window of a tensor does not have the padding of the tensor.
pub(super) fn same_or_copy<'p>(
    found: &Candidate<'p>,
    view: &View,
    wanted: &Candidate<'p>,
) -> Fit<'p> {
    if is_alike(found, wanted) {
        return readable(view);
    }
    copied(found, view, wanted)
}

/// Returns whether two types differ in padding at the most.
pub(super) fn is_alike(found: &Candidate<'_>, wanted: &Candidate<'_>) -> bool {
    let (have, want) = (&found.device, &wanted.device);
    have.layout().coords() == want.layout().coords()
        && have.layout().arrangement() == want.layout().arrangement()
        && have.format() == want.format()
}

/// Returns whether an operation is a `spyre.fill`.
pub fn is_fill(op: Op<'_>) -> bool {
    op.name().as_string_ref().as_str() == Ok("spyre.fill")
}
