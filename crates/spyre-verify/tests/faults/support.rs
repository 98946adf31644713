//! Bundles to damage, and changes of them.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use spyre_bundle_files::json::Value;
use spyre_bundle_files::{Directory, Files, InMemory};
use spyre_sdsc::source::json;
use spyre_sdsc::validate::contract::RuleSet;
use spyre_sdsc::{BundleOptions, Node, compile_bundle};
use spyre_verify::{Options, Report, Revision, verify_with};
use tempfile::TempDir;

use super::bundles::Built;

/// The bundles that faults are put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Bundle {
    /// Two operations in two loops, with a tensor in the scratchpad, and one after them, with a tensor in the pool.
    Loops,
    /// A reduction along a dimension that is padded, with two constants.
    Mask,
    /// Two operations on one size that is known at launch.
    Sizes,
    /// The same on four cores.
    #[serde(skip)]
    DividedSizes,
    /// A loop over a size that is known at launch.
    Tiles,
    /// A gather.
    Gather,
    /// A maximum along a dimension that is padded.
    Maximum,
    /// A sum over 32 elements in each stick of an argument, and a product that takes the sticks for full ones.
    Heads,
    /// A convolution of two images, with rows divided over four cores.
    Convolution,
    /// A copy from rows on four cores to columns on four cores, in the scratchpad.
    Shuffle,
    /// A shuffle on sixteen cores.
    #[serde(rename = "wide-shuffle")]
    WideShuffle,
}

/// A tensor of `rows` x 256 in an OpSpec.
fn tensor(rows: u64, is_input: bool, index: u64, more: &str) -> String {
    format!(
        r#"{{"is_input": {is_input}, "arg_index": {index}, "device_dtype": "SEN169_FP16", "device_size": [4, {rows}, 64],
            "device_coordinates": ["floor(d1/64)", "d0", "Mod(d1, 64)"], "allocation": {{"hbm": {index}}}{more}}}"#
    )
}

/// An argument in an OpSpec; the first two are inputs.
fn arg(index: u32, size: &str, coordinates: &str) -> String {
    format!(
        r#"{{"is_input": {}, "arg_index": {index}, "device_dtype": "SEN169_FP16", "device_size": {size},
            "device_coordinates": {coordinates}, "allocation": {{"hbm": {index}}}}}"#,
        index < 2
    )
}

/// Returns the OpSpecs of a bundle. The ones in files are of programs.
fn specs(bundle: Bundle) -> String {
    match bundle {
        Bundle::Sizes => additions_of_runtime_sizes(),
        Bundle::DividedSizes => {
            let rows = r#""range": "s97", "work_division""#;
            additions_of_runtime_sizes().replace(&format!("{rows}: 1"), &format!("{rows}: 4"))
        }
        Bundle::Tiles => addition_in_a_loop(),
        Bundle::Gather => gather(),
        Bundle::Heads => sum_and_product(),
        Bundle::WideShuffle => shuffle()
            .replace(r#""range": "256""#, r#""range": "1024""#)
            .replace("[4, 64, 64]", "[16, 64, 64]")
            .replace(r#""work_division": 4"#, r#""work_division": 16"#)
            .replace(r#""d0": 4"#, r#""d0": 16"#)
            .replace(r#""d1": 4"#, r#""d1": 16"#)
            .replace("65536", "262144"),
        Bundle::Shuffle => shuffle(),
        Bundle::Convolution => convolution(),
        Bundle::Loops => include_str!("specs/loops.json").to_owned(),
        Bundle::Mask => include_str!("specs/mask.json").to_owned(),
        Bundle::Maximum => include_str!("specs/maximum.json").to_owned(),
    }
}

/// Returns the OpSpec of an operation on `rows` rows of 256 elements, with the keys of `more`.
fn op(name: &str, rows: &str, more: &str, args: &[String]) -> String {
    format!(
        r#"{{"kind": "op", "op": "{name}", "is_reduction": false, "iteration_space": [
                {{"symbol": "d0", "range": "{rows}", "work_division": 1}},
                {{"symbol": "d1", "range": "256", "work_division": 1}}],
                "op_info": {{}}, {more}, "args": [{}]}}"#,
        args.join(", ")
    )
}

fn additions_of_runtime_sizes() -> String {
    let add = |arguments: [u64; 3]| {
        let [a, b, c] = arguments;
        let args = [
            tensor(512, true, a, ""),
            tensor(512, true, b, ""),
            tensor(512, false, c, ""),
        ];
        let more = r#""tiled_levels": [], "symbolic_dim_bounds": {"s97": [512, 64]}"#;
        op("add", "s97", more, &args)
    };
    format!("[{}, {}]", add([0, 1, 2]), add([2, 3, 4]))
}

fn addition_in_a_loop() -> String {
    let advance = r#", "device_tile_advance_expr": "4096*tile""#;
    let args = [0, 1, 2].map(|index| tensor(512, index < 2, index, advance));
    let more = r#""tiled_levels": [["tile"]], "tiled_symbol_trip_counts": {"tile": 8}"#;
    format!(
        r#"[{{"kind": "loop", "count": "floor(s0/64)", "body": [{}], "count_symbol_bounds": {{"s0": [512, 64]}},
                    "count_symbol_sources": {{"s0": [0, 0]}}}}]"#,
        op("add", "64", more, &args)
    )
}

fn gather() -> String {
    let index = r#"{"is_input": true, "arg_index": 0, "device_dtype": "IEEE_INT32", "device_size": [2, 32],
                "device_coordinates": ["floor(d0/32)", "Mod(d0, 32)"], "allocation": {"hbm": 0}, "name": "index"}"#;
    let value = tensor(1000, true, 1, r#", "name": "value""#)
        .replace("\"d0\"", "\"IndirectAccess(index)\"");
    let args = [index.to_owned(), value, tensor(64, false, 2, "")];
    format!("[{}]", op("identity", "64", r#""tiled_levels": []"#, &args))
}

fn sum_and_product() -> String {
    let sum = reduction(
        "sum",
        &[("d0", 64), ("d1", 32)],
        &[
            arg(0, "[1, 64, 64]", r#"["floor(d1/64)", "d0", "Mod(d1, 64)"]"#),
            arg(2, "[1, 64, 64]", r#"["0", "d0", "0"]"#),
        ],
    );
    let product = reduction(
        "batchmatmul",
        &[("d0", 16), ("d1", 64), ("d2", 128)],
        &[
            arg(0, "[4, 16, 64]", r#"["floor(d2/64)", "d0", "Mod(d2, 64)"]"#),
            arg(
                1,
                "[1, 128, 64]",
                r#"["floor(d1/64)", "d2", "Mod(d1, 64)"]"#,
            ),
            arg(3, "[1, 16, 64]", r#"["floor(d1/64)", "d0", "Mod(d1, 64)"]"#),
        ],
    );
    format!("[{sum}, {product}]")
}

fn shuffle() -> String {
    let owned = |index: usize, dim: &str| {
        let place = format!(
            r#""allocation": {{"lx": {}}}, "work_division": {{
                    "work_slices": {{"{dim}": 4}}, "core_id_to_work_slice": {{"{dim}": "core_id"}}}}"#,
            index * 65536
        );
        tensor(64, index == 0, 0, "")
            .replace(r#""arg_index": 0"#, r#""arg_index": -1"#)
            .replace(r#""allocation": {"hbm": 0}"#, &place)
    };
    let args = [owned(0, "d0"), owned(1, "d1")];
    let op = op("identity", "64", r#""tiled_levels": []"#, &args);
    let divided = op.replacen(r#""work_division": 1"#, r#""work_division": 4"#, 1);
    format!("[{divided}]")
}

fn convolution() -> String {
    let dims = [
        ("n", 2, 1),
        ("y", 4, 4),
        ("x", 3, 1),
        ("f", 64, 1),
        ("c", 64, 1),
        ("i", 3, 1),
        ("j", 2, 1),
    ];
    let dims = dims.map(|(symbol, extent, slices)| {
        format!(r#"{{"symbol": "{symbol}", "range": "{extent}", "work_division": {slices}}}"#)
    });
    let args = [
        arg(
            0,
            "[6, 6, 1, 2, 64]",
            r#"["y + i", "2*x + j", "floor(c/64)", "n", "Mod(c, 64)"]"#,
        ),
        arg(
            1,
            "[3, 2, 1, 64, 64]",
            r#"["i", "j", "floor(f/64)", "c", "Mod(f, 64)"]"#,
        ),
        arg(
            2,
            "[4, 3, 1, 2, 64]",
            r#"["y", "x", "floor(f/64)", "n", "Mod(f, 64)"]"#,
        ),
    ];
    format!(
        r#"[{{"kind": "op", "op": "conv2d", "is_reduction": true, "iteration_space": [{}], "tiled_levels": [],
                    "op_info": {{"conv_params": {{"kernel_h": 3, "kernel_w": 2, "stride_h": 1, "stride_w": 2}}}},
                    "node_output_ranges": ["2", "64", "4", "3"], "args": [{}]}}]"#,
        dims.join(", "),
        args.join(", ")
    )
}

/// Returns the OpSpec of a reduction over dimensions with these symbols and extents.
fn reduction(name: &str, space: &[(&str, u64)], args: &[String]) -> String {
    let dims = space.iter().map(|(symbol, extent)| {
        format!(r#"{{"symbol": "{symbol}", "range": "{extent}", "work_division": 1}}"#)
    });
    format!(
        r#"{{"kind": "op", "op": "{name}", "is_reduction": true, "iteration_space": [{}], "op_info": {{}},
                        "tiled_levels": [], "args": [{}]}}"#,
        dims.collect::<Vec<_>>().join(", "),
        args.join(", ")
    )
}

/// Returns the revision to write for a check of a revision.
const fn written(revision: Revision) -> spyre_sdsc::Revision {
    match revision {
        Revision::V1 => spyre_sdsc::Revision::V1,
        Revision::R3 => spyre_sdsc::Revision::R3,
        Revision::R2 => spyre_sdsc::Revision::R2,
    }
}

/// A bundle to damage: of a program, or of an operation that a test builds.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(crate) enum Base {
    /// One of a program.
    Program(Bundle),
    /// One that a test builds.
    Built(Built),
}

impl Base {
    /// Returns the OpSpecs, and the options to write their bundle with.
    pub(crate) fn nodes(self) -> (Vec<Node>, BundleOptions) {
        match self {
            Self::Program(bundle) => {
                let source = json::read(&specs(bundle)).expect("OpSpecs");
                let options = source.options.bundle_options(&source.nodes);
                (source.nodes, options)
            }
            Self::Built(built) => (built.nodes(), BundleOptions::default()),
        }
    }

    /// Returns the files as they are written in a revision, also files that break the contract.
    pub(crate) fn files(self, revision: Revision) -> InMemory {
        let (nodes, mut options) = self.nodes();
        options.plan.revision = written(revision);
        options.plan.waived = RuleSet::all();
        let bundle =
            compile_bundle(&nodes, &options).unwrap_or_else(|err| panic!("{self:?}: {err}"));
        InMemory::collect("DIR", bundle.files()).expect("files")
    }
}

impl From<Bundle> for Base {
    fn from(bundle: Bundle) -> Self {
        Self::Program(bundle)
    }
}

impl Bundle {
    /// Returns the files as they are written in a revision.
    pub(crate) fn files(self, revision: Revision) -> InMemory {
        Base::from(self).files(revision)
    }

    /// Returns the text of a file.
    pub(crate) fn text(self, revision: Revision, file: &str) -> String {
        self.files(revision)
            .text(file)
            .expect("a file")
            .into_owned()
    }
}

/// Checks a directory, and returns the messages too, with paths inside the bundle only.
pub(crate) fn check(directory: &Path, revision: Revision) -> (Report, Vec<String>) {
    let report = verify_with(&Directory(directory), &Options::of_revision(revision));
    let messages = messages(&report, directory);
    (report, messages)
}

/// Returns the messages of a check, with paths inside the bundle only.
pub(crate) fn messages(report: &Report, directory: &Path) -> Vec<String> {
    let path = directory.display().to_string();
    let printed: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    printed
        .iter()
        .flat_map(|message| message.lines())
        .filter(|line| line.contains("error: ") || line.contains("warning: "))
        .map(|line| line.replace(&format!("{path}/"), "").replace(&path, "DIR"))
        .collect()
}

/// A change of a bundle. Files are names inside it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Edit {
    /// Every occurrence of a text in a file by another one.
    Each(String, String, String),
    /// The first occurrence.
    First(String, String, String),
    /// The value at a JSON pointer by another text; `~` is the description, `^` the root.
    Set(String, String, String),
    /// A file is not there.
    Remove(String),
    /// A file has another name.
    Rename(String, String),
    /// A file was added.
    Write(String, String),
}

impl Edit {
    /// Changes the bundle. An edit without an effect is a fault of the test.
    pub(crate) fn apply(&self, directory: &Path) {
        let path = |file: &str| directory.join(file);
        let (file, from, to, count) = match self {
            Self::Each(file, from, to) => (file, from, to, usize::MAX),
            Self::First(file, from, to) => (file, from, to, 1),
            Self::Set(file, pointer, to) => return set(&path(file), pointer, to),
            Self::Remove(file) => return fs::remove_file(path(file)).expect("removed"),
            Self::Rename(from, to) => return fs::rename(path(from), path(to)).expect("renamed"),
            Self::Write(file, text) => return fs::write(path(file), text).expect("written"),
        };
        let text = fs::read_to_string(path(file)).expect("a file");
        assert!(text.contains(from), "{file} has no {from:?}");
        fs::write(path(file), text.replacen(from, to, count)).expect("written");
    }
}

/// Replaces the value at a JSON pointer of a file.
fn set(path: &Path, pointer: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a file");
    let root = spyre_bundle_files::json::parse(&text).expect("JSON");
    let Value::Object(members) = &root.value else {
        panic!("no object");
    };
    let key = &members[0].key;
    let (_, op) = key.split_once('_').expect("an operation");
    let whole = pointer.replace('~', &format!("/{key}/dscs_/0/{op}"));
    let whole = whole.replace('^', &format!("/{key}"));
    let mut json = &root;
    for step in whole.split('/').skip(1) {
        let next = match &json.value {
            Value::Object(members) => members
                .iter()
                .find(|member| member.key == step)
                .map(|member| &member.value),
            Value::Array(items) => step
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get(index)),
            _ => None,
        };
        json = next.unwrap_or_else(|| panic!("{} has no {whole}", path.display()));
    }
    let mut values =
        serde_json::Deserializer::from_str(&text[json.offset..]).into_iter::<IgnoredAny>();
    values.next().expect("a value").expect("JSON");
    let end = json.offset + values.byte_offset();
    fs::write(
        path,
        format!("{}{to}{}", &text[..json.offset], &text[end..]),
    )
    .expect("written");
}

/// A fault and the messages about it.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    /// The rule that it is about.
    pub rule: u32,
    /// The bundle that is changed.
    pub bundle: Bundle,
    /// How.
    pub edits: Vec<Edit>,
    /// All messages, in order. A fault must not break unrelated rules.
    pub messages: Vec<String>,
}

/// Returns the faults of `cases.json`, in the order of the rules: one for each rule and more.
pub(crate) fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("cases.json")).expect("cases")
}

/// Writes a bundle of a revision into a separate directory.
pub(crate) fn copy(bundle: impl Into<Base>, revision: Revision) -> TempDir {
    let copy = tempfile::tempdir().expect("a temporary directory");
    for (name, bytes) in bundle.into().files(revision).iter() {
        fs::write(copy.path().join(name), bytes).expect("written");
    }
    copy
}
