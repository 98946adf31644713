//! Copies between tensors of any order, with gaps, ragged sticks and dimensions that are not there: what is proved
//! copies each element on the simulated card, whatever number of the files is changed.

use proptest::prelude::*;
use serde_json::{Value, json};
use spyre_bundle_files::InMemory;
use spyre_isl::Context;
use spyre_layout::{Coord, DeviceTensor, Layout};
use spyre_plan::Target;
use spyre_proof::claim::Claim;
use spyre_proof::files::prove_files;
use spyre_proof::program::{Def, Item, Place, Program, StatementId};
use spyre_sdsc::{Allocation, Expr, OpSpec, TensorArg};
use spyre_sim::{Bundle, Fault, FaultKind, Machine};

use super::bundles::{F16, expr, files_of, with_json};
use super::programs::{Builder, matrix};

#[derive(Clone, Debug)]
struct Operand {
    /// The dimensions, outermost first.
    order: Vec<usize>,
    /// Whether the tensor has each.
    has: Vec<bool>,
    /// How many more elements, or sticks, than the extent memory has along each.
    gaps: Vec<u64>,
}

impl Operand {
    fn size(&self, dims: &[(i64, i64)]) -> Vec<u64> {
        let stick = dims.len() - 1;
        let mut size: Vec<u64> = self
            .order
            .iter()
            .map(|dim| {
                let extent = u64::try_from(dims[*dim].0).expect("an extent");
                let count = if *dim == stick {
                    extent.div_ceil(64)
                } else {
                    extent
                };
                if self.has[*dim] {
                    count + self.gaps[*dim]
                } else {
                    1
                }
            })
            .collect();
        size.push(64);
        size
    }

    fn tensor(&self, dims: &[(i64, i64)], place: Allocation) -> TensorArg {
        let stick = dims.len() - 1;
        let coordinate = |dim: &usize| match self.has[*dim] {
            false => Expr::int(0),
            true if *dim == stick => expr(&format!("floor(c{dim}/64)")),
            true => expr(&format!("c{dim}")),
        };
        let mut coordinates: Vec<Expr> = self.order.iter().map(coordinate).collect();
        coordinates.push(if self.has[stick] {
            expr(&format!("Mod(c{stick}, 64)"))
        } else {
            Expr::int(0)
        });
        TensorArg::new(F16, self.size(dims), coordinates, place)
    }

    fn layout(&self, dims: &[(i64, i64)]) -> Layout {
        let stick = dims.len() - 1;
        let coordinate = |dim: &usize| match self.has[*dim] {
            false => Coord::Zero,
            true if *dim == stick => Coord::floor_div(stick, 64),
            true => Coord::dim(*dim),
        };
        let mut coordinates: Vec<Coord> = self.order.iter().map(coordinate).collect();
        coordinates.push(if self.has[stick] {
            Coord::modulo(stick, 64)
        } else {
            Coord::Zero
        });
        let layout = Layout::new(dims.len(), coordinates).expect("a layout");
        layout
            .with_device_size(self.size(dims))
            .expect("room for each digit")
    }

    fn shape(&self, dims: &[(i64, i64)]) -> Vec<i64> {
        dims.iter()
            .zip(&self.has)
            .map(|((extent, _), has)| if *has { *extent } else { 1 })
            .collect()
    }
}

/// A copy: extents and parts of dimensions, source and destination.
#[derive(Clone, Debug)]
struct Copy {
    dims: Vec<(i64, i64)>,
    source: Operand,
    destination: Operand,
}

fn operand(rank: usize, has: f64) -> impl Strategy<Value = Operand> {
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let has = prop::collection::vec(prop::bool::weighted(has), rank);
    let gaps = prop::collection::vec(prop_oneof![3 => Just(0), 1 => 1..3_u64], rank);
    (order, has, gaps).prop_map(|(order, has, gaps)| Operand { order, has, gaps })
}

fn copies() -> impl Strategy<Value = Copy> {
    (1..5_usize)
        .prop_flat_map(|rank| {
            let outer = prop::collection::vec((1..4_i64, 1..4_i64), rank - 1);
            let stick = prop_oneof![
                (1..4_i64, 1..3_i64).prop_map(|(sticks, parts)| (sticks * parts * 64, parts)),
                (1..200_i64).prop_map(|extent| (extent, 1))
            ];
            let dims = (outer, stick).prop_map(|(outer, stick)| {
                let outer = outer.into_iter().map(|(part, parts)| (part * parts, parts));
                outer.chain([stick]).collect::<Vec<_>>()
            });
            (dims, operand(rank, 0.8), operand(rank, 1.0))
        })
        .prop_map(|(dims, source, destination)| Copy {
            dims,
            source,
            destination,
        })
}

impl Copy {
    /// `None` if the generator refuses the copy.
    fn files(&self) -> Option<InMemory> {
        let mut op = OpSpec::pointwise("identity");
        for (at, (extent, parts)) in self.dims.iter().enumerate() {
            let parts = u64::try_from(*parts).expect("parts");
            op = op.with_dim(format!("c{at}").as_str(), Expr::int(*extent), parts);
        }
        let op = op.with_input(self.source.tensor(&self.dims, Allocation::argument(0)));
        let op = op.with_output(self.destination.tensor(&self.dims, Allocation::argument(1)));
        files_of(&[op.into()])
    }

    fn program(&self) -> Program {
        let mut builder = Builder::default();
        let source = builder.argument(
            0,
            &self.source.shape(&self.dims),
            self.source.layout(&self.dims),
        );
        let parts: Vec<i64> = self.dims.iter().map(|(_, parts)| *parts).collect();
        let shape = self.destination.shape(&self.dims);
        let layout = self.destination.layout(&self.dims);
        builder.pointwise(
            "copy",
            &[source],
            (&shape, layout),
            &parts,
            Place::Argument(1),
        );
        builder.program.body = vec![Item::Statement(StatementId::new(0))];
        builder.program
    }

    fn placed(&self, operand: &Operand) -> DeviceTensor {
        let shape = operand.shape(&self.dims);
        let shape: Vec<u64> = shape
            .iter()
            .map(|extent| u64::try_from(*extent).expect("an extent"))
            .collect();
        operand
            .layout(&self.dims)
            .place(&shape, F16)
            .expect("a tensor")
    }

    /// Returns whether the simulated card copies each element, by the files alone.
    fn is_right(&self, files: &InMemory) -> bool {
        let Ok(bundle) = Bundle::from_files(files) else {
            return false;
        };
        let (source, destination) = (self.placed(&self.source), self.placed(&self.destination));
        let bytes =
            |tensor: &DeviceTensor| usize::try_from(tensor.bytes().get()).expect("few bytes");
        let code = |at: usize| 0x2000 + u16::try_from(at * 7919 % 0x4001).expect("below 2^15");
        let input: Vec<u8> = (0..bytes(&source) / 2)
            .flat_map(|at| code(at).to_le_bytes())
            .collect();
        let mut machine = Machine::new(Target::CARD);
        machine.add_bytes(&input);
        let output = machine.add_output(destination.bytes());
        if machine.run(&bundle).is_err() {
            return false;
        }
        // Where each core has one position of a dimension, no address depends on the order of the layout that the starts
        // of the cores contradict: `spyre-translate verify` refuses such files, and the elements are right.
        let is_start = |fault: &Fault| fault.kind == FaultKind::CoreStart;
        if !machine.report().faults().iter().all(is_start) {
            return false;
        }
        let (result, written) = machine.bytes(output).expect("an output");
        self.points().iter().all(|point| {
            let of = |tensor: &DeviceTensor, point: &[u64]| {
                usize::try_from(tensor.address(point).expect("an element").get())
                    .expect("few bytes")
            };
            let from: Vec<u64> = point
                .iter()
                .zip(&self.source.has)
                .map(|(at, has)| if *has { *at } else { 0 })
                .collect();
            let (from, to) = (of(&source, &from), of(&destination, point));
            written[to] && result[to..to + 2] == input[from..from + 2]
        })
    }

    fn points(&self) -> Vec<Vec<u64>> {
        let mut points = vec![Vec::new()];
        for (extent, _) in &self.dims {
            let extent = u64::try_from(*extent).expect("an extent");
            points = points
                .into_iter()
                .flat_map(|point| (0..extent).map(move |at| [&point[..], &[at]].concat()))
                .collect();
        }
        points
    }
}

fn is_proved(program: &Program, files: &InMemory) -> bool {
    let report = prove_files(&Context::new(200_000), program, files);
    report.is_ok_and(|report| report.is_proved())
}

/// Changes one number or the order of one list, at a place that the seed chooses.
fn damaged(value: &mut Value, seed: &mut usize) -> bool {
    let turn = |seed: &mut usize| {
        let is_here = *seed == 0;
        *seed = seed.wrapping_sub(1);
        is_here
    };
    match value {
        Value::Object(entries) => entries.iter_mut().any(|(key, value)| {
            let is_list = value
                .as_array()
                .is_some_and(|list| list.len() > 1 && list.iter().all(Value::is_string));
            if is_list && (key == "layoutDimOrder_" || key == "stickDimOrder_") && turn(seed) {
                value.as_array_mut().expect("a list").swap(0, 1);
                return true;
            }
            damaged(value, seed)
        }),
        Value::Array(items) => items.iter_mut().any(|item| damaged(item, seed)),
        Value::Number(number) if turn(seed) => {
            *value = json!(number.as_i64().map_or(0, |number| if number > 1 {
                number / 2
            } else {
                number + 1
            }));
            true
        }
        Value::String(text) => match text.parse::<i64>() {
            Ok(number) if turn(seed) => {
                *value = json!((number + 1).to_string());
                true
            }
            _ => false,
        },
        _ => false,
    }
}

#[test]
fn padding_over_another_window_is_refuted() {
    let operand = Operand {
        order: vec![1, 0],
        has: vec![true; 2],
        gaps: vec![0; 2],
    };
    let copy = Copy {
        dims: vec![(16, 1), (32, 1)],
        source: operand.clone(),
        destination: operand,
    };
    let files = copy.files().expect("a copy of half a stick");
    assert!(is_proved(&copy.program(), &files));
    // The same file, where the result is the left half of the sticks of a tensor.
    let mut builder = Builder::default();
    let source = builder.argument(0, &[16, 32], matrix());
    let whole = builder.value(Def::Empty, &[16, 64], matrix(), Some(Place::Argument(1)));
    let tile = builder.pointwise(
        "copy",
        &[source],
        (&[16, 32], matrix()),
        &[1, 1],
        Place::Window,
    );
    builder.insert(tile, whole, &[0.into(), 0.into()], &[16, 64]);
    builder.program.body = vec![Item::Statement(StatementId::new(0))];
    let report = prove_files(&Context::new(200_000), &builder.program, &files);
    let report = report.expect("files that can be read");
    let refuted: Vec<_> = report.refuted().collect();
    let [(finding, witness)] = &refuted[..] else {
        panic!("{refuted:?}");
    };
    assert_eq!(
        (finding.claim, &finding.subject[..]),
        (Claim::Place, "sdsc_0.json tensor 1")
    );
    assert_eq!(
        witness.message,
        "position 32 along 'out' of the file is element 32 of 64 along dimension 1, which the operation has not"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn a_copy_of_the_generator_is_proved(copy in copies()) {
        let cores: i64 = copy.dims.iter().map(|(_, parts)| parts).product();
        prop_assume!(cores <= 32);
        let files = copy.files();
        prop_assume!(files.is_some());
        let files = files.expect("files");
        let report = prove_files(&Context::new(200_000), &copy.program(), &files).expect("files that can be read");
        prop_assert!(report.is_proved(), "{:?}", report.findings);
        prop_assert!(copy.is_right(&files));
    }

    #[test]
    fn a_proved_copy_is_right_on_the_simulated_card(copy in copies(), seed in 0..400_usize) {
        let cores: i64 = copy.dims.iter().map(|(_, parts)| parts).product();
        prop_assume!(cores <= 32);
        let files = copy.files();
        prop_assume!(files.is_some());
        let mut seed = seed;
        let mut is_changed = false;
        let files = files.expect("files");
        let other = with_json(&files, "sdsc_0.json", |sdsc| {
            is_changed = damaged(sdsc, &mut seed);
            if !is_changed {
                sdsc["unknown"] = json!(0);
            }
        });
        prop_assume!(is_changed);
        if is_proved(&copy.program(), &other) {
            prop_assert!(copy.is_right(&other));
        }
    }
}
