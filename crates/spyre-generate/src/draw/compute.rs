//! Operations that compute.

use super::{Builder, SMALL_BOUND};
use crate::program::{Element, Node, NodeKind, Tensor};
use crate::vocabulary::SCALE_OF_ROWS;

/// Numbers of columns of a right operand.
pub(super) const COLUMNS: [u64; 10] = [1, 2, 16, 32, 64, 65, 80, 96, 100, 128];

/// Reductions.
const REDUCTIONS: [&str; 7] = ["sum", "mean", "min", "max", "prod", "absmax", SCALE_OF_ROWS];

/// Largest number of multiplications of a product of matrices.
pub(super) const MOST_PRODUCTS: u64 = 1 << 20;

/// Elements of a stick of 32 bits.
const WIDE_STICK: u64 = 32;

/// Largest extent with positions that every float type of the card represents exactly.
const MOST_POSITIONS: u64 = 256;

/// Largest magnitude of normalised elements: its square is in the range of every float.
const MOST_NORMALISED: u64 = 64;

impl Builder {
    /// Draws an operation.
    pub(super) fn compute(&mut self) {
        match self.numbers.below(14) {
            13 => self.repeat(),
            0 | 1 => {
                let at = self.any(1, |_| true);
                self.pointwise_on(at);
            }
            2 | 3 => self.binary(),
            4 => self.select(),
            5 | 6 => self.reduce(),
            7 => self.matmul(),
            8 => match self.numbers.one_in(2) {
                true => self.matmul(),
                false => self.windows(),
            },
            9 => self.cast(),
            10 => match self.numbers.one_in(2) {
                true => self.search(),
                false => self.gather(),
            },
            11 => match self.numbers.one_in(4) {
                true => self.exchange(),
                false => self.front_end_loop(),
            },
            _ => self.layer_norm(),
        }
    }

    /// Adds a copy that repeats a value along a dimension of one element. If no value has such a dimension, it is the last of a
    /// new input.
    fn repeat(&mut self) {
        let at = self.value(|node| node.tensor.shape.contains(&1));
        let at = at.unwrap_or_else(|| {
            let shape = [self.lead(2, 512), vec![1]].concat();
            self.input(self.base, &shape, SMALL_BOUND)
        });
        let Tensor { element, shape } = self.tensor(at).clone();
        let ones: Vec<usize> = (0..shape.len()).filter(|dim| shape[*dim] == 1).collect();
        let dim = self.numbers.pick(&ones);
        let mut repeated = shape;
        let most = (1 << 14) / repeated.iter().product::<u64>().max(1);
        repeated[dim] = self.numbers.pick(&COLUMNS).min(most.max(1));
        let bound = self.node(at).bound;
        let tensor = Tensor {
            element,
            shape: repeated,
        };
        self.add(NodeKind::Pointwise("copy", ""), &[at], tensor, bound);
    }

    /// Adds one operation on the newest value, so that an operation can have hints.
    pub(super) fn computed_result(&mut self) {
        let last = self.program.nodes.len() - 1;
        self.pointwise_on(last);
    }

    /// Adds an operation element by element on a value.
    pub(super) fn pointwise_on(&mut self, at: usize) -> usize {
        let node = self.node(at);
        let (tensor, bound) = (node.tensor.clone(), node.bound);
        if !tensor.element.is_float() {
            let partner = self.partner(at);
            return self.binary_on("add", at, partner);
        }
        let (mnemonic, rest) = match self.exact || self.numbers.one_in(2) {
            true => self.numbers.pick(&self.vocabulary.exact),
            false => self.numbers.pick(&self.vocabulary.inexact),
        };
        let bound = match mnemonic {
            _ if self.vocabulary.inexact.contains(&(mnemonic, rest)) => None,
            "clip" => bound.map(|bound| bound.min(2)),
            "relu6fwd" => bound.map(|bound| bound.min(6)),
            _ => bound,
        };
        self.add(NodeKind::Pointwise(mnemonic, rest), &[at], tensor, bound)
    }

    /// Returns a value that broadcasts to another one: it has the same shape, or some of its dimensions are 1, or it lacks the
    /// first dimension.
    pub(super) fn partner(&mut self, at: usize) -> usize {
        let Tensor { element, shape } = self.tensor(at).clone();
        let operand =
            self.value(|node| node.tensor.shape == shape && node.tensor.element == element);
        if let Some(operand) = operand
            && operand != at
            && self.numbers.one_in(2)
        {
            return operand;
        }
        let mut operand_shape = shape;
        for extent in &mut operand_shape {
            if self.numbers.one_in(4) {
                *extent = 1;
            }
        }
        if operand_shape.len() > 1 && self.numbers.one_in(4) {
            operand_shape.remove(0);
        }
        match self.numbers.one_in(6) {
            true => self.fill(element, &operand_shape),
            false => self.input(element, &operand_shape, SMALL_BOUND),
        }
    }

    pub(super) fn binary_on(&mut self, mnemonic: &'static str, a: usize, b: usize) -> usize {
        let tensor = self.tensor(a).clone();
        let (a, b) = match tensor.element {
            Element::I64 => (self.bounded(a), self.bounded(b)),
            _ => (a, b),
        };
        let bounds = self.node(a).bound.zip(self.node(b).bound);
        let bound = match mnemonic {
            "mul" => bounds.map(|(a, b)| a.saturating_mul(b)),
            "add" | "sub" | "revsub" | "biasadd" => bounds.map(|(a, b)| a + b),
            "maximum" | "minimum" => bounds.map(|(a, b)| a.max(b)),
            _ => None,
        };
        self.add(NodeKind::Pointwise(mnemonic, ""), &[a, b], tensor, bound)
    }

    /// Adds operations that clamp a value of 64 bits to numbers with products that fit into 32 bits. The clamp has to
    /// be in the program: the card has no more than 32 bits, and a 64-bit value is narrowed to 32 only if its range is
    /// proved to fit.
    fn bounded(&mut self, at: usize) -> usize {
        let tensor = self.tensor(at).clone();
        let bound = self.node(at).bound;
        let [least, most] = [-100, 100].map(|number| {
            let scalar = Tensor {
                element: tensor.element,
                shape: vec![1; tensor.shape.len()],
            };
            self.add(NodeKind::Fill(number), &[], scalar, Some(100))
        });
        let kind = |mnemonic| NodeKind::Pointwise(mnemonic, "");
        let bound = bound.map_or(100, |bound| bound.min(100));
        let at = self.add(kind("maximum"), &[at, least], tensor.clone(), None);
        self.add(kind("minimum"), &[at, most], tensor, Some(bound))
    }

    fn binary(&mut self) {
        let a = self.any(1, |_| true);
        let b = self.partner(a);
        let mnemonic = match self.tensor(a).element.is_float() && !self.exact {
            true => self.numbers.pick(&self.vocabulary.binary),
            false => self.numbers.pick(&self.vocabulary.exact_binary),
        };
        self.binary_on(mnemonic, a, b);
    }

    /// Adds a comparison, and a choice by it.
    fn select(&mut self) {
        let a = self.any(1, |_| true);
        if !self.tensor(a).element.is_float() {
            let b = self.partner(a);
            self.binary_on("maximum", a, b);
            return;
        }
        let b = self.partner(a);
        let tensor = self.tensor(a).clone();
        let truth = Tensor {
            element: Element::Bool,
            shape: tensor.shape.clone(),
        };
        let condition = if tensor.element != Element::F32 && self.numbers.one_in(4) {
            self.truth_from_outside(&tensor.shape)
        } else {
            let mnemonic = self.numbers.pick(&self.vocabulary.comparisons);
            self.add(NodeKind::Pointwise(mnemonic, ""), &[a, b], truth, None)
        };
        let bounds = self.node(a).bound.zip(self.node(b).bound);
        let bound = bounds.map(|(a, b)| a.max(b));
        self.add(
            NodeKind::Pointwise("where3", ""),
            &[condition, a, b],
            tensor,
            bound,
        );
    }

    /// Adds truth values as an input, half of the time with a permutation of its dimensions.
    fn truth_from_outside(&mut self, shape: &[u64]) -> usize {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if self.numbers.one_in(2) {
            self.numbers.shuffle(&mut order);
        }
        let mut from = vec![1; shape.len()];
        for (dim, extent) in order.iter().zip(shape) {
            from[*dim] = *extent;
        }
        let truth = |shape: Vec<u64>| Tensor {
            element: Element::Bool,
            shape,
        };
        let input = self.add(NodeKind::Input(None), &[], truth(from), None);
        if order.is_sorted() {
            return input;
        }
        self.add(
            NodeKind::Permute(order),
            &[input],
            truth(shape.to_vec()),
            None,
        )
    }

    /// Returns the value itself if its elements are integers of at most this magnitude, or need no bound. Otherwise
    /// adds operations that turn it into such integers.
    pub(super) fn tamed(&mut self, at: usize, most: u64) -> usize {
        let node = self.node(at);
        if self.is_real || node.bound.is_some_and(|bound| bound <= most) {
            return at;
        }
        let tensor = node.tensor.clone();
        if node.bound.is_some() {
            let clip = NodeKind::Pointwise("clip", " min -1.0 max 1.0");
            return self.add(clip, &[at], tensor, Some(1));
        }
        // Clipping keeps NaN, which would be multiplied with zeros.
        let truth = Tensor {
            element: Element::Bool,
            shape: tensor.shape.clone(),
        };
        let scalar = vec![1; tensor.shape.len()];
        let [zero, one, other] = [0, 2, -2].map(|halves| {
            let tensor = Tensor {
                element: tensor.element,
                shape: scalar.clone(),
            };
            let bound = u64::from(halves != 0);
            self.add(NodeKind::Fill(halves), &[], tensor, Some(bound))
        });
        let condition = self.add(
            NodeKind::Pointwise("greaterthan", ""),
            &[at, zero],
            truth,
            None,
        );
        let choice = NodeKind::Pointwise("where3", "");
        self.add(choice, &[condition, one, other], tensor, Some(1))
    }

    /// Adds a reduction of one dimension, which is kept with extent 1.
    pub(super) fn reduction_along(
        &mut self,
        at: usize,
        mnemonic: &'static str,
        dim: usize,
        bound: Option<u64>,
    ) -> usize {
        let mut tensor = self.tensor(at).clone();
        tensor.shape[dim] = 1;
        let kind = NodeKind::Reduce(mnemonic, vec![dim], true);
        self.add(kind, &[at], tensor, bound)
    }

    fn reduce(&mut self) {
        let at = self.any(1, Element::is_float);
        let Tensor { element, shape } = self.tensor(at).clone();
        let mut dims: Vec<usize> = (0..shape.len())
            .filter(|_| self.numbers.one_in(3))
            .collect();
        if dims.is_empty() {
            dims.push(self.numbers.index(shape.len()));
        }
        let mut mnemonic = self.numbers.pick(&REDUCTIONS);
        // Rows of one element have no scale.
        if mnemonic == SCALE_OF_ROWS {
            match shape.last() {
                Some(1) => mnemonic = "absmax",
                _ => dims = vec![shape.len() - 1],
            }
        }
        // A result has a dimension.
        let keep = self.numbers.one_in(2) || dims.len() == shape.len();
        let count: u64 = dims.iter().map(|dim| shape[*dim]).product();
        let (mnemonic, at, bound) = match mnemonic {
            "min" | "max" | "absmax" => (mnemonic, at, self.node(at).bound),
            SCALE_OF_ROWS => (mnemonic, at, None),
            "prod" => {
                let tamed = self.tamed(at, 1);
                (mnemonic, tamed, Some(1))
            }
            _ if self.is_real || count <= element.integers() => {
                let tamed = self.tamed(at, element.integers() / count);
                let total = self.node(tamed).bound.map(|bound| bound * count);
                (mnemonic, tamed, total.filter(|_| mnemonic == "sum"))
            }
            // The type does not represent the sum of this number of elements.
            _ => ("max", at, self.node(at).bound),
        };
        let kept = shape.iter().enumerate().filter_map(|(dim, extent)| {
            match (dims.contains(&dim), keep) {
                (false, _) => Some(*extent),
                (true, true) => Some(1),
                (true, false) => None,
            }
        });
        let tensor = Tensor {
            element,
            shape: kept.collect(),
        };
        self.add(NodeKind::Reduce(mnemonic, dims, keep), &[at], tensor, bound);
    }

    /// Adds a product: of a value with a value or a new input, or of a new input with a value.
    fn matmul(&mut self) {
        if self.numbers.one_in(8) {
            self.matmul_of_bytes();
            return;
        }
        let at = self.any(2, Element::is_float);
        let is_right = self.numbers.one_in(3);
        self.product_of(at, is_right);
    }

    /// Adds a product of a value of at least two dimensions, as its right operand or as the left one.
    pub(super) fn product_of(&mut self, at: usize, is_right: bool) {
        let shape = self.shape(at);
        let element = self.tensor(at).element;
        let [batch @ .., rows, columns] = shape.as_slice() else {
            unreachable!("a value of two dimensions was asked for");
        };
        let (batch, rows, columns) = (batch.to_vec(), *rows, *columns);
        let k = if is_right { rows } else { columns };
        let at = self.tamed(at, SMALL_BOUND);
        // The other operand, with some of the batch dimensions or without.
        let other = self.value(|node| match node.tensor.shape.as_slice() {
            [outer @ .., first, last] => {
                let operand_k = if is_right { last } else { first };
                *operand_k == k && outer == batch && node.tensor.element == element
            }
            _ => false,
        });
        let other = other
            .filter(|_| self.numbers.below(3) > 0)
            .unwrap_or_else(|| {
                let free = self.numbers.pick(&COLUMNS);
                let free = free.min((MOST_PRODUCTS / shape.iter().product::<u64>()).max(1));
                let mut operand_shape = match self.numbers.one_in(2) {
                    true => batch.clone(),
                    false => Vec::new(),
                };
                // The operand broadcasts along one batch dimension.
                if !operand_shape.is_empty() && self.numbers.one_in(3) {
                    let dim = self.numbers.index(operand_shape.len());
                    operand_shape[dim] = 1;
                }
                operand_shape.extend(if is_right { [free, k] } else { [k, free] });
                self.input(element, &operand_shape, 1)
            });
        let other = self.tamed(other, SMALL_BOUND);
        let total = |builder: &Self| {
            let bounds = builder.node(at).bound.zip(builder.node(other).bound);
            bounds
                .map(|(a, b)| a * b * k)
                .filter(|total| *total <= element.integers())
        };
        let (at, other) = match total(self) {
            Some(_) => (at, other),
            None => (self.tamed(at, 1), self.tamed(other, 1)),
        };
        // Products of one are as many as K.
        let bound = self
            .node(at)
            .bound
            .zip(self.node(other).bound)
            .map(|(a, b)| a * b * k);
        if !self.is_real && bound.is_none_or(|bound| bound > element.integers()) {
            self.pointwise_on(at);
            return;
        }
        let (left, right) = if is_right { (other, at) } else { (at, other) };
        let m = self.shape(left).iter().rev().nth(1).copied();
        let n = self.shape(right).last().copied();
        let mut result = batch;
        result.extend(m.into_iter().chain(n));
        let tensor = Tensor {
            element,
            shape: result,
        };
        self.add(
            NodeKind::Matmul("batchmatmul"),
            &[left, right],
            tensor,
            bound,
        );
    }

    /// Adds a product of new inputs of integers of 8 bits.
    fn matmul_of_bytes(&mut self) {
        let element = match self.base {
            Element::Bf16 => Element::Bf16,
            _ => Element::F16,
        };
        let rows = self.numbers.between(1, 40);
        let k = self.numbers.pick(&[1, 16, 64, 100, 128]);
        let columns = self.numbers.pick(&COLUMNS);
        let left = self.input(Element::I8, &[rows, k], 1);
        let right = self.input(Element::I8, &[k, columns], 1);
        let shape = vec![rows, columns];
        let tensor = Tensor { element, shape };
        let kind = NodeKind::Matmul("batchmatmulint8");
        self.add(kind, &[left, right], tensor, Some(k));
    }

    /// Adds a cast to the other float format of the device; or a cast, up to two operations on its result, and the cast back.
    ///
    /// A cast leaves elements in an undocumented order. This order allows few operations between a cast and the cast
    /// back: they combine elements that are cast in the same way, or that are broadcast along the last dimension. The
    /// result of a cast without a cast back may have any uses.
    fn cast(&mut self) {
        let at = self.any(1, Element::is_float);
        let element = self.tensor(at).element;
        let has_bits = element == Element::F32 && self.node(at).bound.is_some() && !self.is_real;
        if has_bits && self.numbers.one_in(4) {
            self.bits(at);
            return;
        }
        let (there, other, back) = match (element, self.base) {
            (Element::F32, Element::Bf16) => ("fp32todl16", Element::Bf16, "dl16tofp32"),
            (Element::F32, _) => ("fp32todl16", Element::F16, "dl16tofp32"),
            _ => ("dl16tofp32", Element::F32, "fp32todl16"),
        };
        if self.numbers.one_in(3) {
            self.cast_to(there, at, other);
            return;
        }
        let first = self.program.nodes.len();
        let mut last = self.cast_to(there, at, other);
        for _ in 0..self.numbers.below(3) {
            last = match self.numbers.below(4) {
                0 => self.pointwise_on(last),
                1 => {
                    let mnemonic = self.numbers.pick(&self.vocabulary.exact_binary);
                    self.binary_on(mnemonic, last, last)
                }
                2 if self.shape(last).last() != Some(&1) => {
                    let mut column = self.shape(last);
                    column[self.shape(last).len() - 1] = 1;
                    let column = self.input(other, &column, SMALL_BOUND);
                    let mnemonic = self.numbers.pick(&self.vocabulary.exact_binary);
                    self.binary_on(mnemonic, last, column)
                }
                _ => {
                    let shape = self.shape(last);
                    let partner = self.input(element, &shape, SMALL_BOUND);
                    let partner = self.cast_to(there, partner, other);
                    let mnemonic = self.numbers.pick(&self.vocabulary.exact_binary);
                    self.binary_on(mnemonic, last, partner)
                }
            };
        }
        self.staggered
            .extend((first..self.program.nodes.len()).filter(|at| {
                let kind = &self.program.nodes[*at].kind;
                !matches!(kind, NodeKind::Input(_))
            }));
        self.cast_to(back, last, element);
    }

    /// Adds a value's bits as integers, and the value of the bits.
    fn bits(&mut self, at: usize) {
        let bits = Tensor {
            element: Element::I32,
            shape: self.shape(at),
        };
        let bits = self.add(NodeKind::Pointwise("bitcast", ""), &[at], bits, None);
        let (tensor, bound) = (self.tensor(at).clone(), self.node(at).bound);
        self.add(NodeKind::Pointwise("bitcast", ""), &[bits], tensor, bound);
    }

    fn cast_to(&mut self, mnemonic: &'static str, at: usize, element: Element) -> usize {
        let (shape, bound) = (self.shape(at), self.node(at).bound);
        let tensor = Tensor { element, shape };
        self.add(NodeKind::Pointwise(mnemonic, ""), &[at], tensor, bound)
    }

    /// Adds a search for the first elements along a dimension, or for their positions.
    fn search(&mut self) {
        let at = self.any(1, Element::is_float);
        let Tensor { element, mut shape } = self.tensor(at).clone();
        let dim = self.numbers.index(shape.len());
        let extent = shape[dim];
        let k = match self.numbers.one_in(3) {
            true => self.numbers.between(1, extent.min(8)),
            false => 1,
        };
        shape[dim] = k;
        let (mnemonic, element, bound) = match self.numbers.one_in(3) {
            // Positions in the format of the input, which has all of them (contract, K27).
            true if self.is_real => match extent <= MOST_POSITIONS {
                true => ("topkindex", element, None),
                false => ("topkvalue", element, None),
            },
            true => ("topkindex", Element::I32, Some(extent)),
            false => ("topkvalue", element, self.node(at).bound),
        };
        self.add(
            NodeKind::TopK(mnemonic, dim, k),
            &[at],
            Tensor { element, shape },
            bound,
        );
    }

    /// Adds a gather of elements of a value by new indices.
    fn gather(&mut self) {
        let table = self.any(2, Element::is_float);
        let Tensor { element, mut shape } = self.tensor(table).clone();
        let dim = self.numbers.index(shape.len());
        let budget = (1 << 14) / (shape.iter().product::<u64>() / shape[dim]);
        let mut operand_shape = vec![
            self.numbers
                .pick(&[2, 3, 8, 16, 32, 33, 64])
                .min(budget.max(1)),
        ];
        if shape.len() < 4 && self.numbers.one_in(4) {
            operand_shape.insert(0, self.numbers.between(1, 3));
        }
        let indices = Tensor {
            element: Element::I32,
            shape: operand_shape.clone(),
        };
        let indices = self.add(NodeKind::Input(Some(shape[dim])), &[], indices, None);
        shape.splice(dim..=dim, operand_shape);
        let bound = self.node(table).bound;
        self.add(
            NodeKind::Gather(dim),
            &[indices, table],
            Tensor { element, shape },
            bound,
        );
    }

    /// Adds a loop over windows of a value, in equal steps.
    fn front_end_loop(&mut self) {
        let at = self.any(1, Element::is_float);
        let tensor = self.tensor(at).clone();
        let dim = self.numbers.index(tensor.shape.len());
        let extent = tensor.shape[dim];
        let tiles: Vec<u64> = (1..=extent)
            .filter(|tile| extent.is_multiple_of(*tile))
            .collect();
        let tile = self.numbers.pick(&tiles);
        let swaps = tensor.shape.len() > 1 && self.numbers.one_in(4);
        let bound = self.node(at).bound;
        self.add(NodeKind::Loop(dim, tile, swaps), &[at], tensor, bound);
    }

    /// Adds a loop in which two values change places. The result of the operation on both is no larger than the larger one.
    fn exchange(&mut self) {
        let first = self.any(1, Element::is_float);
        let tensor = self.tensor(first).clone();
        let operand = self.value(|node| node.tensor == tensor);
        let second = match operand {
            Some(operand) if operand != first && self.numbers.one_in(2) => operand,
            _ => self.input(tensor.element, &tensor.shape, SMALL_BOUND),
        };
        let mnemonic = self.numbers.pick(&[None, Some("maximum"), Some("minimum")]);
        let count = 1 + self.numbers.below(4);
        let bounds = [first, second].map(|at| self.node(at).bound);
        let bound = bounds[0].zip(bounds[1]).map(|(one, other)| one.max(other));
        self.add(
            NodeKind::Exchange(count, mnemonic),
            &[first, second],
            tensor,
            bound,
        );
    }

    /// Adds a concatenation of several values, or the maximum of two concatenations with a common start.
    pub(super) fn join(&mut self) {
        let first = self.any(1, Element::is_float);
        let Tensor { element, shape } = self.tensor(first).clone();
        let dim = self.numbers.index(shape.len());
        let count = self.numbers.between(2, 3);
        let mut parts = vec![first];
        while parts.len() < usize::try_from(count).expect("a small number") {
            let mut operand_shape = shape.clone();
            operand_shape[dim] = self.numbers.pick(&[1, 2, 3, 5, 16, 64]);
            parts.push(self.other(&parts, element, &operand_shape));
        }
        let mut order: Vec<usize> = (0..parts.len()).collect();
        for at in (1..order.len()).rev() {
            let other = self.numbers.index(at + 1);
            order.swap(at, other);
        }
        let forks = self.numbers.one_in(3);
        let mut whole = shape;
        whole[dim] = parts.iter().map(|part| self.tensor(*part).shape[dim]).sum();
        if forks {
            let last = order.last().expect("there are parts");
            let last_shape = self.shape(parts[*last]);
            parts.push(self.other(&parts, element, &last_shape));
        }
        let bounds = parts.iter().map(|part| self.node(*part).bound);
        let bound = bounds.reduce(|one, other| Some(one?.max(other?))).flatten();
        let tensor = Tensor {
            element,
            shape: whole,
        };
        self.add(NodeKind::Join { dim, order, forks }, &parts, tensor, bound);
    }

    /// Returns a value of a type that is not one of `operands`, or a new one.
    fn other(&mut self, operands: &[usize], element: Element, shape: &[u64]) -> usize {
        let operand =
            self.value(|node| node.tensor.shape == shape && node.tensor.element == element);
        let operand = operand.filter(|operand| !operands.contains(operand));
        operand.unwrap_or_else(|| self.fresh(element, shape))
    }

    /// Adds a layer norm of integers, with moments in the range of every element type: the chain of a pair of moments
    /// for each row, its scale and the norm, with a weight and a bias that are inputs.
    fn layer_norm(&mut self) {
        let is_real = self.is_real;
        // Rows of 32 bits have no mask, so they are whole sticks (contract, K10).
        let fits = |node: &Node| {
            let Tensor { element, shape } = &node.tensor;
            let unit = if *element == Element::F32 {
                WIDE_STICK
            } else {
                1
            };
            element.is_float()
                && (is_real || node.bound.is_some_and(|bound| bound <= MOST_NORMALISED))
                && shape
                    .last()
                    .is_some_and(|columns| *columns > 1 && columns.is_multiple_of(unit))
        };
        let at = self.value(fits).unwrap_or_else(|| {
            let element = match self.base.is_float() {
                true => self.base,
                false => Element::F16,
            };
            let columns = match element {
                Element::F32 => 2 * WIDE_STICK,
                _ => self.numbers.pick(&COLUMNS).max(2),
            };
            let shape = [self.lead(2, 256), vec![columns]].concat();
            self.input(element, &shape, SMALL_BOUND)
        });
        let Tensor { element, shape } = self.tensor(at).clone();
        let last = shape.len() - 1;
        let with_last = |extent: u64| {
            let mut shape = shape.clone();
            shape[last] = extent;
            Tensor { element, shape }
        };
        let pair = self.add(NodeKind::Moments, &[at], with_last(2), None);
        self.staggered.insert(pair);
        let scale = NodeKind::Pointwise("layernormscale", " eps 0.5");
        let scale = self.add(scale, &[pair], with_last(1), None);
        let columns = [vec![1; last], vec![shape[last]]].concat();
        let [weight, bias] = [0, 1].map(|_| self.input(element, &columns, 1));
        self.add(
            NodeKind::Pointwise("layernormnorm", ""),
            &[at, pair, scale, weight, bias],
            with_last(shape[last]),
            None,
        );
    }
}
