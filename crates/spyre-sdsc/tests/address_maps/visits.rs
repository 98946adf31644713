//! The sticks that a program visits: by its bundle, and by the layouts of its tensors.
//!
//! Memory moves in sticks, so an address is the address of a stick. A visit has one address for each tensor of an
//! operation: the operands that are read together, and the result.

use rustc_hash::FxHashMap;

use spyre_sdsc::Bundle;
use spyre_sdsc::bundle::ParamBinding;
use spyre_sdsc::sdsc::{Allocate, Dsc, SdscBody};

use super::common::run::{Execution, run};
use super::program::{Illegal, Operand, Program, SCRATCHPAD, STICK, base};

/// The address of a stick of each tensor, the output last.
pub(crate) type Visit = [u64; 3];

/// The visits of each execution by each core, sorted.
pub(crate) type Visits = Vec<Vec<Vec<Visit>>>;

/// Every point of a shape, row-major.
pub(crate) fn points(shape: &[u64]) -> Vec<Vec<u64>> {
    let mut points = vec![vec![]];
    for &extent in shape {
        points = points
            .into_iter()
            .flat_map(|point: Vec<u64>| (0..extent).map(move |at| [&point[..], &[at]].concat()))
            .collect();
    }
    points
}

/// Where the layouts put every stick of the tensors of a program, tiled or not.
pub(crate) struct Memory {
    /// For each kernel argument, addresses in the row-major order of sticks and positions.
    arguments: Vec<Vec<u64>>,
    /// The distances of that order.
    strides: Vec<u64>,
}

impl Memory {
    pub(crate) fn from_program(program: &Program) -> Result<Self, Illegal> {
        let units = program.units(&program.shape);
        let mut strides = vec![1; units.len()];
        for dim in (1..units.len()).rev() {
            strides[dim - 1] = strides[dim] * units[dim];
        }
        let points = points(&units);
        let mut arguments = vec![vec![]; 4];
        for operand in program.operands()?.iter().flatten() {
            let Some(argument) = operand.place.arg_index() else {
                continue;
            };
            let base = base(argument.get().into()).get();
            let addresses = points.iter().map(|point| {
                let dims = point.iter().enumerate();
                let host = dims.map(|(dim, at)| match operand.broadcast == Some(dim) {
                    true => 0,
                    false => at * program.unit(dim),
                });
                let address = operand.device.address(&host.collect::<Vec<_>>());
                base + address.expect("a point of the tensor").get()
            });
            arguments[argument.get() as usize] = addresses.collect();
        }
        Ok(Self { arguments, strides })
    }

    /// The number of a point.
    fn number(&self, point: impl Iterator<Item = u64>) -> usize {
        let number: u64 = point
            .zip(&self.strides)
            .map(|(at, stride)| at * stride)
            .sum();
        number as usize
    }
}

/// From the layouts: for each iteration, operation and core, the addresses of the elements of the core's part.
///
/// Cores are numbered over the parts with the first dimension fastest (middle-end specification, section 4.5).
pub(crate) fn expected(program: &Program, memory: &Memory) -> Result<Visits, Illegal> {
    let nest = program.nest()?;
    let [[a, b, y], [_, c, z]] = program.operands()?;
    let argument = |operand: Operand| {
        let argument = operand.place.arg_index().expect("a kernel argument");
        memory.arguments[argument.get() as usize].as_slice()
    };
    let [a, b, c, z] = [a, b, c, z].map(argument);
    let units = program.units(&nest.tile);
    let parts: Vec<u64> = units
        .iter()
        .zip(&program.splits)
        .map(|(units, splits)| units / splits)
        .collect();
    let points_of_part = points(&parts);

    // A scratchpad holds the part of its core, as a tensor of that shape.
    let dims = parts.iter().enumerate();
    let held: Vec<u64> = dims
        .map(|(dim, part)| (part * program.unit(dim)).min(nest.tile[dim]))
        .collect();
    let held = y
        .device
        .layout()
        .place(&held, y.device.format())
        .expect("a part of the tile");
    let in_scratchpad: Vec<u64> = points_of_part
        .iter()
        .map(|point| {
            let dims = point.iter().enumerate();
            let host: Vec<u64> = dims.map(|(dim, at)| at * program.unit(dim)).collect();
            SCRATCHPAD + held.address(&host).expect("a point of the part").get()
        })
        .collect();

    let inside: Vec<usize> = points_of_part
        .iter()
        .map(|point| memory.number(point.iter().copied()))
        .collect();
    let slowest_first: Vec<u64> = program.splits.iter().rev().copied().collect();
    let cores: Vec<usize> = points(&slowest_first)
        .iter()
        .map(|slices| {
            memory.number(
                slices
                    .iter()
                    .rev()
                    .zip(&parts)
                    .map(|(slice, part)| slice * part),
            )
        })
        .collect();
    let mut visits = Vec::new();
    for start in program.iterations(&nest) {
        let dims = start.iter().enumerate();
        let start = memory.number(dims.map(|(dim, at)| at / program.unit(dim)));
        let of_operation = |visit: &dyn Fn(usize, u64) -> Visit| {
            let of_core = |core: &usize| {
                let points = inside.iter().zip(&in_scratchpad);
                let mut visits: Vec<Visit> =
                    points.map(|(at, y)| visit(start + core + at, *y)).collect();
                visits.sort_unstable();
                visits
            };
            cores.iter().map(of_core).collect()
        };
        visits.push(of_operation(&|at, y| [a[at], b[at], y]));
        visits.push(of_operation(&|at, y| [y, c[at], z[at]]));
    }
    Ok(visits)
}

/// From the files: the start that the function gives each core, and the order of dimensions, sticks and gaps that the
/// operation's file has (SDSC bundle specification, section 5).
pub(crate) fn visited(bundle: &Bundle) -> Visits {
    let files: FxHashMap<String, File> = bundle
        .sdsc_files()
        .iter()
        .map(|file| {
            let sdsc = file.sdsc();
            let (_, body) = sdsc.root.iter().next().expect("one entry");
            (file.name(), File::from_body(body))
        })
        .collect();
    let address = |binding: &ParamBinding| match binding {
        ParamBinding::Kernel(arg) => base(arg.get().into()).get(),
        other => panic!("{other:?}"),
    };
    let executed = run(bundle, address);
    executed
        .iter()
        .map(|execution| files[&execution.file].visits(execution))
        .collect()
}

/// An operation, as its file describes it.
struct File {
    /// The cores.
    cores: usize,
    /// Points of a core's part, in sticks along the stick dimension; for each tensor the bytes from the core's start.
    offsets: Vec<Visit>,
}

impl File {
    fn from_body(body: &SdscBody) -> Self {
        let (_, dsc) = body.dscs[0].iter().next().expect("one computation");
        let dims: Vec<Dim> = dsc
            .extents
            .sizes
            .iter()
            .map(|(key, extent)| {
                let name = key.strip_suffix('_').unwrap_or(key).to_owned();
                let slices = body
                    .num_wk_slices_per_dim
                    .get(name.as_str())
                    .copied()
                    .unwrap_or(1);
                assert_eq!(extent % slices, 0, "equal parts of {name}");
                let (extent, part) = (*extent, extent / slices);
                Dim { name, extent, part }
            })
            .collect();
        let stick = stick_of(dsc, dsc.schedule_tree.last().expect("an output"));
        let units = dims.iter().map(|dim| {
            if dim.name == stick {
                dim.part.div_ceil(STICK)
            } else {
                dim.part
            }
        });
        let points = points(&units.collect::<Vec<_>>());
        let tensors: Vec<Vec<u64>> = dsc
            .schedule_tree
            .iter()
            .map(|node| distances(dsc, node, &dims))
            .collect();
        let offsets = points.iter().map(|point| {
            let offset =
                |tensor: &Vec<u64>| point.iter().zip(tensor).map(|(at, far)| at * far).sum();
            let offsets: Vec<u64> = tensors.iter().map(offset).collect();
            offsets.try_into().expect("three tensors")
        });
        let cores = usize::try_from(body.num_cores_used).expect("a small number");
        Self {
            cores,
            offsets: offsets.collect(),
        }
    }

    fn visits(&self, execution: &Execution) -> Vec<Vec<Visit>> {
        let of_core = |core: usize| {
            let visit = |offsets: &Visit| {
                std::array::from_fn(|tensor| execution.starts[tensor][core] + offsets[tensor])
            };
            let mut visits: Vec<Visit> = self.offsets.iter().map(visit).collect();
            visits.sort_unstable();
            visits
        };
        (0..self.cores).map(of_core).collect()
    }
}

struct Dim {
    name: String,
    extent: u64,
    part: u64,
}

fn label<'d>(dsc: &'d Dsc, node: &Allocate) -> (&'d spyre_sdsc::sdsc::PrimaryDs, &'d [i64]) {
    let labeled = dsc
        .labeled_ds
        .iter()
        .find(|labeled| labeled.lds_idx == node.lds_idx)
        .expect("its description");
    let label = dsc
        .primary_ds_info
        .get(&labeled.ds_type)
        .expect("its layout");
    (label, &labeled.scale)
}

/// The dimension inside sticks.
fn stick_of(dsc: &Dsc, node: &Allocate) -> String {
    let (label, _) = label(dsc, node);
    assert_eq!(
        (label.stick_dim_order.len(), label.stick_size.as_slice()),
        (1, &[STICK][..])
    );
    label.stick_dim_order[0].to_string()
}

/// Bytes from one position, or stick, of each dimension to the next. Memory is dense up to the gaps: a stick inside,
/// then the dimensions in the order of the file.
fn distances(dsc: &Dsc, node: &Allocate, dims: &[Dim]) -> Vec<u64> {
    let (label, scales) = label(dsc, node);
    let stick = stick_of(dsc, node);
    let in_scratchpad = node.component == "lx";
    let mut distances = vec![0; dims.len()];
    let mut far = STICK * 2;
    for name in &node.layout_dim_order {
        let scale = label
            .layout_dim_order
            .iter()
            .position(|dim_name| dim_name == name)
            .expect("a dimension of the layout");
        if scales[scale] <= 0 {
            // One element, or one in each stick.
            continue;
        }
        let at = dims
            .iter()
            .position(|dim| dim.name == *name)
            .expect("a dimension of the operation");
        let gaps = node.back_gap.as_ref().and_then(|gaps| gaps.get(name));
        let gap = gaps.and_then(|gaps| gaps.get(if in_scratchpad { "0" } else { "-1" }));
        let gap: u64 = gap.map_or(0, |gap| gap.parse().expect("a number"));
        let covered = gap
            + if in_scratchpad {
                dims[at].part
            } else {
                dims[at].extent
            };
        distances[at] = far;
        far *= if *name == stick {
            covered.div_ceil(STICK)
        } else {
            covered
        };
    }
    distances
}
