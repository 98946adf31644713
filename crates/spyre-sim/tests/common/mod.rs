//! Bundles in memory, and tensors of the host.
#![allow(dead_code)] // each test crate uses a part

use rustc_hash::FxHashMap;
use std::io;

use half::f16;
use spyre_bundle_files::InMemory;
use spyre_layout::{Bytes, DeviceFormat, DeviceTensor, DimOrder, HostTensor, HostType, Layout};
use spyre_plan::Target;
use spyre_sdsc::bundle::{BundleOptions, compile_bundle};
use spyre_sdsc::model::{DimBounds, DimSource};
use spyre_sdsc::{Allocation, ArgIndex, Expr, LoopSpec, Node, OpSpec, Symbol, TensorArg};
use spyre_sim::{ArgumentId, Bundle, Machine, ReadError};

pub(crate) const F16: DeviceFormat = DeviceFormat::Sen169Fp16;

/// The files of a bundle.
#[derive(Clone)]
pub(crate) struct Files(pub FxHashMap<String, String>);

impl Files {
    /// Returns the files that the generator writes for a tree.
    pub(crate) fn from_nodes(nodes: &[Node]) -> Self {
        Self::with(nodes, &BundleOptions::default())
    }

    pub(crate) fn with(nodes: &[Node], options: &BundleOptions) -> Self {
        let bundle = compile_bundle(nodes, options).unwrap_or_else(|error| panic!("{error}"));
        let text = |contents: io::Result<Vec<u8>>| String::from_utf8(contents.unwrap()).unwrap();
        let files = bundle
            .files()
            .map(|(name, contents)| (name, text(contents)));
        Self(files.collect())
    }

    pub(crate) fn read(&self) -> Result<Bundle, ReadError> {
        let files = self.0.iter();
        let files = files.map(|(name, text)| (name.clone(), Ok(text.clone().into_bytes())));
        Bundle::from_files(&InMemory::collect("", files).unwrap())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0["bundle.mlir"]
    }

    /// Replaces text that is in a file, everywhere.
    pub(crate) fn edit(mut self, file: &str, from: &str, to: &str) -> Self {
        let text = self.0.get_mut(file).unwrap();
        assert!(text.contains(from), "no {from} in {text}");
        *text = text.replace(from, to);
        self
    }

    /// Changes the JSON of a file.
    pub(crate) fn change(
        mut self,
        file: &str,
        change: impl FnOnce(&mut serde_json::Value),
    ) -> Self {
        let text = self.0.get_mut(file).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(text).unwrap();
        let (_, sdsc) = json.as_object_mut().unwrap().iter_mut().next().unwrap();
        change(sdsc);
        *text = json.to_string();
        self
    }
}

/// The one descriptor of an operation's JSON.
pub(crate) fn dsc(sdsc: &mut serde_json::Value) -> &mut serde_json::Value {
    let dsc = sdsc["dscs_"][0].as_object_mut().unwrap();
    dsc.iter_mut().next().unwrap().1
}

pub(crate) fn expr(text: &str) -> Expr {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// A tensor of any format, size and coordinates.
pub(crate) fn tensor(
    format: DeviceFormat,
    size: &[u64],
    coordinates: &[&str],
    place: Allocation,
) -> TensorArg {
    let coordinates = coordinates.iter().map(|text| expr(text)).collect();
    TensorArg::new(format, size.to_vec(), coordinates, place)
}

/// A row-major matrix with the columns on the stick.
pub(crate) fn matrix(rows: u64, columns: u64, place: Allocation) -> TensorArg {
    let coordinates = ["floor(c1/64)", "c0", "Mod(c1, 64)"];
    tensor(F16, &[columns.div_ceil(64), rows, 64], &coordinates, place)
}

/// An operation on `rows` by `columns` elements, with the rows split over cores.
pub(crate) fn space(op: OpSpec, rows: i64, columns: i64, cores: u64) -> OpSpec {
    op.with_dim("c0", Expr::int(rows), cores)
        .with_dim("c1", Expr::int(columns), 1)
}

/// A host tensor with its layout in device memory.
pub(crate) struct Placed {
    pub host: HostTensor,
    pub device: DeviceTensor,
}

impl Placed {
    /// In the default layout.
    pub(crate) fn new(host_type: HostType, shape: &[u64]) -> Self {
        Self::ordered(host_type, shape, &DimOrder::host(shape.len()))
    }

    pub(crate) fn f16(shape: &[u64]) -> Self {
        Self::new(HostType::F16, shape)
    }

    pub(crate) fn ordered(host_type: HostType, shape: &[u64], order: &DimOrder) -> Self {
        let format = host_type.device_format().unwrap();
        let layout = Layout::default_for(order, format.elements_per_stick()).unwrap();
        Self {
            host: HostTensor::contiguous(host_type, shape.to_vec()).unwrap(),
            device: layout.place(shape, format).unwrap(),
        }
    }

    pub(crate) fn bytes(&self) -> Bytes {
        self.device.bytes()
    }

    pub(crate) fn elements(&self) -> usize {
        self.host.shape().iter().product::<u64>() as usize
    }
}

/// Small integers that hardly repeat: sums of them are exact in `f16`.
pub(crate) fn integers(count: usize, seed: usize) -> Vec<f32> {
    (0..count)
        .map(|at| ((at * 7919 + seed * 104_729) % 61) as f32 - 30.0)
        .collect()
}

pub(crate) fn f16_bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| f16::from_f32(*value).to_le_bytes())
        .collect()
}

pub(crate) fn f16_values(bytes: &[u8]) -> Vec<f32> {
    let (pairs, _) = bytes.as_chunks::<2>();
    pairs
        .iter()
        .map(|bytes| f16::from_le_bytes(*bytes).to_f32())
        .collect()
}

/// A machine with `f16` inputs and one output after them.
pub(crate) struct Setup {
    pub machine: Machine,
    pub output: ArgumentId,
    pub result: Placed,
}

impl Setup {
    pub(crate) fn new(inputs: &[(Placed, Vec<f32>)], result: Placed) -> Self {
        Self::on(Machine::new(Target::CARD), inputs, result)
    }

    pub(crate) fn on(mut machine: Machine, inputs: &[(Placed, Vec<f32>)], result: Placed) -> Self {
        for (placed, values) in inputs {
            machine
                .add_input(&placed.host, &placed.device, &f16_bytes(values))
                .unwrap();
        }
        let output = machine.add_output(result.bytes());
        Self {
            machine,
            output,
            result,
        }
    }

    /// Runs, and returns the output's elements.
    pub(crate) fn run(&mut self, bundle: &Bundle) -> Vec<f32> {
        self.machine
            .run(bundle)
            .unwrap_or_else(|error| panic!("{error}"));
        let mut bytes = vec![0; self.result.elements() * 2];
        let fetched = self.machine.fetch(
            self.output,
            &self.result.host,
            &self.result.device,
            &mut bytes,
        );
        fetched.unwrap_or_else(|error| panic!("{error}"));
        f16_values(&bytes)
    }

    /// Runs without a fault, and returns the output's elements.
    pub(crate) fn run_clean(&mut self, files: &Files) -> Vec<f32> {
        let result = self.run(&files.read().unwrap_or_else(|error| panic!("{error}")));
        assert!(
            self.machine.report().is_clean(),
            "{}\n{}",
            self.machine.report(),
            files.text()
        );
        result
    }
}

/// `y = a + b; z = y * c` on [1024, 4096], tiled 2 by 4, with `y` in scratchpads.
///
/// Tiles are 512 by 1024. In device size [64, 1024, 64] a tile of rows is 512 * 64 elements further, a tile of columns 16
/// sticks of 1024 * 64 elements.
pub(crate) fn add_mul() -> Vec<Node> {
    add_mul_of(1024, 4096, 2, 4, 32)
}

/// The same on other sizes.
pub(crate) fn add_mul_of(
    rows: u64,
    columns: u64,
    row_tiles: u64,
    column_tiles: u64,
    cores: u64,
) -> Vec<Node> {
    let (tile_rows, tile_columns) = (rows / row_tiles, columns / column_tiles);
    let advance = expr(&format!(
        "{}*rows + {}*columns",
        tile_rows * 64,
        tile_columns * rows
    ));
    let argument =
        |index| matrix(rows, columns, Allocation::argument(index)).advancing(advance.clone());
    let y = || matrix(tile_rows, tile_columns, Allocation::lx(0));
    let op = |name: &str| {
        space(
            OpSpec::pointwise(name),
            tile_rows as i64,
            tile_columns as i64,
            cores,
        )
        .with_tiled_level([Symbol::from("columns")])
        .with_tiled_level([Symbol::from("rows")])
        .with_trip_count("rows", row_tiles)
        .with_trip_count("columns", column_tiles)
    };
    let add = op("add")
        .with_input(argument(0))
        .with_input(argument(1))
        .with_output(y());
    let mul = op("mul")
        .with_input(y())
        .with_input(argument(2))
        .with_output(argument(3));
    let inner = LoopSpec::new(column_tiles as i64, vec![add.into(), mul.into()]);
    vec![LoopSpec::new(row_tiles as i64, vec![inner.into()]).into()]
}

/// Inputs and results of [`add_mul_of`].
pub(crate) fn add_mul_values(rows: u64, columns: u64) -> (Vec<(Placed, Vec<f32>)>, Vec<f32>) {
    let count = (rows * columns) as usize;
    let values: Vec<Vec<f32>> = (0..3).map(|seed| integers(count, seed)).collect();
    let pairs = values[0].iter().zip(&values[1]).zip(&values[2]);
    let expected = pairs
        .map(|((a, b), c)| f16::from_f32((a + b) * c).to_f32())
        .collect();
    let inputs = values
        .into_iter()
        .map(|values| (Placed::f16(&[rows, columns]), values));
    (inputs.collect(), expected)
}

/// A loop over 64 rows at a time of a matrix with a dynamic number of rows, up to 512.
pub(crate) fn loop_over_rows(columns: u32) -> Node {
    let argument = |index| {
        let argument = Allocation::argument(index);
        matrix(512, columns.into(), argument).advancing(expr("4096*t"))
    };
    let op = space(OpSpec::pointwise("neg"), 64, columns.into(), 4)
        .with_input(argument(0))
        .with_output(argument(1))
        .with_tiled_level([Symbol::from("t")])
        .with_trip_count("t", 8);
    let bounds = DimBounds {
        max: 512,
        granularity: 64,
    };
    let source = DimSource {
        arg: ArgIndex::new(0),
        dim: 0,
    };
    LoopSpec::over_runtime_size("s0", 64, bounds, source, vec![op.into()]).into()
}
