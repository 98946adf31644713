//! Files of trees, in memory.

use serde_json::Value;
use spyre_bundle_files::{Files, InMemory, MLIR_FILE};
use spyre_layout::DeviceFormat;
use spyre_sdsc::bundle::{BundleOptions, compile_bundle};
use spyre_sdsc::model::{DimBounds, DimSource};
use spyre_sdsc::{Allocation, ArgIndex, Expr, LoopSpec, Node, OpSpec, Symbol, TensorArg};

pub(crate) const F16: DeviceFormat = DeviceFormat::Sen169Fp16;

/// Returns the files of a tree; `None` if the generator refuses it.
pub(crate) fn files_of(nodes: &[Node]) -> Option<InMemory> {
    let bundle = compile_bundle(nodes, &BundleOptions::default()).ok()?;
    Some(InMemory::collect("bundle", bundle.files()).expect("the files can be built"))
}

pub(crate) fn expr(text: &str) -> Expr {
    text.parse().expect("an expression")
}

/// A row-major matrix with the columns on the stick.
fn matrix(rows: i64, columns: i64, place: Allocation) -> TensorArg {
    let size = [columns / 64, rows, 64].map(|extent| u64::try_from(extent).expect("an extent"));
    let coordinates = ["floor(c1/64)", "c0", "Mod(c1, 64)"].map(expr);
    TensorArg::new(F16, size.to_vec(), coordinates.to_vec(), place)
}

fn space(op: &str, rows: i64, columns: i64, cores: u64) -> OpSpec {
    let op = OpSpec::pointwise(op).with_dim("c0", Expr::int(rows), cores);
    op.with_dim("c1", Expr::int(columns), 1)
}

/// `y = a + b; z = y * c`, in two loops over tiles, with `y` in scratchpads.
pub(crate) fn add_mul(
    rows: i64,
    columns: i64,
    row_tiles: i64,
    column_tiles: i64,
    cores: u64,
) -> InMemory {
    let (tile_rows, tile_columns) = (rows / row_tiles, columns / column_tiles);
    let advance = expr(&format!(
        "{}*rows + {}*columns",
        tile_rows * 64,
        tile_columns * rows
    ));
    let argument =
        |index| matrix(rows, columns, Allocation::argument(index)).advancing(advance.clone());
    let y = || matrix(tile_rows, tile_columns, Allocation::lx(256));
    let op = |name: &str| {
        let count = |tiles: i64| u64::try_from(tiles).expect("tiles");
        space(name, tile_rows, tile_columns, cores)
            .with_tiled_level([Symbol::from("columns")])
            .with_tiled_level([Symbol::from("rows")])
            .with_trip_count("rows", count(row_tiles))
            .with_trip_count("columns", count(column_tiles))
    };
    let add = op("add")
        .with_input(argument(0))
        .with_input(argument(1))
        .with_output(y());
    let mul = op("mul")
        .with_input(y())
        .with_input(argument(2))
        .with_output(argument(3));
    let inner = LoopSpec::new(column_tiles, vec![add.into(), mul.into()]);
    let tree = [LoopSpec::new(row_tiles, vec![inner.into()]).into()];
    files_of(&tree).expect("a tree of whole tiles")
}

/// `neg` of 64 rows at a time of a matrix with up to 512 rows.
pub(crate) fn rows_of_runtime_size() -> InMemory {
    let argument = |index| matrix(512, 128, Allocation::argument(index)).advancing(expr("4096*t"));
    let op = space("neg", 64, 128, 4)
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
    files_of(&[LoopSpec::over_runtime_size("S", 64, bounds, source, vec![op.into()]).into()])
        .expect("a tree of whole tiles")
}

/// Returns the files with another `bundle.mlir`.
pub(crate) fn with_function(files: &InMemory, from: &str, to: &str) -> InMemory {
    let mut files = files.clone();
    let text = files.text(MLIR_FILE).expect("a function").into_owned();
    assert!(text.contains(from), "no {from} in\n{text}");
    files.insert(MLIR_FILE, text.replacen(from, to, 1).into_bytes());
    files
}

/// Returns the files with a change in the JSON of one operation.
pub(crate) fn with_json(files: &InMemory, name: &str, change: impl FnOnce(&mut Value)) -> InMemory {
    let mut files = files.clone();
    let mut json: Value = serde_json::from_str(&files.text(name).expect("a file")).expect("JSON");
    let (_, sdsc) = json
        .as_object_mut()
        .and_then(|root| root.iter_mut().next())
        .expect("one operation");
    let before = sdsc.clone();
    change(sdsc);
    assert_ne!(before, *sdsc, "a change");
    files.insert(name, json.to_string().into_bytes());
    files
}

/// Returns the descriptor of the operation of a file.
pub(crate) fn descriptor(sdsc: &mut Value) -> &mut Value {
    let dscs = sdsc["dscs_"][0].as_object_mut();
    dscs.and_then(|dscs| dscs.values_mut().next())
        .expect("one descriptor")
}
