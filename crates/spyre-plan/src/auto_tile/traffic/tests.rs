//! Checks that the choice is optimal, on programs that are small enough for an exhaustive search.

use proptest::prelude::*;
use spyre_layout::{DeviceFormat, DimOrder, Layout};

use super::super::{Block, Dim, Shape, Span, Step, Tensor, Value};
use super::cost::Costs;
use super::group::Classes;
use super::search::atoms;
use super::untiled::Untiled;
use super::*;

/// Builds programs of 16-bit tensors in default layouts.
#[derive(Default)]
struct Builder {
    block: Block,
    extents: Vec<Vec<u64>>,
}

impl Builder {
    fn value(&mut self, extents: &[u64]) -> usize {
        let bytes = tensor(extents, Vec::new()).bytes;
        self.block.values.push(Value {
            bytes,
            in_memory: false,
        });
        self.extents.push(extents.to_vec());
        self.extents.len() - 1
    }

    /// Adds an operation; `dims` of its operands, then of its result.
    fn step(
        &mut self,
        space: &[u64],
        reduced: usize,
        operands: &[usize],
        dims: &[&[usize]],
    ) -> usize {
        let dims_of = |dims: &[usize]| dims.iter().map(|dim| Some(*dim)).collect::<Vec<_>>();
        let result = dims.last().unwrap();
        let extents: Vec<u64> = result.iter().map(|dim| space[*dim]).collect();
        let mut tensors: Vec<Tensor> = operands
            .iter()
            .zip(dims)
            .map(|(value, dims)| tensor(&self.extents[*value], dims_of(dims)))
            .collect();
        tensors.push(tensor(&extents, dims_of(result)));
        let unit = |dim: usize| {
            let on_stick = tensors
                .iter()
                .any(|tensor| tensor.dims.last() == Some(&Some(dim)));
            if on_stick { 64 } else { 1 }
        };
        let space = space.iter().zip(0..).map(|(extent, dim)| Dim {
            extent: *extent,
            unit: unit(dim),
        });
        let shape = Shape {
            space: space.collect(),
            reduced,
            tensors,
            in_memory: false,
        };
        let result = self.value(&extents);
        let position = self
            .block
            .shapes
            .iter()
            .position(|candidate| *candidate == shape);
        let shape = position.unwrap_or_else(|| {
            self.block.shapes.push(shape);
            self.block.shapes.len() - 1
        });
        self.block.steps.push(Step {
            shape,
            operands: operands.to_vec(),
            result,
            is_free: true,
            not_before: 0,
            split: None,
        });
        result
    }

    fn pointwise(&mut self, operands: &[usize]) -> usize {
        let extents = self.extents[operands[0]].clone();
        let dims = vec![&[0, 1][..]; operands.len() + 1];
        self.step(&extents, 0, operands, &dims)
    }

    fn matmul(&mut self, left: usize, right: usize) -> usize {
        let space = [
            self.extents[left][0],
            self.extents[right][1],
            self.extents[left][1],
        ];
        self.step(&space, 1, &[left, right], &[&[0, 2], &[2, 1], &[0, 1]])
    }

    /// Adds the sum over rows, of 64 columns.
    fn sum(&mut self, value: usize) -> usize {
        let (rows, columns) = (self.extents[value][0], self.extents[value][1]);
        self.step(&[columns, rows], 1, &[value], &[&[1, 0], &[0]])
    }

    fn returns(&mut self, value: usize) {
        self.block.values[value].in_memory = true;
    }
}

fn tensor(extents: &[u64], dims: Vec<Option<usize>>) -> Tensor {
    let format = DeviceFormat::Sen169Fp16;
    let order = DimOrder::host(extents.len());
    let layout = Layout::default_for(&order, format.elements_per_stick()).unwrap();
    let placed = layout.place(extents, format).unwrap();
    Tensor {
        dims,
        extents: extents.to_vec(),
        bytes: placed.bytes().get(),
        span: Span::new(&placed),
    }
}

fn machine(cores: u32, lx: u64) -> Machine {
    Machine {
        cores,
        lx,
        stick: 128,
        overhead: u64::from(cores) * 128,
        span_limit: None,
        broadcasts: false,
        most_atoms: MAX_ATOMS,
        rates: Rates::CARD,
    }
}

/// Returns the least cost of groups from an atom on, with every combination of tiles tried for every group.
fn least(untiled: &Untiled<'_>, atoms: &[std::ops::Range<usize>], machine: &Machine) -> i128 {
    let Some(start) = atoms.first().map(|atom| atom.start) else {
        return 0;
    };
    let mut best = least(untiled, &atoms[1..], machine);
    let live: Vec<usize> = (0..start)
        .map(|at| untiled.step(at).result)
        .filter(|value| untiled.resident[*value].is_some())
        .filter(|value| untiled.last_read(*value).is_some_and(|last| last >= start))
        .collect();
    let mut classes = Classes::new(untiled, start);
    for (at, atom) in atoms.iter().enumerate().take(machine.most_atoms) {
        if !atom.clone().all(|at| untiled.step(at).not_before <= start) {
            break;
        }
        atom.clone().for_each(|_| classes.push());
        let Some(group) = classes.group() else {
            continue;
        };
        let costs = Costs::new(untiled, machine, &group, &live);
        let rest = least(untiled, &atoms[at + 1..], machine);
        for counts in group.combinations() {
            let cost = costs.total(&counts, i128::MAX).unwrap().cost(machine);
            assert!(costs.lower_bound(&counts) <= cost, "{counts:?}");
            best = best.min(cost + rest);
        }
    }
    best
}

/// Builds a random program: each number is an operation on one of the values so far.
fn program(numbers: &[(u8, usize, usize)], rows: u64, columns: u64) -> Block {
    let mut builder = Builder::default();
    let first = builder.value(&[rows, columns]);
    let second = builder.value(&[rows, columns]);
    let square = builder.value(&[columns, columns]);
    let mut values = vec![first, second];
    for (kind, a, b) in numbers {
        let (a, b) = (values[a % values.len()], values[b % values.len()]);
        let result = match kind % 8 {
            0 => builder.matmul(a, square),
            1 => {
                // The sum has no uses.
                builder.sum(a);
                continue;
            }
            2 | 3 => builder.pointwise(&[a]),
            _ => builder.pointwise(&[a, b]),
        };
        values.push(result);
    }
    builder.returns(*values.last().unwrap());
    builder.block
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_choice_is_the_best_of_all(
        numbers in prop::collection::vec((0u8..8, 0usize..8, 0usize..8), 1..7),
        rows in prop::sample::select(vec![8u64, 24, 64]),
        columns in prop::sample::select(vec![64u64, 128, 192]),
        cores in prop::sample::select(vec![1u32, 2, 3, 4, 16]),
        lx in prop::sample::select(vec![1024u64, 4096, 16384]),
        broadcasts: bool,
    ) {
        let block = program(&numbers, rows, columns);
        let machine = Machine { broadcasts, ..machine(cores, lx) };
        let choice = choose(&block, &machine);
        let cost = |groups: &[Chosen]| -> i128 {
            groups.iter().map(|group| group.moved + group.runs * i128::from(machine.overhead)).sum()
        };
        let untiled = Untiled::new(&block, &machine);
        let total = cost(&choice.groups);
        prop_assert_eq!(total, least(&untiled, &atoms(&untiled), &machine));
        // No tiles are always possible.
        prop_assert!(total <= 0);
        prop_assert!(choice.groups.iter().all(|group| group.moved < 0));
        prop_assert_eq!(choice.tiled, choice.untiled + choice.groups.iter().map(|group| group.moved).sum::<i128>());
        prop_assert!(choice.tiled >= 0);
        // Groups are in order, and no step is in two.
        let steps: Vec<usize> = choice.groups.iter().flat_map(|group| &group.members).map(|member| member.step).collect();
        prop_assert!(steps.is_sorted_by(|a, b| a < b));
        for group in &choice.groups {
            for member in &group.members {
                prop_assert_eq!(member.dims.len(), group.counts.len());
                let shape = &block.shapes[block.steps[member.step].shape];
                for (dim, count) in member.dims.iter().zip(&group.counts) {
                    let Some(dim) = *dim else { continue };
                    prop_assert!(dim < shape.parallel() && *count > 1);
                    prop_assert!(shape.space[dim].extent.is_multiple_of(count * shape.space[dim].unit));
                }
            }
        }
    }
}

#[test]
fn a_chain_goes_through_the_scratchpads_in_as_few_tiles_as_fit() {
    let mut builder = Builder::default();
    let a = builder.value(&[256, 128]);
    let mut value = builder.pointwise(&[a]);
    for _ in 0..3 {
        value = builder.pointwise(&[value]);
    }
    builder.returns(value);
    // 64 KiB in 4 scratchpads of 8 KiB. Each value lives until the next is computed, so two of 4 KiB each
    // fit.
    let choice = choose(&builder.block, &machine(4, 8192));
    assert_eq!((choice.untiled, choice.tiled), (8 * 65536, 2 * 65536));
    let [group] = choice.groups.as_slice() else {
        panic!("{choice:?}");
    };
    assert_eq!(
        (group.counts.as_slice(), group.members.len(), group.runs),
        (&[4][..], 4, 12)
    );
    // With room for both, no tiles are needed.
    let choice = choose(&builder.block, &machine(4, 32768));
    assert_eq!((choice.untiled, choice.groups), (2 * 65536, Vec::new()));
}

#[test]
fn what_is_read_again_in_every_iteration_counts() {
    let mut builder = Builder::default();
    let (x, w) = (builder.value(&[64, 128]), builder.value(&[128, 128]));
    let y = builder.matmul(x, w);
    let z = builder.pointwise(&[y]);
    builder.returns(z);
    // y is 16 KiB. Four tiles of rows would save writing and reading it, and read 32 KiB of w four times.
    let choice = choose(&builder.block, &machine(1, 4096));
    assert_eq!(choice.untiled, 16384 + 32768 + 3 * 16384);
    assert_eq!(choice.groups, Vec::new());
    assert!(choice.combinations > 0);
    // Columns cut w, and x is read again: 16 KiB in two tiles of 8 KiB save 32 KiB.
    let choice = choose(&builder.block, &machine(1, 8192));
    assert_eq!(choice.tiled, 2 * 16384 + 32768 + 16384);
    let [group] = choice.groups.as_slice() else {
        panic!("{choice:?}");
    };
    assert_eq!(
        (group.counts.as_slice(), &group.members[0].dims),
        (&[2][..], &vec![Some(1)])
    );
}

#[test]
fn what_others_read_is_in_device_memory() {
    let mut builder = Builder::default();
    let a = builder.value(&[256, 128]);
    let b = builder.pointwise(&[a]);
    let c = builder.pointwise(&[b]);
    let d = builder.pointwise(&[c]);
    builder.returns(d);
    let machine = machine(4, 8192);
    let free = choose(&builder.block, &machine);
    assert_eq!(free.groups[0].members.len(), 3);
    // The last one needs something of the first by a way that no loop takes.
    builder.block.steps[2].not_before = 1;
    let choice = choose(&builder.block, &machine);
    let members: Vec<Vec<usize>> = choice
        .groups
        .iter()
        .map(|group| group.members.iter().map(|member| member.step).collect())
        .collect();
    assert!(
        members == [vec![0, 1]] || members == [vec![1, 2]],
        "{members:?}"
    );
    assert_eq!(choice.tiled, free.tiled + 2 * 65536);
}

#[test]
fn spans_over_the_limit_are_brought_within_it_at_any_price() {
    let mut builder = Builder::default();
    let a = builder.value(&[256, 128]);
    let b = builder.pointwise(&[a]);
    builder.returns(b);
    let mut machine = machine(4, 8192);
    assert_eq!(choose(&builder.block, &machine).groups, Vec::new());
    // Device size 2 x 256 x 64: two sticks of columns span all of it, one column 32 KiB.
    machine.span_limit = Some(40000);
    let choice = choose(&builder.block, &machine);
    assert_eq!(choice.groups[0].counts, [2]);
    assert_eq!(choice.groups[0].members[0].dims, [Some(1)]);
    machine.span_limit = Some(16384);
    assert_eq!(choose(&builder.block, &machine).groups[0].counts, [2, 2]);
}

#[test]
fn the_search_is_linear() {
    let work = |layers: usize, most_atoms: usize| {
        let mut builder = Builder::default();
        let (a, w) = (builder.value(&[256, 128]), builder.value(&[128, 128]));
        let mut value = a;
        for _ in 0..layers {
            let y = builder.matmul(value, w);
            let y = builder.pointwise(&[y]);
            value = builder.pointwise(&[y, value]);
        }
        builder.returns(value);
        let machine = Machine {
            most_atoms,
            ..machine(4, 8192)
        };
        let choice = choose(&builder.block, &machine);
        choice.combinations + choice.worked_out
    };
    for most_atoms in [MAX_ATOMS, LONG_RUN] {
        let (few, many) = (work(60, most_atoms), work(120, most_atoms));
        // The last runs are short, which counts for more where runs are long.
        assert!(few > 0 && 10 * many <= 24 * few, "{few} and {many}");
    }
}
