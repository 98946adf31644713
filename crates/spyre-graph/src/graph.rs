//! The graph: inputs, nodes, hints.

use std::sync::atomic::{AtomicU64, Ordering};

use melior::Context;
use melior::ir::Module;
use spyre_dialects::hint::{TileHint, Tiles};
use spyre_layout::Layout;
use spyre_mlir_rt::ir::Val;
use spyre_ods::{OpParts, spyre};

use crate::attributes::{Attributes, Number};
use crate::emit;
use crate::error::{DeclarationError, GraphError, Operand};
use crate::function::{Build, Definition, Function, Node};
use crate::hints;
use crate::infer;
use crate::tensor::{Axis, Dim, ELEMENTS, Element, Tensor, TensorType};

/// A function under construction.
///
/// A method for an operation checks the operands, adds the operation and returns its result. [`finish`](Self::finish)
/// returns the module of the function.
pub struct Graph<'c> {
    pub(crate) context: &'c Context,
    pub(crate) function: Function,
    /// The number of the graph in the process.
    number: u64,
    /// The hints around the next operation, outermost first.
    hints: Vec<TileHint>,
    /// The scope of the next hint. It only grows: an inner scope has a larger number than the outer one, and two scopes
    /// in a row are two loops.
    next_scope: i64,
    /// The first declaration that was refused.
    refused: Option<GraphError>,
}

impl<'c> Graph<'c> {
    /// Returns a graph without inputs, of a function of a name. The context is that of `spyre_exec::context()` or
    /// `spyre_all::context()`, or another one with the dialects `func` and `spyre`.
    #[must_use]
    pub fn new(context: &'c Context, name: &str) -> Self {
        static GRAPHS: AtomicU64 = AtomicU64::new(0);
        Self {
            context,
            function: Function {
                name: name.to_owned(),
                nodes: Vec::new(),
            },
            number: GRAPHS.fetch_add(1, Ordering::Relaxed),
            hints: Vec::new(),
            next_scope: 0,
            refused: None,
        }
    }

    /// Adds an input of the function. A dimension is a number of elements, or a name with that, for hints: `&[4, 64]` or
    /// `&[("rows", 4), ("columns", 64)]`. The input has the default layout, the last dimension on the stick.
    ///
    /// [`finish`](Self::finish) returns the error of an input that the device cannot have, such as one without elements.
    pub fn input<A: Into<Axis> + Clone>(
        &mut self,
        name: &str,
        shape: &[A],
        element: Element,
    ) -> Tensor {
        let ty = input_type(shape, element);
        self.declare(name, ty)
    }

    /// Adds an input with a layout, as [`input`](Self::input) adds one without.
    pub fn input_with_layout<A: Into<Axis> + Clone>(
        &mut self,
        name: &str,
        shape: &[A],
        element: Element,
        layout: Layout,
    ) -> Tensor {
        let ty = TensorType {
            layout: Some(layout),
            ..input_type(shape, element)
        };
        self.declare(name, ty)
    }

    fn declare(&mut self, name: &str, mut ty: TensorType) -> Tensor {
        let device_layout = match self.check_input(name, &ty) {
            Ok(layout) => Some(layout),
            Err(source) => {
                let name = format!("\"{name}\"");
                self.refused
                    .get_or_insert(GraphError::Declaration { name, source });
                // Operations on the input do not meet a layout of another tensor.
                ty.layout = None;
                None
            }
        };
        let name = name.to_owned();
        let tensor = self.push(ty, Definition::Input { name });
        self.function.nodes[tensor.node].device_layout = device_layout;
        tensor
    }

    /// Checks an input, and returns its layout in device memory.
    fn check_input(&self, name: &str, ty: &TensorType) -> Result<Layout, DeclarationError> {
        let layout = check_on_device(ty)?;
        if self.function.inputs().any(|(input, _)| input == name) {
            return Err(DeclarationError::Input);
        }
        self.check_names(ty)?;
        Ok(layout)
    }

    /// Checks the names of the dimensions of a declared tensor.
    fn check_names(&self, ty: &TensorType) -> Result<(), DeclarationError> {
        for (dim, name) in named_dims(ty) {
            if name.is_empty() {
                return Err(DeclarationError::Unnamed(dim));
            }
            let same = named_dims(ty).find(|(other, text)| *other < dim && *text == name);
            if let Some((earlier, _)) = same {
                return Err(DeclarationError::Repeated {
                    name: name.to_owned(),
                    dims: [earlier, dim],
                });
            }
        }
        for (input, earlier) in self.function.inputs() {
            for (dim, name) in named_dims(ty) {
                let same = named_dims(earlier).find(|(_, other)| *other == name);
                let extents = same.map(|(other, _)| [ty.shape[dim], earlier.shape[other]]);
                // A dimension of extent 1 is a broadcast of the named one.
                let is_other =
                    |[here, there]: &[u64; 2]| here != there && *here != 1 && *there != 1;
                if let Some(extents) = extents.filter(is_other) {
                    let (name, input) = (name.to_owned(), input.to_owned());
                    return Err(DeclarationError::Extent {
                        name,
                        input,
                        extents,
                    });
                }
            }
        }
        Ok(())
    }

    /// Tiles a dimension in the operations that `work` adds: a loop of `--coarse-tile` runs them for a tile after the
    /// other. A call in `work` tiles a second dimension, by an inner loop.
    ///
    /// An operation without an OpFunc, such as `sin`, has no hints. `--spyre-decompose` gives the operations in its
    /// place the hints of a user, or those of the producer of an operand if no user has hints. So such an operation
    /// outside of `work` is tiled with that user or producer, and [`finish`](Self::finish) refuses one in `work` that
    /// would have other hints than those of `work`.
    ///
    /// # Errors
    /// No input has a dimension of the name, the number of tiles or of their elements is 0 or above [`i64::MAX`], and
    /// the errors of `work`.
    pub fn tile<T>(
        &mut self,
        dim: &str,
        tiles: Tiles,
        work: impl FnOnce(&mut Self) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        let names = self.function.inputs().flat_map(|(_, ty)| named_dims(ty));
        let mut names: Vec<String> = names.map(|(_, name)| name.to_owned()).collect();
        if !names.iter().any(|name| name == dim) {
            names.sort();
            names.dedup();
            let name = dim.to_owned();
            return Err(GraphError::UnknownName { name, names });
        }
        let (Tiles::Count(amount) | Tiles::Size(amount)) = tiles;
        // The attribute has a signed integer.
        if amount == 0 || i64::try_from(amount).is_err() {
            return Err(GraphError::NoTiles {
                name: dim.to_owned(),
                tiles: tiles.to_string(),
            });
        }
        self.hints.push(TileHint {
            scope: self.next_scope,
            dim: dim.to_owned(),
            tiles,
        });
        self.next_scope += 1;
        let outcome = work(self);
        self.hints.pop();
        outcome
    }

    /// Returns the type of a tensor.
    ///
    /// # Panics
    /// For a tensor of another graph.
    #[must_use]
    pub fn ty(&self, tensor: Tensor) -> &TensorType {
        assert_eq!(tensor.graph, self.number, "a tensor of another graph");
        &self.function.nodes[tensor.node].ty
    }

    /// Returns the layout in device memory: of an input the layout that the program gives it, or the default one, its
    /// dimensions in order and the last one on the stick; of a permutation the permuted layout of its operand; of
    /// another result the layout that all operands have. `None` where the passes of layouts choose the layout, and for
    /// an input that was refused.
    ///
    /// # Panics
    /// For a tensor of another graph.
    #[must_use]
    pub fn device_layout(&self, tensor: Tensor) -> Option<&Layout> {
        assert_eq!(tensor.graph, self.number, "a tensor of another graph");
        self.function.nodes[tensor.node].device_layout.as_ref()
    }

    /// Returns a module with the function, verified. The function returns `results`.
    ///
    /// # Errors
    /// An input was refused, there is no result, a result is of another graph, an operation without an OpFunc would not
    /// be tiled as [`tile`](Self::tile) demands, the context has no dialects, or the verifier refuses the module.
    pub fn finish(mut self, results: &[Tensor]) -> Result<Module<'c>, GraphError> {
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        if results.is_empty() {
            return Err(GraphError::NoResult);
        }
        self.types(spyre_ods::func::RETURN, results)?;
        hints::check(&self.function)?;
        let results: Vec<usize> = results.iter().map(|tensor| tensor.node).collect();
        emit::module(self.context, &self.function, &results)
    }

    /// Returns the types of the operands of an operation.
    ///
    /// # Errors
    /// An operand is of another graph.
    pub(crate) fn types(
        &self,
        operation: &'static str,
        operands: &[Tensor],
    ) -> Result<Vec<&TensorType>, GraphError> {
        let checked = operands.iter().enumerate().map(|(number, tensor)| {
            let is_here = tensor.graph == self.number;
            is_here
                .then(|| &self.function.nodes[tensor.node].ty)
                .ok_or(GraphError::Foreign { operation, number })
        });
        checked.collect()
    }

    /// Adds an operation of which the operands are checked.
    pub(crate) fn add_operation<const N: usize>(
        &mut self,
        name: &'static str,
        operands: [Tensor; N],
        ty: TensorType,
        build: impl for<'p> Fn(Attributes<'p>, [Val<'p>; N]) -> OpParts<'p> + 'static,
    ) -> Tensor {
        let build: Build = Box::new(move |attributes, values| {
            let values = values.try_into();
            build(attributes, values.expect("an operation has its operands"))
        });
        let definition = Definition::Operation {
            name,
            operands: operands.iter().map(|operand| operand.node).collect(),
            build,
            hints: self.hints.clone(),
        };
        self.push(ty, definition)
    }

    fn push(&mut self, ty: TensorType, definition: Definition) -> Tensor {
        self.function.nodes.push(Node {
            device_layout: ty.layout.clone(),
            ty,
            definition,
        });
        Tensor {
            graph: self.number,
            node: self.function.nodes.len() - 1,
        }
    }

    /// Returns a tensor for a message.
    pub(crate) fn operand(&self, tensor: Tensor) -> Operand {
        let node = &self.function.nodes[tensor.node];
        Operand {
            name: self.function.node_name(tensor.node),
            shape: node.ty.shape.clone(),
            element: node.ty.element,
        }
    }

    /// Returns two tensors for a message.
    pub(crate) fn operands(&self, lhs: Tensor, rhs: Tensor) -> Box<[Operand; 2]> {
        Box::new([self.operand(lhs), self.operand(rhs)])
    }

    /// Checks the elements of an operand.
    pub(crate) fn check_element(
        &self,
        operation: &'static str,
        tensor: Tensor,
        allowed: &[Element],
    ) -> Result<(), GraphError> {
        if allowed.contains(&self.function.nodes[tensor.node].ty.element) {
            return Ok(());
        }
        Err(GraphError::Element {
            operation,
            operand: Box::new(self.operand(tensor)),
            allowed: allowed.to_vec(),
        })
    }

    /// Checks the elements of a result.
    pub(crate) fn check_result(
        &self,
        operation: &'static str,
        operand: Tensor,
        element: Element,
        allowed: &[Element],
    ) -> Result<(), GraphError> {
        if allowed.contains(&element) {
            return Ok(());
        }
        Err(GraphError::Result {
            operation,
            operand: Box::new(self.operand(operand)),
            element,
            allowed: allowed.to_vec(),
        })
    }

    /// Checks that two operands have the same elements.
    pub(crate) fn check_same_elements(
        &self,
        operation: &'static str,
        lhs: Tensor,
        rhs: Tensor,
    ) -> Result<(), GraphError> {
        if self.function.nodes[lhs.node].ty.element == self.function.nodes[rhs.node].ty.element {
            return Ok(());
        }
        let operands = self.operands(lhs, rhs);
        Err(GraphError::Elements {
            operation,
            operands,
        })
    }

    /// Returns the numbers of dimensions of a tensor.
    ///
    /// # Errors
    /// It has no such dimension, or two of one name.
    pub(crate) fn dims<D: Into<Dim> + Clone>(
        &self,
        operation: &'static str,
        tensor: Tensor,
        dims: &[D],
    ) -> Result<Vec<usize>, GraphError> {
        let ty = self.types(operation, &[tensor])?[0];
        let number = |dim: &D| {
            let dim: Dim = dim.clone().into();
            let operand = || Box::new(self.operand(tensor));
            match (ty.numbers(&dim).as_slice(), dim) {
                ([first, second, ..], Dim::Name(name)) => Err(GraphError::Ambiguous {
                    operation,
                    operand: operand(),
                    name,
                    dims: [*first, *second],
                }),
                ([number, ..], _) => Ok(*number),
                ([], dim) => Err(GraphError::Dimension {
                    operation,
                    operand: operand(),
                    dim,
                    names: ty.names.iter().flatten().cloned().collect(),
                }),
            }
        };
        dims.iter().map(number).collect()
    }

    /// Returns the type of a result with as many positions as the operands broadcast to. It has the layout of the
    /// operands if all have the type of the result: then every operand and the result have the same sticks.
    ///
    /// # Errors
    /// Two operands do not broadcast, or one is of another graph.
    pub(crate) fn broadcast(
        &self,
        operation: &'static str,
        operands: &[Tensor],
        element: Element,
    ) -> Result<TensorType, GraphError> {
        let types = self.types(operation, operands)?;
        let mut shape = Vec::new();
        for (number, ty) in types.iter().enumerate() {
            // Operands that broadcast in pairs broadcast together, and a message names a pair.
            for earlier in 0..number {
                infer::broadcast(&types[earlier].shape, &ty.shape).map_err(|mismatch| {
                    GraphError::Broadcast {
                        operation,
                        operands: self.operands(operands[earlier], operands[number]),
                        dim: mismatch.dim,
                        extents: mismatch.extents,
                    }
                })?;
            }
            shape = infer::broadcast(&shape, &ty.shape).expect("each pair broadcasts");
        }
        let first = types.first().expect("an operation has an operand");
        let is_same = |ty: &&TensorType| {
            ty.shape == shape && ty.element == element && ty.layout == first.layout
        };
        let layout = first.layout.clone().filter(|_| types.iter().all(is_same));
        Ok(TensorType {
            names: infer::names(&shape, &types),
            shape,
            element,
            layout,
        })
    }

    /// Adds a constant: a tensor with one value everywhere.
    ///
    /// # Errors
    /// The device cannot have the tensor, a name is empty, repeated, or that of an input's dimension of another extent,
    /// or the number is no element of the type: beyond the largest one, or a fraction for a type of integers.
    pub fn fill<A: Into<Axis> + Clone>(
        &mut self,
        shape: &[A],
        element: Element,
        value: f64,
    ) -> Result<Tensor, GraphError> {
        let ty = input_type(shape, element);
        check_on_device(&ty)
            .and_then(|_| self.check_names(&ty))
            .map_err(|source| GraphError::Declaration {
                name: spyre::FILL.to_owned(),
                source,
            })?;
        let Some(value) = Number::of(value, element) else {
            return Err(GraphError::Value { value, element });
        };
        let fill_type = ty.clone();
        Ok(
            self.add_operation(spyre::FILL, [], ty, move |attributes, []| {
                spyre::fill(attributes.splat(&fill_type, value))
            }),
        )
    }

    /// Adds a constant with the elements and the number of dimensions of a tensor, each of one element: it repeats along
    /// all of them.
    ///
    /// # Errors
    /// The tensor is of another graph, or no element of its type is the number.
    pub fn number(&mut self, value: f64, like: Tensor) -> Result<Tensor, GraphError> {
        let ty = self.types(spyre::FILL, &[like])?[0];
        let (ones, element) = (vec![1_u64; ty.shape.len()], ty.element);
        self.fill(&ones, element, value)
    }
}

/// Returns the type of a tensor that a program declares.
fn input_type<A: Into<Axis> + Clone>(shape: &[A], element: Element) -> TensorType {
    let axes: Vec<Axis> = shape.iter().cloned().map(Into::into).collect();
    TensorType {
        names: axes.iter().map(|axis| axis.name.clone()).collect(),
        ..TensorType::new(axes.iter().map(|axis| axis.extent).collect(), element)
    }
}

/// Returns the dimensions with a name, each with its number.
fn named_dims(ty: &TensorType) -> impl Iterator<Item = (usize, &str)> {
    let dims = ty.names().enumerate();
    dims.filter_map(|(dim, name)| Some((dim, name?)))
}

/// Checks that device memory can have a tensor, and returns its layout there if it is an input.
fn check_on_device(ty: &TensorType) -> Result<Layout, DeclarationError> {
    let format = ty.element.device_format().ok();
    let format = format.filter(|_| ELEMENTS.contains(&ty.element));
    let format = format.ok_or(DeclarationError::Element(ty.element))?;
    for (dim, extent) in ty.shape.iter().enumerate() {
        if *extent == 0 {
            return Err(DeclarationError::Empty(dim));
        }
        // An extent of MLIR is a signed integer.
        if i64::try_from(*extent).is_err() {
            return Err(DeclarationError::Long(dim));
        }
    }
    let layout = ty.input_layout(format)?;
    layout.place(&ty.shape, format)?;
    Ok(layout)
}
