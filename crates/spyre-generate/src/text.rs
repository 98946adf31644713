//! The text of a program.

use std::fmt::{self, Write as _};

use crate::program::{Dim, Element, Hint, Node, NodeKind, Program, Tensor, Tiles};
use crate::vocabulary::constants;

impl Program {
    /// Returns the program as MLIR: with names and hints, or without.
    #[must_use]
    pub fn to_mlir(&self, hints: bool) -> String {
        let mut text = String::new();
        self.write(&mut text, hints)
            .expect("a string takes all that is written");
        text
    }

    fn write(&self, text: &mut String, hints: bool) -> fmt::Result {
        write!(
            text,
            "module attributes {{spyre.target = #spyre.target<cores = {}",
            self.cores
        )?;
        if let Some(bytes) = self.lx_bytes {
            write!(
                text,
                ", lx_bytes = {bytes}, lx_reserved_bytes = 0, lx_backend_percent = 0"
            )?;
        }
        writeln!(text, ">}} {{")?;
        let inputs = self.inputs().map(|(at, node)| {
            let names = if hints {
                format!(" {{{}}}", names(&node.dims))
            } else {
                String::new()
            };
            format!("%v{at}: {}{names}", ty(&node.tensor))
        });
        let inputs = inputs.collect::<Vec<_>>().join(",\n    ");
        let types = self.results.iter().map(|at| typed(&self.nodes[*at]));
        let types = types.collect::<Vec<_>>().join(", ");
        writeln!(text, "  func.func @f(\n    {inputs}) -> ({types}) {{")?;
        for (at, node) in self.nodes.iter().enumerate() {
            self.node(text, at, node, hints)?;
        }
        writeln!(
            text,
            "    return {} : {types}\n  }}\n}}",
            values(&self.results)
        )
    }

    fn node(&self, text: &mut String, at: usize, node: &Node, hints: bool) -> fmt::Result {
        let named = match hints && node.is_named {
            true => format!(" {{{}}}", names(&node.dims)),
            false => String::new(),
        };
        match &node.kind {
            NodeKind::Input(_) => Ok(()),
            NodeKind::Fill(halves) => {
                let value = match node.tensor.element {
                    Element::I8 | Element::I32 | Element::I64 => halves.to_string(),
                    _ => format!("{:?}", f64::from(*halves) / 2.0),
                };
                let result = typed(node);
                writeln!(
                    text,
                    "    %v{at} = spyre.fill dense<{value}> : {result}{named}"
                )
            }
            NodeKind::Loop(dim, tile, swaps) => {
                self.write_loop(text, at, node, (*dim, *tile), *swaps)
            }
            NodeKind::Join { dim, order, forks } => {
                self.write_join(text, at, (*dim, order, *forks), &named)
            }
            NodeKind::Exchange(count, mnemonic) => {
                write_exchange(text, at, node, *count, *mnemonic)
            }
            kind if kind.is_view() => self.write_view(text, at, node, &named),
            kind => {
                let (mnemonic, rest) = operation(kind, node.operands.len());
                let operands = values(&node.operands);
                write!(text, "    %v{at} = spyre.{mnemonic} {operands}{rest}")?;
                if hints && !node.hints.is_empty() {
                    let hints = node.hints.iter().map(hint).collect::<Vec<_>>().join(", ");
                    write!(text, " tile [{hints}]")?;
                }
                if !node.split.is_empty() {
                    write!(text, " split {:?}", node.split)?;
                }
                let types = self.operand_types(node).join(", ");
                writeln!(text, "{named} : ({types}) -> {}", typed(node))
            }
        }
    }

    fn operand_types(&self, node: &Node) -> Vec<String> {
        let operands = node.operands.iter();
        operands.map(|at| typed(&self.nodes[*at])).collect()
    }

    /// Writes a reshape, a permutation, a window or an insertion.
    fn write_view(&self, text: &mut String, at: usize, node: &Node, named: &str) -> fmt::Result {
        let result = typed(node);
        let operands = values(&node.operands);
        let types = self.operand_types(node);
        let source = &types[0];
        match &node.kind {
            NodeKind::Expand(groups) => {
                let shape = &node.tensor.shape;
                writeln!(
                    text,
                    "    %v{at} = tensor.expand_shape {operands} {groups:?} output_shape {shape:?}{named} : {source} into {result}"
                )
            }
            NodeKind::Collapse(groups) => writeln!(
                text,
                "    %v{at} = tensor.collapse_shape {operands} {groups:?}{named} : {source} into {result}"
            ),
            NodeKind::Extract(offsets, sizes) => {
                let steps = vec![1; sizes.len()];
                writeln!(
                    text,
                    "    %v{at} = tensor.extract_slice {operands}{offsets:?} {sizes:?} {steps:?}{named} : {source} to {result}"
                )
            }
            NodeKind::Insert(offsets, sizes) => {
                let steps = vec![1; sizes.len()];
                let [tile, into] = [0, 1].map(|operand| node.operands[operand]);
                writeln!(
                    text,
                    "    %v{at} = tensor.insert_slice %v{tile} into %v{into}{offsets:?} {sizes:?} {steps:?}{named} : {source} into {}",
                    types[1]
                )
            }
            NodeKind::Permute(order) => writeln!(
                text,
                "    %v{at} = spyre.permute {operands} {order:?}{named} : {source} to {result}"
            ),
            kind => unreachable!("{kind:?} is no view"),
        }
    }

    /// Writes a loop as a front end does: it extracts a window, applies an operation to it, and inserts the result into
    /// the loop-carried tensor.
    fn write_loop(
        &self,
        text: &mut String,
        at: usize,
        node: &Node,
        (dim, tile): (usize, u64),
        swaps: bool,
    ) -> fmt::Result {
        let whole = ty(&node.tensor);
        let mut sizes = node.tensor.shape.clone();
        let count = sizes[dim] / tile;
        sizes[dim] = tile;
        let offsets = (0..sizes.len()).map(|axis| match axis == dim {
            true => format!("%v{at}_at"),
            false => "0".to_owned(),
        });
        let offsets = offsets.collect::<Vec<_>>().join(", ");
        let steps = vec![1; sizes.len()];
        let window = Tensor {
            element: node.tensor.element,
            shape: sizes.clone(),
        };
        let mut turned = window.clone();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        if swaps {
            let last = sizes.len() - 1;
            turned.shape.swap(last - 1, last);
            order.swap(last - 1, last);
        }
        let (window, turned) = (ty(&window), ty(&turned));
        let operand = node.operands[0];
        writeln!(text, "    %v{at}_c0 = arith.constant 0 : index")?;
        writeln!(text, "    %v{at}_c1 = arith.constant 1 : index")?;
        writeln!(text, "    %v{at}_n = arith.constant {count} : index")?;
        writeln!(text, "    %v{at}_e = spyre.empty : {whole}")?;
        writeln!(
            text,
            "    %v{at} = scf.for %v{at}_i = %v{at}_c0 to %v{at}_n step %v{at}_c1 iter_args(%v{at}_a = %v{at}_e) -> ({whole}) {{"
        )?;
        writeln!(
            text,
            "      %v{at}_at = affine.apply affine_map<(d0) -> (d0 * {tile})>(%v{at}_i)"
        )?;
        writeln!(
            text,
            "      %v{at}_w = tensor.extract_slice %v{operand}[{offsets}] {sizes:?} {steps:?} : {whole} to {window}"
        )?;
        if swaps {
            writeln!(
                text,
                "      %v{at}_p = spyre.permute %v{at}_w {order:?} : {window} to {turned}"
            )?;
            writeln!(text, "      %v{at}_q = spyre.neg %v{at}_p : {turned}")?;
            writeln!(
                text,
                "      %v{at}_y = spyre.permute %v{at}_q {order:?} : {turned} to {window}"
            )?;
        } else {
            writeln!(text, "      %v{at}_y = spyre.neg %v{at}_w : {window}")?;
        }
        writeln!(
            text,
            "      %v{at}_r = tensor.insert_slice %v{at}_y into %v{at}_a[{offsets}] {sizes:?} {steps:?} : {window} into {whole}"
        )?;
        writeln!(text, "      scf.yield %v{at}_r : {whole}\n    }}")
    }

    /// Writes a concatenation of several values: the dimension, the order of the insertions, and whether two tensors
    /// share insertions.
    fn write_join(
        &self,
        text: &mut String,
        at: usize,
        (dim, order, forks): (usize, &[usize], bool),
        named: &str,
    ) -> fmt::Result {
        let node = &self.nodes[at];
        let whole = ty(&node.tensor);
        let tensor_of = |part: usize| &self.nodes[node.operands[part]].tensor;
        let insert = |text: &mut String,
                      (number, place): (usize, usize),
                      into: &str,
                      to: &str,
                      named: &str| {
            let mut offsets = vec![0; node.tensor.shape.len()];
            offsets[dim] = (0..place).map(|before| tensor_of(before).shape[dim]).sum();
            let tensor = tensor_of(place);
            let (sizes, steps) = (&tensor.shape, vec![1; offsets.len()]);
            let part = node.operands[number];
            writeln!(
                text,
                "    %v{at}{to} = tensor.insert_slice %v{part} into %v{at}{into}{offsets:?} {sizes:?} {steps:?}{named} : {} into {whole}",
                ty(tensor)
            )
        };
        writeln!(text, "    %v{at}_e = spyre.empty : {whole}")?;
        let (last, before) = order.split_last().expect("there are parts");
        let mut into = "_e".to_owned();
        for part in before {
            let to = format!("_{part}");
            insert(text, (*part, *part), &into, &to, "")?;
            into = to;
        }
        if !forks {
            return insert(text, (*last, *last), &into, "", named);
        }
        insert(text, (*last, *last), &into, "_x", "")?;
        insert(text, (order.len(), *last), &into, "_y", "")?;
        writeln!(
            text,
            "    %v{at} = spyre.maximum %v{at}_x, %v{at}_y{named} : {whole}"
        )
    }
}

/// Returns the mnemonic of a device operation with some operands, and the text after the operands.
fn operation(kind: &NodeKind, operands: usize) -> (&'static str, String) {
    match kind {
        NodeKind::Pointwise(mnemonic, rest) => (*mnemonic, (*rest).to_owned()),
        NodeKind::Reduce(mnemonic, dims, keep) => {
            let keep = if *keep { " keepdim" } else { "" };
            let constants = constants(mnemonic);
            (*mnemonic, format!(" dims {dims:?}{keep}{constants}"))
        }
        NodeKind::Moments => ("exx2", String::new()),
        NodeKind::Matmul(mnemonic) => (*mnemonic, String::new()),
        NodeKind::Windows(windows) => {
            // A pool has no weights that show the extents of its windows.
            let kernel = (operands == 1).then_some(windows.kernel);
            let kernel = kernel.map(|kernel| format!(" window {kernel:?}"));
            let steps = [
                ("strides", windows.strides),
                ("dilations", windows.dilations),
            ];
            // Steps that are 1 along both dimensions need not be there.
            let steps = steps.into_iter().filter(|(_, steps)| *steps != [1, 1]);
            let steps = steps.map(|(name, steps)| format!(" {name} {steps:?}"));
            (windows.mnemonic, kernel.into_iter().chain(steps).collect())
        }
        NodeKind::TopK(mnemonic, dim, k) => (*mnemonic, format!(" dim {dim} k {k}")),
        NodeKind::Gather(dim) => ("gather", format!(" dim {dim}")),
        kind => unreachable!("{kind:?} is no device operation"),
    }
}

/// Writes a loop that swaps its two carried values, as in a recurrence over two steps. The second value is the result.
fn write_exchange(
    text: &mut String,
    at: usize,
    node: &Node,
    count: u64,
    mnemonic: Option<&str>,
) -> fmt::Result {
    let whole = ty(&node.tensor);
    let (first, second) = (node.operands[0], node.operands[1]);
    writeln!(text, "    %v{at}_c0 = arith.constant 0 : index")?;
    writeln!(text, "    %v{at}_c1 = arith.constant 1 : index")?;
    writeln!(text, "    %v{at}_n = arith.constant {count} : index")?;
    writeln!(
        text,
        "    %v{at}_o, %v{at} = scf.for %v{at}_i = %v{at}_c0 to %v{at}_n step %v{at}_c1 iter_args(%v{at}_a = %v{first}, %v{at}_b = %v{second}) -> ({whole}, {whole}) {{"
    )?;
    let next = match mnemonic {
        Some(mnemonic) => {
            writeln!(
                text,
                "      %v{at}_y = spyre.{mnemonic} %v{at}_a, %v{at}_b : ({whole}, {whole}) -> {whole}"
            )?;
            "y"
        }
        None => "a",
    };
    writeln!(
        text,
        "      scf.yield %v{at}_b, %v{at}_{next} : {whole}, {whole}\n    }}"
    )
}

fn hint(hint: &Hint) -> String {
    let Hint { scope, name, tiles } = hint;
    match tiles {
        Tiles::Count(count) => format!("{scope}: \"N{name}\" in {count}"),
        Tiles::Size(size) => format!("{scope}: \"N{name}\" by {size}"),
    }
}

fn values(values: &[usize]) -> String {
    let values: Vec<String> = values.iter().map(|at| format!("%v{at}")).collect();
    values.join(", ")
}

/// Returns the type of a node, with the layout that it has.
fn typed(node: &Node) -> String {
    let plain = ty(&node.tensor);
    let Some(stick) = node.stick else {
        return plain;
    };
    let dims: Vec<String> = (0..node.tensor.shape.len())
        .map(|dim| format!("d{dim}"))
        .collect();
    let others = dims.iter().enumerate().filter(|(dim, _)| *dim != stick);
    let others: String = others.map(|(_, dim)| format!("{dim}, ")).collect();
    let (plain, stick) = (plain.trim_end_matches('>'), &dims[stick]);
    format!(
        "{plain}, #spyre.layout<({}) -> ({stick} floordiv 64, {others}{stick} mod 64)>>",
        dims.join(", ")
    )
}

fn ty(tensor: &Tensor) -> String {
    let shape: String = tensor
        .shape
        .iter()
        .map(|extent| format!("{extent}x"))
        .collect();
    format!("tensor<{shape}{}>", tensor.element.name())
}

fn names(dims: &[Dim]) -> String {
    let dims = dims
        .iter()
        .enumerate()
        .map(|(at, parts)| match parts.as_slice() {
            // A name is in a tensor once.
            [] => format!("\"One{at}\""),
            [part] => format!("\"N{}\"", part.name),
            parts => {
                let parts = parts
                    .iter()
                    .map(|part| format!("\"N{}\" of {}", part.name, part.extent));
                format!("#spyre.merged<{}>", parts.collect::<Vec<_>>().join(", "))
            }
        });
    format!("spyre.dims = [{}]", dims.collect::<Vec<_>>().join(", "))
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_mlir(true))
    }
}
