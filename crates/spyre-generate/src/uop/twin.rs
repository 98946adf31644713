//! Nodes that have the values of others.

use super::values::is_float;
use super::{Draw, Node};

/// Elementwise operations, which have no arguments.
const ELEMENTWISE: [&str; 32] = [
    "Recip", "Trunc", "Neg", "Not", "Exp2", "Log2", "Sin", "Sqrt", "Add", "Mul", "Max", "Idiv",
    "Mod", "CDiv", "CMod", "Sub", "Div", "Pow", "CmpLt", "CmpNe", "CmpEq", "CmpGt", "CmpGe",
    "CmpLe", "Xor", "Or", "And", "Shl", "Shr", "Threefry", "Where", "Mulacc",
];

/// The devices of a tuple.
const DEVICES: [&str; 4] = ["a", "b", "c", "d"];

fn is_elementwise(node: &Node) -> bool {
    ELEMENTWISE.contains(&node.op)
}

impl Draw {
    /// Draws a kind of node and adds a twin of one: a node with the same values. Adds none if the graph has no node of
    /// the kind.
    pub(super) fn twin(&mut self) {
        let twin = match self.numbers.below(9) {
            6 => self
                .pick(|node| node.constant.is_some())
                .map(|base| (base, self.filled(base))),
            7 => Some(self.positions()),
            8 => {
                let base = self.pick(|node| node.constant.is_some() && !node.shape.is_empty());
                base.map(|base| self.sums_of_constant(base))
            }
            0 => self
                .pick(is_elementwise)
                .map(|base| (base, self.looped(base))),
            1 => self
                .pick(is_elementwise)
                .map(|base| (base, self.called(base))),
            2 => self
                .pick(is_elementwise)
                .map(|base| (base, self.kernel(base))),
            3 => self
                .pick(|node| node.op == "Reduce")
                .map(|base| (base, self.summed(base))),
            4 => {
                let base = self.pick(|node| node.op == "Pad" && !node.shape.is_empty());
                base.map(|base| (base, self.gated(base)))
            }
            _ => self
                .pick(|node| !node.shape.is_empty())
                .map(|base| (base, self.moved_around(base))),
        };
        if let Some((base, twin)) = twin {
            self.nodes[twin].is_near = self.nodes[base].is_near;
            self.twins.push((base, twin));
        }
    }

    fn effect(&mut self, op: &'static str, sources: &[usize]) -> usize {
        self.add(op, "void", &[], sources, "")
    }

    /// Adds a buffer without content, for the values of a node.
    fn empty(&mut self, base: usize) -> usize {
        let Node {
            dtype, ref shape, ..
        } = self.nodes[base];
        let shape = shape.clone();
        let slot = self.slots;
        self.slots += 1;
        let space = self
            .numbers
            .pick(&["", ",\"addrspace\":\"LOCAL\"", ",\"addrspace\":\"REG\""]);
        self.add(
            "Buffer",
            dtype,
            &shape,
            &[],
            &format!("\"slot\":{slot}{space}"),
        )
    }

    fn ranges(&mut self, shape: &[u64], kind: &str) -> Vec<usize> {
        let first = self.nodes.len();
        let mut ranges = Vec::new();
        for (axis, extent) in shape.iter().enumerate() {
            let number = first + axis;
            let arg = format!("\"bound\":{extent},\"axis_id\":{number},\"axis_type\":\"{kind}\"");
            ranges.push(self.add("Range", "index", &[], &[], &arg));
        }
        ranges
    }

    /// Returns an element of a node at the positions of loops: of a constant, perhaps the constant itself.
    fn element(&mut self, base: usize, positions: &[usize]) -> usize {
        let is_scalar = self.nodes[base].shape.len() == positions.len();
        if let Some(constant) = self.nodes[base].constant
            && is_scalar
            && self.numbers.one_in(2)
        {
            return constant;
        }
        let dtype = self.nodes[base].dtype;
        let rest = self.nodes[base].shape[positions.len()..].to_vec();
        let sources: Vec<usize> = [base]
            .into_iter()
            .chain(positions.iter().copied())
            .collect();
        let element = self.add("Index", dtype, &rest, &sources, "");
        match self.numbers.below(3) {
            0 => self.add("Load", dtype, &rest, &[element], ""),
            _ => element,
        }
    }

    /// Stores a scalar at the positions of loops, and closes the loops. Returns the effect.
    fn stored(&mut self, out: usize, value: usize, ranges: &[usize]) -> usize {
        let dtype = self.nodes[out].dtype;
        let sources: Vec<usize> = [out].into_iter().chain(ranges.iter().copied()).collect();
        let place = self.add("Index", dtype, &[], &sources, "");
        let mut effect = self.effect("Store", &[place, value]);
        for range in ranges.iter().rev() {
            if self.numbers.one_in(4) {
                effect = self.effect("Group", &[effect]);
            }
            effect = self.effect("End", &[effect, *range]);
        }
        match self.numbers.below(4) {
            0 => self.effect("Sink", &[effect]),
            1 => self.effect("Linear", &[effect]),
            _ => effect,
        }
    }

    fn after(&mut self, out: usize, effect: usize) -> usize {
        self.is_inside = false;
        let Node {
            dtype, ref shape, ..
        } = self.nodes[out];
        let shape = shape.clone();
        self.add("After", dtype, &shape, &[out, effect], "")
    }

    /// Computes each element in loops.
    fn looped(&mut self, base: usize) -> usize {
        let Node {
            op,
            dtype,
            ref shape,
            ref sources,
            ..
        } = self.nodes[base];
        let (shape, sources) = (shape.clone(), sources.clone());
        self.is_inside = true;
        let out = self.empty(base);
        let ranges = self.ranges(&shape, "LOOP");
        let operands: Vec<usize> = sources
            .iter()
            .map(|source| self.element(*source, &ranges))
            .collect();
        let value = self.add(op, dtype, &[], &operands, "");
        let effect = self.stored(out, value, &ranges);
        self.after(out, effect)
    }

    /// Stores a constant in loops.
    fn filled(&mut self, base: usize) -> usize {
        let constant = self.nodes[base].constant.expect("the node is a constant");
        let shape = self.nodes[base].shape.clone();
        self.is_inside = true;
        let out = self.empty(base);
        let ranges = self.ranges(&shape, "LOOP");
        let effect = self.stored(out, constant, &ranges);
        self.after(out, effect)
    }

    /// Returns the numbers of the form `range * factor + offset`, as constants and in a loop; or their sums.
    fn positions(&mut self) -> (usize, usize) {
        let dtype = self
            .numbers
            .pick(&["i32", "i64", "u16", "f16", "f32", "f64"]);
        let extent = self.numbers.between(1, 8);
        let [factor, offset] = [self.numbers.between(0, 3), self.numbers.below(4)];
        let number = |at: u64| match is_float(dtype) {
            true => format!("{:?}", (at * factor + offset) as f64),
            false => (at * factor + offset).to_string(),
        };
        let constants: Vec<usize> = (0..extent)
            .map(|at| {
                self.add(
                    "Const",
                    dtype,
                    &[],
                    &[],
                    &format!("\"value\":{}", number(at)),
                )
            })
            .collect();
        let base = self.add("Stack", dtype, &[extent], &constants, "");
        let is_sum = self.numbers.one_in(2);
        let kind = if is_sum { "REDUCE" } else { "LOOP" };
        let base = match is_sum {
            true => self.add(
                "Reduce",
                dtype,
                &[1],
                &[base],
                "\"op\":\"Add\",\"axes\":[0]",
            ),
            false => base,
        };
        self.is_inside = true;
        let out = (!is_sum).then(|| self.empty(base));
        let ranges = self.ranges(&[extent], kind);
        let [factor, offset] = [factor, offset]
            .map(|value| self.add("Const", "index", &[], &[], &format!("\"value\":{value}")));
        let product = self.add("Mul", "index", &[], &[ranges[0], factor], "");
        let sum = self.add("Add", "index", &[], &[product, offset], "");
        let value = self.add(
            "Cast",
            dtype,
            &[],
            &[sum],
            &format!("\"dtype\":\"{dtype}\""),
        );
        let twin = match out {
            Some(out) => {
                let effect = self.stored(out, value, &ranges);
                self.after(out, effect)
            }
            None => {
                let sources = [value, ranges[0]];
                let sum = self.add("Reduce", dtype, &[], &sources, "\"op\":\"Add\",\"axes\":[]");
                self.is_inside = false;
                self.add("Reshape", dtype, &[1], &[sum], "\"shape\":[1]")
            }
        };
        (base, twin)
    }

    /// Reduces a constant, along all axes and in loops.
    fn sums_of_constant(&mut self, base: usize) -> (usize, usize) {
        let Node {
            dtype,
            ref shape,
            constant,
            ..
        } = self.nodes[base];
        let (shape, constant) = (shape.clone(), constant.expect("the node is a constant"));
        let ones = vec![1; shape.len()];
        let axes: Vec<usize> = (0..shape.len()).collect();
        let op = self.numbers.pick(&["Add", "Max", "Mul"]);
        let whole = self.add(
            "Reduce",
            dtype,
            &ones,
            &[base],
            &format!("\"op\":\"{op}\",\"axes\":{axes:?}"),
        );
        self.is_inside = true;
        let ranges = self.ranges(&shape, "REDUCE");
        let sources: Vec<usize> = [constant].into_iter().chain(ranges).collect();
        let sum = self.add(
            "Reduce",
            dtype,
            &[],
            &sources,
            &format!("\"op\":\"{op}\",\"axes\":[]"),
        );
        self.is_inside = false;
        let twin = self.add(
            "Reshape",
            dtype,
            &ones,
            &[sum],
            &format!("\"shape\":{ones:?}"),
        );
        (whole, twin)
    }

    fn params(&mut self, operands: &[usize]) -> Vec<usize> {
        let mut params = Vec::new();
        for (slot, param) in operands.iter().enumerate() {
            let Node {
                dtype, ref shape, ..
            } = self.nodes[*param];
            let shape = shape.clone();
            params.push(self.add("Param", dtype, &shape, &[], &format!("\"slot\":{slot}")));
        }
        params
    }

    /// Computes a node in a function.
    fn called(&mut self, base: usize) -> usize {
        let Node {
            op,
            dtype,
            ref shape,
            ref sources,
            ..
        } = self.nodes[base];
        let (shape, sources) = (shape.clone(), sources.clone());
        self.is_inside = true;
        let params = self.params(&sources);
        let value = self.add(op, dtype, &shape, &params, "");
        let index = self.numbers.index(params.len() + 1);
        let mut body = params;
        body.insert(index, value);
        let body = self.effect("Tuple", &body);
        let arguments: Vec<usize> = [body].into_iter().chain(sources).collect();
        let op = self.numbers.pick(&["Function", "Call"]);
        let call = self.effect(op, &arguments);
        self.is_inside = false;
        self.add(
            "GetTuple",
            dtype,
            &shape,
            &[call],
            &format!("\"index\":{index}"),
        )
    }

    /// Computes each element in loops of a kernel.
    fn kernel(&mut self, base: usize) -> usize {
        let Node {
            op,
            dtype,
            ref shape,
            ref sources,
            ..
        } = self.nodes[base];
        let (shape, sources) = (shape.clone(), sources.clone());
        self.is_inside = true;
        let out = self.empty(base);
        let arguments: Vec<usize> = [out].into_iter().chain(sources).collect();
        let params = self.params(&arguments);
        let ranges = self.ranges(&shape, "GLOBAL");
        let operands: Vec<usize> = params[1..]
            .iter()
            .map(|param| self.element(*param, &ranges))
            .collect();
        let value = self.add(op, dtype, &[], &operands, "");
        let body = self.stored(params[0], value, &ranges);
        let call: Vec<usize> = [body].into_iter().chain(arguments).collect();
        let call = self.effect("Call", &call);
        self.after(out, call)
    }

    /// Reduces over ranges, with the reduced axes in front.
    fn summed(&mut self, base: usize) -> usize {
        let Node {
            dtype,
            ref shape,
            ref sources,
            ref arg,
            ..
        } = self.nodes[base];
        let (shape, source, arg) = (shape.clone(), sources[0], arg.clone());
        let source_shape = self.nodes[source].shape.clone();
        let (way, axes) = arg.split_once(",\"axes\":[").expect("a reduction has axes");
        let numbers = axes.trim_end_matches(']').split(", ");
        let axes: Vec<usize> = numbers
            .map(|axis| axis.parse().expect("a number"))
            .collect();
        let kept = (0..source_shape.len()).filter(|axis| !axes.contains(axis));
        let perm: Vec<usize> = axes.iter().copied().chain(kept).collect();
        let turned: Vec<u64> = perm.iter().map(|axis| source_shape[*axis]).collect();
        self.is_inside = true;
        let turned = self.add(
            "Permute",
            dtype,
            &turned,
            &[source],
            &format!("\"perm\":{perm:?}"),
        );
        let extents: Vec<u64> = axes.iter().map(|axis| source_shape[*axis]).collect();
        let ranges = self.ranges(&extents, "REDUCE");
        let row = self.element(turned, &ranges);
        let rest = self.nodes[row].shape.clone();
        let sources: Vec<usize> = [row].into_iter().chain(ranges).collect();
        let sum = self.add(
            "Reduce",
            dtype,
            &rest,
            &sources,
            &format!("{way},\"axes\":[]"),
        );
        self.is_inside = false;
        self.add(
            "Reshape",
            dtype,
            &shape,
            &[sum],
            &format!("\"shape\":{shape:?}"),
        )
    }

    /// Pads by a read inside the bounds, and 0 elsewhere.
    fn gated(&mut self, base: usize) -> usize {
        let Node {
            dtype,
            ref shape,
            ref sources,
            ref arg,
            ..
        } = self.nodes[base];
        let (shape, source, arg) = (shape.clone(), sources[0], arg.clone());
        let source_shape = self.nodes[source].shape.clone();
        let (_, offset) = arg.split_once('[').expect("a padding has an offset");
        let (offset, _) = offset.split_once(']').expect("the list ends");
        let offset: Vec<u64> = offset
            .split(", ")
            .map(|twin_number| twin_number.parse().expect("a number"))
            .collect();
        self.is_inside = true;
        let out = self.empty(base);
        let ranges = self.ranges(&shape, "LOOP");
        let mut gate = None;
        let mut positions = Vec::new();
        for (axis, range) in ranges.iter().enumerate() {
            let number = |draw: &mut Self, value: i128| {
                draw.add("Const", "index", &[], &[], &format!("\"value\":{value}"))
            };
            let back = number(self, -i128::from(offset[axis]));
            let position = self.add("Add", "index", &[], &[*range, back], "");
            let (zero, end) = (number(self, 0), number(self, source_shape[axis].into()));
            for bound in [("CmpGe", zero), ("CmpLt", end)] {
                let holds = self.add(bound.0, "bool", &[], &[position, bound.1], "");
                gate = Some(match gate {
                    Some(gate) => self.add("And", "bool", &[], &[gate, holds], ""),
                    None => holds,
                });
            }
            positions.push(position);
        }
        let gate = gate.expect("a padding that has a twin has an axis");
        let sources: Vec<usize> = [source].into_iter().chain(positions).collect();
        let element = self.add("Index", dtype, &[], &sources, "");
        let zero = if dtype == "bool" { "false" } else { "0" };
        let zero = self.add("Const", dtype, &[], &[], &format!("\"value\":{zero}"));
        let value = self.add("Load", dtype, &[], &[element, zero, gate], "");
        let effect = self.stored(out, value, &ranges);
        self.after(out, effect)
    }

    /// Writes a node to all slices of a buffer of a shape, and reads one, or the value that all have.
    fn stored_whole(&mut self, base: usize, wide: &[u64]) -> usize {
        let dtype = self.nodes[base].dtype;
        let slot = self.slots;
        self.slots += 1;
        self.is_inside = true;
        let buffer = self.add("Buffer", dtype, wide, &[], &format!("\"slot\":{slot}"));
        let view = self.add("Replicated", dtype, &wide[1..], &[buffer], "\"axis\":0");
        let effect = self.effect("Store", &[view, base]);
        if self.numbers.one_in(2) {
            return self.after(view, effect);
        }
        let all = self.after(buffer, effect);
        self.add("Replicated", dtype, &wide[1..], &[all], "\"axis\":0")
    }

    /// Moves a node to a tuple of devices and back, or to every device.
    fn moved_around(&mut self, base: usize) -> usize {
        let Node {
            dtype, ref shape, ..
        } = self.nodes[base];
        let shape = shape.clone();
        let counts: Vec<usize> = (1..=4)
            .filter(|count| shape[0].is_multiple_of(*count as u64))
            .collect();
        let count = self.numbers.pick(&counts);
        if self.numbers.one_in(2) {
            let there = self.add(
                "Copy",
                dtype,
                &shape,
                &[base],
                &format!("\"device\":{:?}", &DEVICES[..count]),
            );
            return self.add("Copy", dtype, &shape, &[there], "\"device\":\"a\"");
        }
        let count = 1 + self.numbers.index(DEVICES.len());
        let mut wide = vec![1];
        wide.extend(&shape);
        if self.numbers.one_in(3) {
            wide[0] = count as u64;
            return self.stored_whole(base, &wide);
        }
        let mut reshape = self.add(
            "Reshape",
            dtype,
            &wide,
            &[base],
            &format!("\"shape\":{wide:?}"),
        );
        wide[0] = count as u64;
        reshape = self.add(
            "Expand",
            dtype,
            &wide,
            &[reshape],
            &format!("\"shape\":{wide:?}"),
        );
        reshape = self.add(
            "Copy",
            dtype,
            &wide,
            &[reshape],
            &format!("\"device\":{:?}", &DEVICES[..count]),
        );
        reshape = self.add("Replicated", dtype, &shape, &[reshape], "\"axis\":0");
        // Other nodes expect a value on one device.
        self.add("Copy", dtype, &shape, &[reshape], "\"device\":\"a\"")
    }
}
