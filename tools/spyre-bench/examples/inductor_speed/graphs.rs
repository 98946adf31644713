//! Graphs of any size.

use rustc_hash::FxHashMap;
use serde_json::json;
use smol_str::format_smolstr;
use spyre_index_expr::tree;
use spyre_index_expr::{Expr, Var};
use spyre_inductor::names;
use spyre_inductor::schema::{self, Table, Text, Value};

/// A read of a nest: a buffer, and the loop along each of its dimensions, if that is not of one element.
type Read<'a> = (&'a Tensor, Vec<Option<usize>>);

/// A buffer.
#[derive(Clone)]
pub(crate) struct Tensor {
    name: Text,
    size: Vec<i64>,
}

/// A graph that is being made.
#[derive(Default)]
struct Maker {
    inputs: Vec<schema::Input>,
    buffers: Vec<schema::Buffer>,
    ops: Vec<schema::Op>,
}

/// Returns a chain of element-wise operations, each of the one before it.
pub(crate) fn chain(count: usize) -> schema::Graph {
    let mut maker = Maker::default();
    let mut last = maker.input(&[64, 128]);
    for _ in 0..count {
        let read = (&last.clone(), maker.all(2));
        last = maker.pointwise(&[64, 128], &[read], "abs");
    }
    maker.finish(&[last])
}

/// Returns element-wise operations of one input.
pub(crate) fn siblings(count: usize) -> schema::Graph {
    let mut maker = Maker::default();
    let x = maker.input(&[64, 128]);
    let outputs: Vec<Tensor> = (0..count)
        .map(|_| {
            let read = (&x, maker.all(2));
            maker.pointwise(&[64, 128], &[read], "abs")
        })
        .collect();
    maker.finish(&outputs)
}

/// Returns a transformer: for each layer two normalizations, attention, and two products with an activation between
/// them.
pub(crate) fn transformer(layers: usize) -> schema::Graph {
    const ROWS: i64 = 128;
    const WIDTH: i64 = 256;
    const HEADS: i64 = 4;
    let mut maker = Maker::default();
    let mut x = maker.input(&[ROWS, WIDTH]);
    for _ in 0..layers {
        let normal = maker.normalized(&x);
        let [q, k, v] = [0, 1, 2].map(|_| {
            let weights = maker.input(&[WIDTH, WIDTH]);
            maker.kernel("mm", &[&normal, &weights], &[ROWS, WIDTH])
        });
        // Heads are outermost; transposed tensors are views.
        let k = Tensor {
            size: vec![1, ROWS, WIDTH],
            ..k
        };
        let [q, v] = [q, v].map(|part| {
            let read = (&part, vec![Some(1), Some(2)]);
            maker.pointwise(&[HEADS, ROWS, WIDTH], &[read], "abs")
        });
        let scores = maker.kernel("bmm", &[&q, &k], &[HEADS, ROWS, ROWS]);
        let size = [HEADS, ROWS, ROWS];
        let row = vec![Some(0), Some(1), None];
        let max = maker.reduction(&size, (&scores, maker.all(3)), "max");
        let reads = [(&scores, maker.all(3)), (&max, row.clone())];
        let exp = maker.pointwise(&size, &reads, "sub");
        let sum = maker.reduction(&size, (&exp, maker.all(3)), "sum");
        let soft = maker.pointwise(&size, &[(&exp, maker.all(3)), (&sum, row)], "truediv");
        let heads = maker.kernel("bmm", &[&soft, &v], &[HEADS, ROWS, WIDTH]);
        let part = (&heads, vec![None, Some(0), Some(1)]);
        let joined = maker.pointwise(&[ROWS, WIDTH], &[part], "abs");
        let weights = maker.input(&[WIDTH, WIDTH]);
        let projected = maker.kernel("mm", &[&joined, &weights], &[ROWS, WIDTH]);
        let reads = [(&x, maker.all(2)), (&projected, maker.all(2))];
        let middle = maker.pointwise(&[ROWS, WIDTH], &reads, "add");
        let normal = maker.normalized(&middle);
        let weights = maker.input(&[WIDTH, WIDTH]);
        let inner = maker.kernel("mm", &[&normal, &weights], &[ROWS, WIDTH]);
        let active = maker.pointwise(&[ROWS, WIDTH], &[(&inner, maker.all(2))], "tanh");
        let weights = maker.input(&[WIDTH, WIDTH]);
        let outer = maker.kernel("mm", &[&active, &weights], &[ROWS, WIDTH]);
        let reads = [(&middle, maker.all(2)), (&outer, maker.all(2))];
        x = maker.pointwise(&[ROWS, WIDTH], &reads, "add");
    }
    maker.finish(&[x])
}

fn strides(size: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; size.len()];
    for dim in (1..size.len()).rev() {
        strides[dim - 1] = strides[dim] * size[dim];
    }
    strides
}

fn numbers(list: &[i64]) -> Vec<schema::Expr> {
    list.iter().copied().map(schema::Expr::Number).collect()
}

fn layout(kind: schema::LayoutKind, size: &[i64]) -> schema::Layout {
    schema::Layout {
        kind,
        dtype: Some("f32".into()),
        device: Some("cpu".into()),
        size: Some(numbers(size)),
        stride: Some(numbers(&strides(size))),
        offset: Some(schema::Expr::Number(0)),
        base: None,
        base_offset: None,
        target: None,
    }
}

impl Maker {
    fn all(&self, rank: usize) -> Vec<Option<usize>> {
        (0..rank).map(Some).collect()
    }

    fn input(&mut self, size: &[i64]) -> Tensor {
        let name = format_smolstr!("arg{}_1", self.inputs.len());
        self.inputs.push(schema::Input {
            source: None,
            name: name.clone(),
            kind: schema::InputKind::Tensor,
            layout: Some(layout(schema::LayoutKind::Fixed, size)),
            expr: None,
        });
        Tensor {
            name,
            size: size.to_vec(),
        }
    }

    /// Adds an operation with a separate buffer.
    fn add(&mut self, kind: schema::OpKind, size: &[i64]) -> (Tensor, &mut schema::Op) {
        let name = format_smolstr!("buf{}", self.buffers.len());
        let is_loop = kind != schema::OpKind::Extern;
        let lowered = match is_loop {
            true => schema::LayoutKind::Flexible,
            false => schema::LayoutKind::Fixed,
        };
        self.buffers.push(schema::Buffer {
            name: name.clone(),
            lowered: layout(lowered, size),
            fixed: None,
        });
        self.ops.push(schema::Op {
            name: format_smolstr!("op{}", self.ops.len()),
            kind,
            buffers: vec![name.clone()],
            origin: None,
            origins: Vec::new(),
            dtype: is_loop.then(|| "f32".into()),
            ranges: is_loop.then(|| numbers(size)),
            reduction_ranges: None,
            reduction_type: None,
            src_dtype: None,
            reduction_hint: None,
            output_index: None,
            scan_ranges: None,
            mutates: None,
            aliases: None,
            hints: None,
            body: None,
            kernel: None,
        });
        let tensor = Tensor {
            name,
            size: size.to_vec(),
        };
        (tensor, self.ops.last_mut().expect("it was just added"))
    }

    fn kernel(&mut self, name: &str, inputs: &[&Tensor], size: &[i64]) -> Tensor {
        let inputs = inputs.iter();
        let inputs = inputs.map(|input| schema::Ref::Buffer(input.name.clone(), None));
        let inputs = inputs.collect();
        let (tensor, op) = self.add(schema::OpKind::Extern, size);
        op.kernel = Some(schema::Extern {
            class: "ExternKernelOut".into(),
            kernel: Some(format_smolstr!("extern_kernels.{name}")),
            op_overload: Some(format_smolstr!("aten.{name}.out")),
            inputs,
            constant_args: Vec::new(),
            kwargs: Table::new(),
            call: None,
            indices: None,
            other: Table::new(),
        });
        tensor
    }

    fn pointwise(&mut self, size: &[i64], reads: &[Read<'_>], function: &str) -> Tensor {
        let body = |tensor: &Tensor| {
            let mut body = Body::new(size, &[]);
            let loaded: Vec<Value> = reads.iter().map(|read| body.load(read)).collect();
            let value = body.apply(function, &loaded);
            let at = (0..size.len()).map(Some).collect();
            let index = body.index(&(tensor, at));
            body.push(json!({
                "op": "store", "buffer": tensor.name, "index": index, "mode": null,
                "value": value,
            }));
            body.finish()
        };
        let (tensor, op) = self.add(schema::OpKind::Pointwise, size);
        op.body = Some(body(&tensor));
        tensor
    }

    /// Reduces along the last dimension of some extents, which stays with one element.
    fn reduction(&mut self, size: &[i64], read: Read<'_>, kind: &str) -> Tensor {
        let (reduced, outer) = size.split_last().expect("there is a dimension");
        let mut shape = outer.to_vec();
        shape.push(1);
        let body = |tensor: &Tensor| {
            let mut body = Body::new(outer, &[*reduced]);
            let value = body.load(&read);
            body.push(json!({
                "id": "reduction", "op": "reduction", "dtype": "f32", "src_dtype": "f32",
                "reduction_type": kind, "value": value,
            }));
            let mut at: Vec<Option<usize>> = (0..outer.len()).map(Some).collect();
            at.push(None);
            let index = body.index(&(tensor, at));
            body.push(json!({
                "op": "store_reduction", "buffer": tensor.name, "index": index, "value": "%reduction",
            }));
            body.finish()
        };
        let (tensor, op) = self.add(schema::OpKind::Reduction, &shape);
        op.reduction_ranges = Some(numbers(&[*reduced]));
        op.reduction_type = Some(kind.into());
        op.src_dtype = Some("f32".into());
        op.body = Some(body(&tensor));
        tensor
    }

    /// Two reductions of each row, and an operation of both.
    fn normalized(&mut self, x: &Tensor) -> Tensor {
        let size = x.size.clone();
        let row = vec![Some(0), None];
        let max = self.reduction(&size, (x, self.all(2)), "max");
        let sum = self.reduction(&size, (x, self.all(2)), "sum");
        let reads = [(x, self.all(2)), (&max, row.clone()), (&sum, row)];
        self.pointwise(&size, &reads, "sub")
    }

    fn finish(self, outputs: &[Tensor]) -> schema::Graph {
        let outputs = outputs.iter();
        schema::Graph {
            format: schema::FORMAT.into(),
            version: schema::VERSION,
            torch: "2.12.1".into(),
            graph: 0,
            backend: Table::from_iter([("cpu", "CppScheduling".into())]),
            symbols: Vec::new(),
            inputs: self.inputs,
            constants: Vec::new(),
            buffers: self.buffers,
            ops: self.ops,
            outputs: outputs
                .map(|output| schema::Ref::Buffer(output.name.clone(), None))
                .collect(),
            phase: None,
        }
    }
}

/// The body of a nest that is being made.
struct Body {
    vars: Vec<(Text, schema::Expr)>,
    parallel: usize,
    index: Table<schema::Index>,
    /// The names of the index expressions, by their texts.
    names: FxHashMap<String, Text>,
    instructions: Vec<schema::Inst>,
    loads: usize,
}

impl Body {
    fn new(loops: &[i64], reduced: &[i64]) -> Self {
        let all = loops.iter().chain(reduced).enumerate();
        Self {
            vars: all
                .map(|(number, size)| (format_smolstr!("i{number}"), schema::Expr::Number(*size)))
                .collect(),
            parallel: loops.len(),
            index: Table::new(),
            names: FxHashMap::default(),
            instructions: Vec::new(),
            loads: 0,
        }
    }

    fn push(&mut self, instruction: serde_json::Value) {
        let instruction = serde_json::from_value(instruction);
        let instruction = instruction.expect("it has the fields of an instruction");
        self.instructions.push(instruction);
    }

    fn load(&mut self, read: &Read<'_>) -> Value {
        let index = self.index(read);
        let id = match self.loads {
            0 => "load".into(),
            number => format_smolstr!("load_{number}"),
        };
        self.loads += 1;
        self.push(json!({"id": id, "op": "load", "buffer": read.0.name, "index": index}));
        format_smolstr!("%{id}").into()
    }

    /// Applies a function to a value, or folds several values with it, from left to right.
    fn apply(&mut self, function: &str, values: &[Value]) -> Value {
        let (first, others) = values.split_first().expect("there is a value");
        if others.is_empty() {
            self.push(json!({"id": function, "op": function, "args": [first]}));
            return format_smolstr!("%{function}").into();
        }
        let mut last = first.clone();
        for (number, value) in others.iter().enumerate() {
            let id = match number {
                0 => function.into(),
                number => format_smolstr!("{function}_{number}"),
            };
            self.push(json!({"id": id, "op": function, "args": [last, value]}));
            last = format_smolstr!("%{id}").into();
        }
        last
    }

    /// Returns the name of the index of an access.
    fn index(&mut self, (tensor, at): &Read<'_>) -> Text {
        let strides = strides(&tensor.size);
        let mut place = Expr::constant(0);
        let mut subscript = Vec::new();
        for (at, stride) in at.iter().zip(&strides) {
            let Some(at) = at else {
                subscript.push(schema::Expr::Number(0));
                continue;
            };
            let var = Expr::var(Var::Loop(u32::try_from(*at).expect("loops are few")));
            let step = var.scale(*stride).expect("small numbers");
            place = place.add(&step).expect("small numbers");
            subscript.push(schema::Expr::Name(format_smolstr!("i{at}")));
        }
        let name = |var: Var| match var {
            Var::Loop(number) => format_smolstr!("i{number}"),
            other => format_smolstr!("{other}"),
        };
        let access = schema::Access {
            size: numbers(&tensor.size),
            stride: numbers(&strides),
            offset: schema::Expr::Number(0),
            subscript,
        };
        let text = tree::text(&place, &name);
        if let Some(existing) = self.names.get(&text) {
            let index = self.index.get_mut(existing).expect("it was named");
            index.at.insert(tensor.name.clone(), access);
            return Text::clone(existing);
        }
        let symbol_name = format_smolstr!("index{}", self.names.len());
        self.names.insert(text.clone(), symbol_name.clone());
        let index = schema::Index {
            e: names::write(&place, &name),
            class: "affine",
            text,
            at: Table::from_iter([(tensor.name.clone(), access)]),
        };
        self.index.insert(symbol_name.clone(), index);
        symbol_name
    }

    fn finish(mut self) -> schema::Body {
        let reduced = self.vars.split_off(self.parallel);
        schema::Body {
            vars: self.vars,
            rvars: reduced,
            indirect: Table::new(),
            index: self.index,
            blocks: Table::from_iter([("body", self.instructions)]),
        }
    }
}
