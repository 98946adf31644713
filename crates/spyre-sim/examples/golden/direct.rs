//! A specification tree, evaluated directly: every operation over its iteration space, every operand at the element that
//! its coordinates name (SDSC bundle specification, sections 3.1 to 3.4). Uses no code of the generator or of the
//! simulator except expressions.

use std::collections::BTreeMap;

use half::f16;
use serde_json::Value;
use spyre_sdsc::Expr;

/// The memory of one allocation: elements by position.
#[derive(Default)]
pub(crate) struct Buffer {
    /// Bytes of an element.
    pub bytes: usize,
    /// The initial value of each element that is read before it is written.
    pub initial: Vec<Option<u32>>,
    /// The last value of each element that is written.
    pub last: Vec<Option<u32>>,
    /// Elements that the operations' tensors span.
    pub elements: usize,
}

/// Where a tensor is: the argument with its first address, the pool, or an address in the scratchpads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Home {
    Argument(i64),
    Pool,
    Lx(i64),
}

/// All buffers.
#[derive(Default)]
pub(crate) struct Direct {
    pub buffers: BTreeMap<Home, Buffer>,
    /// Sizes that are known when a kernel runs, by name: the largest allowed.
    sizes: BTreeMap<String, i64>,
    symbols: BTreeMap<String, i64>,
    integers: bool,
}

/// Whether addresses are segments of 16 GiB (the first revision) or offsets in arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addresses {
    Segments { pool: bool },
    Offsets,
}

type Evaluated<T> = Result<T, String>;

/// An operand, ready to be indexed.
struct Operand {
    home: Home,
    /// First element.
    start: i64,
    /// For each iteration dimension, the elements moved at each of its values, or an empty table if it does not move.
    tables: Vec<Vec<i64>>,
    span: i64,
    bytes: usize,
}

/// An operation with its operands.
struct Operation<'a> {
    name: &'a str,
    inputs: &'a [Operand],
    output: &'a Operand,
    /// The symbols and extents of the iteration space.
    dims: &'a [(String, i64)],
    /// The dimensions that are reduced.
    inner: &'a [usize],
    /// The dimension for the results of a search.
    ranks: Option<usize>,
    constants: &'a Value,
}

/// The allocation of an operand, and its offset there in bytes.
fn place(arg: &Value, addresses: Addresses) -> Evaluated<(Home, i64)> {
    let place = arg["allocation"].as_object().ok_or("no place")?;
    let (kind, value) = place.iter().next().ok_or("no place")?;
    let value = value.as_i64().ok_or("no address")?;
    let index = arg["arg_index"].as_i64().ok_or("no index")?;
    Ok(match (kind.as_str(), addresses) {
        ("lx", _) => (Home::Lx(value), 0),
        ("pool" | "hbm_pool", _) => (Home::Pool, value),
        (_, Addresses::Offsets) => (Home::Argument(index), value - index),
        (_, Addresses::Segments { pool }) => (
            Home::Argument(index),
            value - ((index + i64::from(pool)) << 34),
        ),
    })
}

/// The iteration of each symbol of a tiled level.
fn tiles(op: &Value, loops: &[i64]) -> BTreeMap<String, i64> {
    // Innermost loop first.
    let levels = op["tiled_levels"].as_array().into_iter().flatten();
    let mut tiles = BTreeMap::new();
    for (level, iteration) in levels.zip(loops.iter().rev()) {
        for symbol in level.as_array().into_iter().flatten() {
            tiles.insert(symbol.as_str().unwrap_or_default().to_owned(), *iteration);
        }
    }
    tiles
}

impl Direct {
    /// Evaluates nodes in order. An error states why the program is not complete or not evaluated.
    pub(crate) fn run(&mut self, nodes: &Value, addresses: Addresses) -> Evaluated<()> {
        self.nodes(nodes, addresses, &mut Vec::new())
    }

    fn nodes(
        &mut self,
        nodes: &Value,
        addresses: Addresses,
        loops: &mut Vec<i64>,
    ) -> Evaluated<()> {
        for node in nodes.as_array().ok_or("no list")? {
            match node["kind"].as_str() {
                Some("op") => self.op(node, addresses, loops)?,
                Some("loop") => {
                    if let Some(bounds) = node["count_symbol_bounds"].as_object() {
                        for (name, bound) in bounds {
                            let max = bound[0].as_i64().ok_or("no bound")?;
                            self.sizes.insert(name.clone(), max);
                        }
                    }
                    let count = self.expr(&node["count"])?;
                    for iteration in 0..self.eval(&count)? {
                        loops.push(iteration);
                        self.nodes(&node["body"], addresses, loops)?;
                        loops.pop();
                    }
                }
                Some("unimplemented") => {}
                _ => return Err("unknown node".to_owned()),
            }
        }
        Ok(())
    }

    fn expr(&self, value: &Value) -> Evaluated<Expr> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        text.parse().map_err(|err| format!("{text}: {err}"))
    }

    fn eval(&self, expr: &Expr) -> Evaluated<i64> {
        let value = expr.eval(|symbol| {
            let name = symbol.as_str();
            self.symbols
                .get(name)
                .or_else(|| self.sizes.get(name))
                .copied()
        });
        value.map_err(|err| err.to_string())
    }

    fn op(&mut self, op: &Value, addresses: Addresses, loops: &[i64]) -> Evaluated<()> {
        let name = op["op"].as_str().ok_or("no name")?;
        if let Some(bounds) = op["symbolic_dim_bounds"].as_object() {
            for (size, bound) in bounds {
                self.sizes
                    .insert(size.clone(), bound[0].as_i64().ok_or("no bound")?);
            }
        }
        let tiles = tiles(op, loops);
        let dims = self.dims(op)?;
        let args = op["args"].as_array().ok_or("no operands")?;
        let mut operands = Vec::new();
        for arg in args {
            operands.push(self.operand(arg, &dims, &tiles, addresses)?);
        }
        let (output, inputs) = operands.split_last().ok_or("no output")?;
        self.integers = args[0]["device_dtype"] == "IEEE_INT32";
        let reduces = op["is_reduction"] == true;
        // Dimensions that the output lacks run innermost, in order.
        let kept = |dim: usize| output.tables[dim].iter().any(|at| *at != 0) || dims[dim].1 == 1;
        let (outer, inner): (Vec<usize>, Vec<usize>) =
            (0..dims.len()).partition(|dim| !reduces || kept(*dim));
        if let ("batchmatmul", [left, right]) = (name, inputs) {
            let results = self.product([left, right], output, &dims, [&outer, &inner])?;
            return self.write(output, results);
        }
        // The output of a search has a dimension for the results, along which the input does not move.
        let ranks = (0..dims.len()).find(|dim| {
            let moves = |operand: &Operand| operand.tables[*dim].iter().any(|at| *at != 0);
            name.starts_with("topk") && !inputs.iter().any(moves) && moves(output)
        });
        let operation = Operation {
            name,
            inputs,
            output,
            dims: &dims,
            inner: &inner,
            ranks,
            constants: &op["op_info"]["constants"],
        };
        let mut results = Vec::new();
        let mut point = vec![0_usize; dims.len()];
        loop {
            inner.iter().for_each(|dim| point[*dim] = 0);
            let code = match reduces {
                false => self.element(&operation, &point)?,
                true => self.reduced(&operation, &mut point)?,
            };
            results.push((output.at(&point), code));
            if !step(&mut point, &dims, &outer) {
                break;
            }
        }
        self.write(output, results)
    }

    /// The extents of the iteration space.
    fn dims(&self, op: &Value) -> Evaluated<Vec<(String, i64)>> {
        let mut dims: Vec<(String, i64)> = Vec::new();
        for dim in op["iteration_space"].as_array().ok_or("no space")? {
            let symbol = dim["symbol"].as_str().ok_or("no symbol")?;
            let range = self.expr(&dim["range"])?;
            dims.push((symbol.to_owned(), self.eval(&range)?));
        }
        Ok(dims)
    }

    /// The codes of the inputs at a point.
    fn codes(&mut self, op: &Operation<'_>, point: &[usize]) -> Evaluated<Vec<u32>> {
        let mut codes = Vec::with_capacity(op.inputs.len());
        for input in op.inputs {
            codes.push(self.read(input, point)?);
        }
        Ok(codes)
    }

    /// An element of the result of an operation element by element.
    fn element(&mut self, op: &Operation<'_>, point: &[usize]) -> Evaluated<u32> {
        let codes = self.codes(op, point)?;
        let constant = |key: &str| op.constants[key].as_f64().map(|value| value as f32);
        self.compute(op.name, &codes, op.output, constant)
    }

    /// An element of the result of a reduction or a search. Leaves the point at the start of the reduced dimensions.
    fn reduced(&mut self, op: &Operation<'_>, point: &mut [usize]) -> Evaluated<u32> {
        let mut searched: Vec<(f32, u32, u32)> = Vec::new();
        let mut sum: Option<f32> = None;
        let mut count = 0;
        let is_search = matches!(op.name, "topkvalue" | "topkindex");
        loop {
            let codes = self.codes(op, point)?;
            let numbers: Vec<f32> = codes
                .iter()
                .zip(op.inputs)
                .map(|(code, input)| self.number(*code, input.bytes))
                .collect();
            count += 1;
            if is_search {
                searched.push((numbers[0], codes[0], count as u32 - 1));
            } else {
                sum = Some(reduce(op.name, sum, &numbers)?);
            }
            if !step(point, op.dims, op.inner) {
                break;
            }
        }
        if is_search {
            // No input is NaN.
            searched.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
            let entry = searched.get(op.ranks.map_or(0, |dim| point[dim]));
            let (_, code, at) = *entry.ok_or("more is told than searched")?;
            return Ok(match op.name {
                "topkvalue" => code,
                _ => self.code(at as f32, op.output.bytes),
            });
        }
        let sum = sum.unwrap_or_default();
        let mean = if op.name == "mean" {
            sum / count as f32
        } else {
            sum
        };
        Ok(self.code(mean, op.output.bytes))
    }

    fn write(&mut self, output: &Operand, results: Vec<(i64, u32)>) -> Evaluated<()> {
        let buffer = self.buffers.get_mut(&output.home).ok_or("no buffer")?;
        for (at, code) in results {
            buffer.last[usize::try_from(at).map_err(|err| err.to_string())?] = Some(code);
        }
        Ok(())
    }

    /// A product, in the order of any reduction. Large ones have a billion terms, so elements are decoded once, and places
    /// along the contracted dimensions are looked up once.
    fn product(
        &mut self,
        factors: [&Operand; 2],
        output: &Operand,
        dims: &[(String, i64)],
        [outer, inner]: [&[usize]; 2],
    ) -> Evaluated<Vec<(i64, u32)>> {
        let [left, right] = factors;
        let (a, b) = (self.numbers(left, dims)?, self.numbers(right, dims)?);
        let mut point = vec![0_usize; dims.len()];
        let mut terms = Vec::new();
        loop {
            let place = |operand: &Operand| usize::try_from(operand.at(&point) - operand.start);
            let pair = (place(left), place(right));
            let (Ok(left), Ok(right)) = pair else {
                return Err("a place before the first element".to_owned());
            };
            terms.push((left, right));
            if !step(&mut point, dims, inner) {
                break;
            }
        }
        let mut results = Vec::new();
        loop {
            let first = |operand: &Operand| {
                usize::try_from(operand.at(&point)).map_err(|err| err.to_string())
            };
            let (at_left, at_right) = (first(left)?, first(right)?);
            let products = terms.iter().map(|(l, r)| a[at_left + l] * b[at_right + r]);
            let sum = products.fold(0.0, |sum, product| sum + product);
            results.push((output.at(&point), self.code(sum, output.bytes)));
            if !step(&mut point, dims, outer) {
                return Ok(results);
            }
        }
    }

    /// The numbers of an operand by place, where an operation reads them.
    fn numbers(&mut self, operand: &Operand, dims: &[(String, i64)]) -> Evaluated<Vec<f32>> {
        let moves = |dim: &usize| operand.tables[*dim].iter().any(|at| *at != 0);
        let along: Vec<usize> = (0..dims.len()).filter(moves).collect();
        let size = usize::try_from(operand.span).map_err(|err| err.to_string())?;
        let mut numbers = vec![f32::NAN; size];
        let mut point = vec![0_usize; dims.len()];
        loop {
            let code = self.read(operand, &point)?;
            let at = usize::try_from(operand.at(&point)).map_err(|err| err.to_string())?;
            numbers[at] = self.number(code, operand.bytes);
            if !step(&mut point, dims, &along) {
                return Ok(numbers);
            }
        }
    }

    fn operand(
        &mut self,
        arg: &Value,
        dims: &[(String, i64)],
        tiles: &BTreeMap<String, i64>,
        addresses: Addresses,
    ) -> Evaluated<Operand> {
        let bytes = match arg["device_dtype"].as_str() {
            Some("SEN169_FP16") => 2,
            Some("IEEE_FP32" | "IEEE_INT32") => 4,
            other => return Err(format!("elements of {other:?}")),
        };
        let size: Vec<i64> = arg["device_size"]
            .as_array()
            .ok_or("no size")?
            .iter()
            .filter_map(Value::as_i64)
            .collect();
        let (home, offset) = place(arg, addresses)?;
        let mut start = offset / bytes;
        if let Some(advance) = arg["device_tile_advance_expr"].as_str() {
            let advance: Expr = advance.parse().map_err(|err| format!("{err}"))?;
            let moved = advance.eval(|symbol| tiles.get(symbol.as_str()).copied());
            start += moved.map_err(|err| err.to_string())?;
        }
        let coordinates = arg["device_coordinates"]
            .as_array()
            .ok_or("no coordinates")?;
        let mut tables: Vec<Vec<i64>> = dims
            .iter()
            .map(|(_, extent)| vec![0; *extent as usize])
            .collect();
        let mut stride = 1;
        for (coordinate, size) in coordinates.iter().zip(&size).rev() {
            let coordinate = self.expr(coordinate)?;
            if coordinate.has_indirect_access() {
                return Err("a gather".to_owned());
            }
            let at_zero = coordinate
                .eval(|_| Some(0))
                .map_err(|err| err.to_string())?;
            start += at_zero * stride;
            for ((symbol, _), table) in dims.iter().zip(&mut tables) {
                if !coordinate.mentions(symbol) {
                    continue;
                }
                for (at, entry) in (0_i64..).zip(table.iter_mut()) {
                    let here =
                        coordinate.eval(|name| Some(if name.as_str() == symbol { at } else { 0 }));
                    *entry += (here.map_err(|err| err.to_string())? - at_zero) * stride;
                }
            }
            stride *= size;
        }
        let lasts = tables
            .iter()
            .map(|table| table.iter().max().copied().unwrap_or(0));
        let end = start + lasts.sum::<i64>() + 1;
        let span = usize::try_from(end.max(start + stride)).map_err(|err| err.to_string())?;
        let buffer = self.buffers.entry(home).or_default();
        buffer.bytes = bytes as usize;
        if buffer.elements < span {
            buffer.elements = span;
            buffer.initial.resize(span, None);
            buffer.last.resize(span, None);
        }
        Ok(Operand {
            home,
            start,
            tables,
            span: end,
            bytes: bytes as usize,
        })
    }

    /// The element at a point: the value last written, else an input.
    fn read(&mut self, operand: &Operand, point: &[usize]) -> Evaluated<u32> {
        let at = operand.at(point);
        let at = usize::try_from(at).map_err(|err| format!("{err} of {}", operand.span))?;
        let buffer = self.buffers.get(&operand.home).ok_or("no buffer")?;
        if let Some(code) = buffer.last[at].or(buffer.initial[at]) {
            return Ok(code);
        }
        let Home::Argument(argument) = operand.home else {
            return Err("not a complete program: a temporary is read and not written".to_owned());
        };
        // Quarters from -64 to 63.75, which hardly repeat: sums of products are exact, and exp stays finite.
        let mixed = (at as u64 + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(argument as u64 * 0x1234_5677);
        let value = ((mixed >> 40) % 64) as f32 / 8.0 - 4.0;
        let code = if self.integers {
            (mixed >> 32) as u32
        } else {
            self.code(value, operand.bytes)
        };
        if let Some(buffer) = self.buffers.get_mut(&operand.home) {
            buffer.initial[at] = Some(code);
        }
        Ok(code)
    }

    fn number(&self, code: u32, bytes: usize) -> f32 {
        match bytes {
            2 => f16::from_bits(code as u16).to_f32(),
            _ => f32::from_bits(code),
        }
    }

    fn code(&self, value: f32, bytes: usize) -> u32 {
        match bytes {
            2 => u32::from(f16::from_f32(value).to_bits()),
            _ => value.to_bits(),
        }
    }

    fn compute(
        &self,
        name: &str,
        codes: &[u32],
        output: &Operand,
        constant: impl Fn(&str) -> Option<f32>,
    ) -> Evaluated<u32> {
        if matches!(name, "identity" | "ReStickifyOpHBM") {
            return Ok(codes[0]);
        }
        if self.integers && name == "add" {
            return Ok(codes[0].wrapping_add(codes[1]));
        }
        let n: Vec<f32> = codes
            .iter()
            .map(|code| self.number(*code, output.bytes))
            .collect();
        let value = match (name, n.as_slice()) {
            ("add", [a, b]) => a + b,
            ("sub", [a, b]) => a - b,
            ("mul", [a, b]) => a * b,
            ("realdiv", [a, b]) => a / b,
            ("exp", [a]) => a.exp(),
            ("abs", [a]) => a.abs(),
            ("neg", [a]) => -a,
            ("reciprocal", [a]) => 1.0 / a,
            ("where3", [a, b, c]) => *if *a != 0.0 { b } else { c },
            ("layernormnorm", [x, mean, scale, weight, bias]) => (x - mean) * scale * weight + bias,
            ("clip", [a]) => {
                let (min, max) = constant("clipMin")
                    .zip(constant("clipMax"))
                    .ok_or("no limits")?;
                a.max(min).min(max)
            }
            _ => return Err(format!("{name} is not evaluated")),
        };
        Ok(self.code(value, output.bytes))
    }
}

impl Operand {
    fn at(&self, point: &[usize]) -> i64 {
        let moved: i64 = self
            .tables
            .iter()
            .zip(point)
            .map(|(table, at)| table[*at])
            .sum();
        self.start + moved
    }
}

fn reduce(name: &str, sum: Option<f32>, numbers: &[f32]) -> Evaluated<f32> {
    Ok(match (name, numbers) {
        ("sum" | "mean", [a]) => sum.unwrap_or(0.0) + a,
        ("max", [a]) => sum.map_or(*a, |sum| sum.max(*a)),
        ("min", [a]) => sum.map_or(*a, |sum| sum.min(*a)),
        ("prod", [a]) => sum.unwrap_or(1.0) * a,
        _ => return Err(format!("{name} is not evaluated")),
    })
}

/// Steps to the next point along some dimensions, the last fastest.
fn step(point: &mut [usize], dims: &[(String, i64)], along: &[usize]) -> bool {
    for dim in along.iter().rev() {
        point[*dim] += 1;
        if (point[*dim] as i64) < dims[*dim].1 {
            return true;
        }
        point[*dim] = 0;
    }
    false
}
