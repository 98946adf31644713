//! `cargo xtask ods`: the tables of operations in `crates/spyre-ods`, from the ODS.
//!
//! The tables are checked in, and no build script writes them: it would compile all passes again after each edit of a
//! description in a `.td` file. A table changes only with the names, operands, attributes, regions and results of
//! operations.

mod entry;

use std::fs;

use entry::entries;
use serde_json::Value;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

/// A dialect with a table.
struct Dialect {
    name: &'static str,
    /// The files with its operations, below `dialects` or LLVM's folder of headers.
    files: &'static [&'static str],
    /// The operations in the table, for a dialect of which the passes use few; empty for all operations.
    only: &'static [&'static str],
}

const fn all(name: &'static str, files: &'static [&'static str]) -> Dialect {
    let only = &[];
    Dialect { name, files, only }
}

const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "affine",
        files: &["mlir/Dialect/Affine/IR/AffineOps.td"],
        only: &["apply", "max", "min"],
    },
    all("arith", &["mlir/Dialect/Arith/IR/ArithOps.td"]),
    all(
        "bufferization",
        &["mlir/Dialect/Bufferization/IR/BufferizationOps.td"],
    ),
    all("builtin", &["mlir/IR/BuiltinOps.td"]),
    all("cf", &["mlir/Dialect/ControlFlow/IR/ControlFlowOps.td"]),
    all("complex", &["mlir/Dialect/Complex/IR/ComplexOps.td"]),
    all("func", &["mlir/Dialect/Func/IR/FuncOps.td"]),
    all("index", &["mlir/Dialect/Index/IR/IndexOps.td"]),
    all("inductor", &["inductor/Inductor.td"]),
    all("ktdp", &["ktdp/Ktdp.td"]),
    all(
        "linalg",
        &[
            "mlir/Dialect/Linalg/IR/LinalgOps.td",
            "mlir/Dialect/Linalg/IR/LinalgRelayoutOps.td",
            "mlir/Dialect/Linalg/IR/LinalgStructuredOps.td",
        ],
    ),
    Dialect {
        name: "llvm",
        files: &[
            "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td",
            "mlir/Dialect/LLVMIR/LLVMOps.td",
        ],
        only: &["func", "intr.abs"],
    },
    all("math", &["mlir/Dialect/Math/IR/MathOps.td"]),
    Dialect {
        name: "memref",
        files: &["mlir/Dialect/MemRef/IR/MemRefOps.td"],
        only: &[
            "alloc",
            "alloca",
            "cast",
            "collapse_shape",
            "copy",
            "dealloc",
            "dim",
            "expand_shape",
            "get_global",
            "load",
            "reinterpret_cast",
            "store",
            "subview",
        ],
    },
    all("scf", &["mlir/Dialect/SCF/IR/SCFOps.td"]),
    all("sdscbundle", &["sdscbundle/SdscBundle.td"]),
    all("shard", &["mlir/Dialect/Shard/IR/ShardOps.td"]),
    all("spyre", &["spyre/Spyre.td"]),
    all("spyreop", &["spyreop/SpyreOp.td"]),
    all("tensor", &["mlir/Dialect/Tensor/IR/TensorOps.td"]),
    all("uop", &["uop/Uop.td"]),
];

/// Writes the tables, or with `check` compares them with the existing ones.
///
/// # Errors
/// TableGen fails, a file cannot be written, or with `check` a table differs.
pub(crate) fn ods(project: &Project, check: bool) -> Result<(), Error> {
    let mut stale = Vec::new();
    for dialect in DIALECTS {
        let path = format!("crates/spyre-ods/src/{}.rs", dialect.name);
        let file = project.root.join(&path);
        let table = table(project, dialect)?;
        if fs::read_to_string(&file).unwrap_or_default() == table {
            continue;
        }
        if check {
            stale.push(path);
        } else {
            fs::write(&file, table).map_err(Error::io(&file))?;
            println!("ods: wrote {path}");
        }
    }
    if !stale.is_empty() {
        let list = stale.join("\n  ");
        return Err(Error::Verdict(format!(
            "not the tables of the ODS:\n  {list}\nRun `cargo xtask ods`."
        )));
    }
    println!("ods: {} tables up to date", DIALECTS.len());
    Ok(())
}

/// Returns the file with the table of a dialect.
fn table(project: &Project, dialect: &Dialect) -> Result<String, Error> {
    let include = project.prefix.join("include");
    let mut all = Vec::new();
    for file in dialect.files {
        let folder = match file.starts_with("mlir/") {
            true => include.clone(),
            false => project.root.join("dialects"),
        };
        let mut tblgen = project.llvm_tool("llvm-tblgen");
        tblgen.arg("--dump-json").arg("-I").arg(&include);
        tblgen.args(["-I", "dialects"]).arg(folder.join(file));
        let wrong = |err: String| Error::Verdict(format!("{file}: {err}"));
        let records = process::output(&mut tblgen)?;
        let records: Value =
            serde_json::from_str(&records).map_err(|err| wrong(err.to_string()))?;
        all.extend(entries(&records, dialect.name).map_err(wrong)?);
    }
    all.sort_unstable();
    all.dedup();
    if !dialect.only.is_empty() {
        all.retain(|(name, _)| dialect.only.contains(&name.as_str()));
    }
    let missing = dialect.only.iter();
    let mut missing = missing.filter(|only| all.iter().all(|(name, _)| name != *only));
    if let Some(name) = missing.next() {
        let dialect = dialect.name;
        return Err(Error::Verdict(format!("no operation '{dialect}.{name}'")));
    }
    let entries = all.iter().map(|(_, entry)| format!("    {entry}\n"));
    Ok(format!(
        "//! Operations of `{}`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].\n\n\
         crate::ops! {{\n{}}}\n",
        dialect.name,
        entries.collect::<String>()
    ))
}
