//! All plans of a small graph, from the specification alone.

use super::addresses::{self, fits};
use super::graph::{CORES, Graph, OperationKind, Value};

/// A buffer in a scratchpad. There are twice as many steps as operations: a copy runs just before an operation.
type Buffer = addresses::Buffer<usize>;

/// Bytes of device memory, element operations and products of a core in a microsecond (middle-end specification, section 4.3; element
/// operations as the documentation assumes).
const BYTES: f64 = 204_800.0;
const ELEMENTS: f64 = 96_000.0;
const PRODUCTS: f64 = 1_536_000.0;

/// Microseconds of an execution, and of an element of a partial result that is passed on.
const EXECUTION: f64 = 0.02;
const PARTIAL: f64 = 1e-4;

/// The cost of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub microseconds: f64,
    pub bytes: u64,
}

/// The slice of a core along each dimension of a tensor: its number, and of how many.
type Slice = [(u64, u64); 2];

/// An operation under a division.
struct Divided {
    microseconds: f64,
    /// The slice that each core that works makes; `None` if it makes parts of the result.
    written: Option<Vec<Slice>>,
    /// The slice of each operand that each core reads.
    read: Vec<Vec<Slice>>,
}

/// Returns the time of the fastest plan that moves at most a tenth more than the compulsory bytes, or, where none does,
/// than the fewest.
pub(crate) fn best(graph: &Graph) -> Cost {
    let values = &graph.values;
    let is_moved = |at: &usize| match values[*at].producer {
        None => !graph.reads(*at).is_empty(),
        Some(_) => graph.is_returned(*at),
    };
    let compulsory: u64 = (0..values.len())
        .filter(is_moved)
        .map(|at| values[at].bytes())
        .sum();
    let mut search = Search {
        graph,
        divided: values.iter().map(|value| divisions(graph, value)).collect(),
        goal: Goal::FewBytes,
        best: None,
    };
    search.all();
    let fewest = search.best.expect("there is a plan").bytes;
    let tenth = |bytes: u64| bytes + bytes / 10;
    search.goal = Goal::Fast(tenth(if fewest <= tenth(compulsory) {
        compulsory
    } else {
        fewest
    }));
    search.best = None;
    search.all();
    search.best.expect("there is a plan")
}

/// Returns every division of the operation that makes a value; none for an argument.
fn divisions(graph: &Graph, value: &Value) -> Vec<Divided> {
    let Some((kind, operands)) = &value.producer else {
        return Vec::new();
    };
    let [rows, columns] = value.shape;
    let operand_shape = |operand: usize| graph.values[operands[operand]].shape;
    // The iteration space, rows and columns of the result first, then the reduced dimension; the granularity of cuts,
    // in elements; and the dimensions of each operand.
    let (space, units, dims): (Vec<u64>, Vec<u64>, Vec<[Option<usize>; 2]>) = match kind {
        OperationKind::Elementwise(_) => (
            vec![rows, columns],
            vec![1, 64],
            (0..operands.len())
                .map(|operand| [Some(0), (operand_shape(operand)[1] > 1).then_some(1)])
                .collect(),
        ),
        OperationKind::Max(1) => (
            vec![rows, 1, operand_shape(0)[1]],
            vec![1, 1, 64],
            vec![[Some(0), Some(2)]],
        ),
        OperationKind::Max(_) => (
            vec![1, columns, operand_shape(0)[0]],
            vec![1, 64, 1],
            vec![[Some(2), Some(1)]],
        ),
        OperationKind::Product => (
            vec![rows, columns, operand_shape(0)[1]],
            vec![1, 64, 64],
            vec![[Some(0), Some(2)], [Some(2), Some(1)]],
        ),
    };
    let mut divisions = Vec::new();
    each(&vec![CORES; space.len()], &mut |digits| {
        let split: Vec<u64> = digits.iter().map(|digit| digit + 1).collect();
        let parts = space.iter().zip(&units).zip(&split);
        let divides = |((extent, unit), cores): ((&u64, &u64), &u64)| {
            *cores == 1 || extent % unit == 0 && (extent / unit) % cores == 0
        };
        if split.iter().product::<u64>() > CORES || !parts.into_iter().all(divides) {
            return;
        }
        divisions.push(divided(*kind, &space, &split, &dims));
    });
    divisions
}

fn divided(
    kind: OperationKind,
    space: &[u64],
    split: &[u64],
    dims: &[[Option<usize>; 2]],
) -> Divided {
    let part = |dim: usize| space[dim] / split[dim];
    let points: u64 = (0..space.len()).map(part).product();
    let slices: u64 = split[2..].iter().product();
    // The cores that share a sum pass on all parts but one.
    let partials = (slices - 1) * part(0) * part(1);
    let rate = match kind {
        OperationKind::Product => {
            // Eight rows are a pass, and five passes full speed.
            let passes = (float(part(0)) / 8.0).max(1.0);
            PRODUCTS * (passes / 5.0).min(1.0).powf(0.25)
        }
        _ => ELEMENTS,
    };
    // The digits of a core's number, the first dimension fastest; of a sum of products the last one.
    let mut order: Vec<usize> = (0..space.len()).collect();
    if kind == OperationKind::Product && slices > 1 {
        order.rotate_right(1);
    }
    let digits = |core: u64| {
        let (mut digits, mut rest) = (vec![0; split.len()], core);
        for dim in &order {
            digits[*dim] = rest % split[*dim];
            rest /= split[*dim];
        }
        digits
    };
    let cores: u64 = split.iter().product();
    let slices_of = |dims: [Option<usize>; 2]| -> Vec<Slice> {
        let slice = |core| {
            let digits = digits(core);
            dims.map(|dim| dim.map_or((0, 1), |dim| (digits[dim], split[dim])))
        };
        (0..cores).map(slice).collect()
    };
    Divided {
        microseconds: EXECUTION + float(points) / rate + float(partials) * PARTIAL,
        written: (slices == 1).then(|| slices_of([Some(0), Some(1)])),
        read: dims.iter().map(|dims| slices_of(*dims)).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn float(count: u64) -> f64 {
    count as f64
}

/// Calls `visit` with every list of numbers in which each number is below its count in `counts`.
fn each(counts: &[u64], visit: &mut impl FnMut(&[u64])) {
    let mut numbers = vec![0; counts.len()];
    loop {
        visit(&numbers);
        let Some(at) = (0..counts.len()).find(|at| numbers[*at] + 1 < counts[*at]) else {
            return;
        };
        numbers[at] += 1;
        numbers[..at].fill(0);
    }
}

/// The quality in which a plan is best.
#[derive(Clone, Copy)]
enum Goal {
    FewBytes,
    /// A fast plan that moves at most this number of bytes.
    Fast(u64),
}

/// A way to treat a value.
struct Way {
    microseconds: f64,
    bytes: u64,
    buffer: Option<Buffer>,
}

struct Search<'g> {
    graph: &'g Graph,
    /// The divisions of the operation that makes each value.
    divided: Vec<Vec<Divided>>,
    goal: Goal,
    best: Option<Cost>,
}

impl Search<'_> {
    /// Tries every division of every operation.
    fn all(&mut self) {
        let counts: Vec<u64> = self
            .divided
            .iter()
            .map(|all| all.len().max(1) as u64)
            .collect();
        let mut choices = Vec::new();
        each(&counts, &mut |numbers| choices.push(numbers.to_vec()));
        for choice in choices {
            let ways: Vec<Vec<Way>> = (0..choice.len())
                .map(|value| self.ways(value, &choice))
                .collect();
            let compute = (0..choice.len())
                .filter_map(|value| self.chosen(value, &choice))
                .map(|divided| divided.microseconds)
                .sum();
            let cost = Cost {
                microseconds: compute,
                bytes: 0,
            };
            self.values(&ways, cost, &mut Vec::new());
        }
    }

    fn chosen(&self, value: usize, choice: &[u64]) -> Option<&Divided> {
        self.divided[value].get(choice[value] as usize)
    }

    fn is_better(&self, cost: Cost) -> bool {
        let Some(best) = self.best else {
            return match self.goal {
                Goal::FewBytes => true,
                Goal::Fast(limit) => cost.bytes <= limit,
            };
        };
        match self.goal {
            Goal::FewBytes => cost.bytes < best.bytes,
            Goal::Fast(limit) => cost.bytes <= limit && cost.microseconds < best.microseconds,
        }
    }

    /// Treats the values that are left in every way.
    fn values(&mut self, ways: &[Vec<Way>], cost: Cost, buffers: &mut Vec<Buffer>) {
        if !self.is_better(cost) {
            return;
        }
        let Some((first, rest)) = ways.split_first() else {
            if fits(buffers, self.graph.lx) {
                self.best = Some(cost);
            }
            return;
        };
        for way in first {
            let cost = Cost {
                microseconds: cost.microseconds + way.microseconds,
                bytes: cost.bytes + way.bytes,
            };
            buffers.extend(way.buffer.clone());
            self.values(rest, cost, buffers);
            if way.buffer.is_some() {
                buffers.pop();
            }
        }
    }

    /// Returns the ways to treat a value.
    fn ways(&self, value: usize, choice: &[u64]) -> Vec<Way> {
        let graph = self.graph;
        let tensor = &graph.values[value];
        let bytes = tensor.bytes();
        let moved = |times: u64, more: f64, buffer: Option<Buffer>| Way {
            microseconds: float(bytes * times) / BYTES + more,
            bytes: bytes * times,
            buffer,
        };
        let reads = graph.reads(value);
        let read = |(reader, operand): (usize, usize)| {
            let divided = self.chosen(reader, choice).expect("an operation reads");
            &divided.read[operand]
        };
        if graph.is_returned(value) {
            return vec![moved(1, 0.0, None)];
        }
        if let Some(divided) = self.chosen(value, choice) {
            let mut ways = vec![moved(1 + reads.len() as u64, 0.0, None)];
            if let Some(written) = &divided.written
                && reads
                    .iter()
                    .all(|access| written.starts_with(read(*access)))
            {
                let (kind, operands) = tensor.producer.as_ref().expect("an operation makes it");
                let is_elementwise = matches!(kind, OperationKind::Elementwise(_));
                let over = operands.iter().map(|at| {
                    let is_free = is_elementwise && graph.values[*at].shape == tensor.shape;
                    (*at, is_free)
                });
                let last = reads.last().expect("something reads it").0;
                ways.push(moved(
                    0,
                    0.0,
                    Some(Buffer {
                        bytes: bytes / written.len() as u64,
                        live: 2 * value..2 * last + 1,
                        value,
                        over: over.collect(),
                    }),
                ));
            }
            return ways;
        }
        let mut ways = vec![moved(reads.len() as u64, 0.0, None)];
        // A copy for some of the readers, with the slice of each core copied by that core.
        for (at, first) in reads.iter().enumerate() {
            let slices = read(*first)[0].map(|(_, slice_count)| slice_count);
            let cores = slices[0] * slices[1];
            let copied = slices_of_cores(slices);
            let finders: Vec<(usize, usize)> = reads[at..]
                .iter()
                .copied()
                .filter(|access| copied.starts_with(read(*access)))
                .collect();
            if finders.first() != Some(first) {
                continue;
            }
            let elements = tensor.shape[0] * tensor.shape[1] / cores;
            for count in 1..=finders.len() {
                let others = (reads.len() - count) as u64;
                ways.push(moved(
                    others + 1,
                    EXECUTION + float(elements) / ELEMENTS,
                    Some(Buffer {
                        bytes: bytes / cores,
                        live: 2 * first.0 - 1..2 * finders[count - 1].0 + 1,
                        value,
                        over: Vec::new(),
                    }),
                ));
            }
        }
        ways
    }
}

/// Returns the slice of each core, with the slices of the first dimension on adjacent cores.
fn slices_of_cores(slices: [u64; 2]) -> Vec<Slice> {
    (0..slices[0] * slices[1])
        .map(|core| [(core % slices[0], slices[0]), (core / slices[0], slices[1])])
        .collect()
}
