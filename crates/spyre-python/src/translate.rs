//! Passes, the files of bundles, plans, and checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use melior::Context;
use pyo3::prelude::*;
use spyre_analysis::walk::find;
use spyre_bundle::{Addresses, NoBundle, bundle_function, plan};
use spyre_bundle_files::{Bundles, Directory, InMemory};
use spyre_exec::Sizes;
use spyre_exec::bundle::{WideFloats, rules};
use spyre_exec::graphs;
use spyre_exec::launch::{self, Destination};
use spyre_files::TemporaryDirectory;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::run_pipeline;
use spyre_plan_view::{Plan, page, trace};
use spyre_verify::{Options, Revision, verify_with};

use crate::failure::{Diagnostic, in_context, text};
use crate::program::wide_floats;

/// Files by their path relative to the directory of the bundle or program.
type FileMap = BTreeMap<String, Vec<u8>>;

/// Reads a module, converts the programs of front ends in it, and calls `work` with it.
fn with_module<T>(
    context: &Context,
    (name, source): (&str, &[u8]),
    work: impl FnOnce(Op<'_>) -> Result<T, String>,
) -> Result<T, String> {
    let module = graphs::module(context, name, source).map_err(text)?;
    spyre_front_ends::convert(context, module.as_operation(), &Sizes::new(), &[]).map_err(text)?;
    work(module.as_operation())
}

/// Returns whether a module is a bundle, or has operations of the device and none of linalg.
fn is_of_device(module: Op<'_>) -> bool {
    let Some(body) = ir::body(module) else {
        return false;
    };
    let has = |dialect: &str| {
        let is_of_it = |op: Op<'_>| ir::name(op).starts_with(dialect).then_some(());
        !find(body, is_of_it).is_empty()
    };
    bundle_function(module).is_some() || (has("spyre.") && !has("linalg."))
}

/// Returns the options of `--spyre-import-linalg` for the treatment of wide floats.
fn import_options(floats: WideFloats) -> &'static str {
    match floats {
        WideFloats::Auto => "",
        WideFloats::Exact => " float=exact",
        WideFloats::Dl16 => " float=dl16",
    }
}

/// Converts a module of linalg to operations of the device; all of it, or with functions of the host.
fn import_linalg(
    context: &Context,
    module: Op<'_>,
    floats: WideFloats,
    host: bool,
) -> Result<(), String> {
    let options = import_options(floats);
    let pipeline = format!("builtin.module(spyre-import-linalg{{host={host}{options}}})");
    run_pipeline(context, module, &pipeline).map_err(text)
}

/// Runs a pipeline on a module, and returns it as text.
#[pyfunction]
pub(crate) fn transform(
    py: Python<'_>,
    source: &[u8],
    name: &str,
    pipeline: &str,
) -> PyResult<(String, Vec<Diagnostic>)> {
    let pipeline = match pipeline.starts_with("builtin.module(") {
        true => pipeline.to_owned(),
        false => format!("builtin.module({pipeline})"),
    };
    let outcome = in_context(py, |context| {
        let module = graphs::module(context, name, source).map_err(text)?;
        run_pipeline(context, module.as_operation(), &pipeline).map_err(text)?;
        Ok(module.as_operation().to_string())
    })?;
    Ok((outcome.value, outcome.diagnostics))
}

/// Returns the files of the bundle of a module, or of its program of host and device.
#[pyfunction]
#[pyo3(signature = (source, name, *, floats="auto", strict=false))]
pub(crate) fn bundle_files(
    py: Python<'_>,
    source: &[u8],
    name: &str,
    floats: &str,
    strict: bool,
) -> PyResult<(FileMap, Vec<Diagnostic>)> {
    let floats = wide_floats(floats)?;
    let outcome = in_context(py, |context| {
        with_module(context, (name, source), |module| {
            if is_of_device(module) {
                return one_bundle(context, module);
            }
            import_linalg(context, module, floats, !strict)?;
            match strict {
                true => one_bundle(context, module),
                false => program(context, module),
            }
        })
    })?;
    Ok((outcome.value, outcome.diagnostics))
}

/// Returns the files of the bundle of a module of device operations.
fn one_bundle(context: &Context, module: Op<'_>) -> Result<FileMap, String> {
    let addresses = Addresses::Symbolic;
    let bundle = spyre_bundle::compile(context, module, addresses).map_err(NoBundle::emit)?;
    let files = InMemory::collect("bundle", bundle.files()).map_err(text)?;
    let rules = rules(module, addresses).map_err(|err| NoBundle::Refused(err).emit())?;
    let report = verify_with(&files, &rules);
    if !report.is_right() {
        let findings = report.listed(Path::new("bundle"));
        return Err(format!(
            "the bundle breaks rules of the format:\n{findings}"
        ));
    }
    let files = files.iter();
    Ok(files
        .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
        .collect())
}

/// Returns the files of a program of host and device.
fn program(context: &Context, module: Op<'_>) -> Result<FileMap, String> {
    let place = TemporaryDirectory::new(&std::env::temp_dir()).map_err(text)?;
    let directory = place.path().join("program");
    let destination = Destination {
        directory: &directory,
        addresses: Addresses::Symbolic,
        allowed: &[],
    };
    let mut findings = String::new();
    launch::write(context, module, destination, |path, report| {
        if !report.is_right() {
            findings += &report.listed(path).to_string();
        }
    })
    .map_err(|err| format!("{err}{findings}"))?;
    let mut files = FileMap::new();
    read_into(&mut files, &directory, "").map_err(text)?;
    Ok(files)
}

/// Reads all files of a directory; the names begin with `prefix`.
fn read_into(files: &mut FileMap, directory: &Path, prefix: &str) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read_into(files, &entry.path(), &format!("{name}/"))?;
        } else {
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(())
}

/// Returns a form of the plan of a module, all of which is of the device.
fn with_plan(
    py: Python<'_>,
    source: &[u8],
    name: &str,
    form: fn(&Plan) -> String,
) -> PyResult<(String, Vec<Diagnostic>)> {
    let outcome = in_context(py, |context| {
        with_module(context, (name, source), |module| {
            let mut levels = Vec::new();
            if !is_of_device(module) {
                levels.push(plan::level("linalg", module));
                import_linalg(context, module, WideFloats::Auto, false)?;
            }
            let mut plan = plan::facts(context, module).map_err(NoBundle::emit)?;
            levels.append(&mut plan.levels);
            plan.levels = levels;
            Ok(form(&plan))
        })
    })?;
    Ok((outcome.value, outcome.diagnostics))
}

/// Returns the plan of a module as JSON.
#[pyfunction]
pub(crate) fn plan_json(
    py: Python<'_>,
    source: &[u8],
    name: &str,
) -> PyResult<(String, Vec<Diagnostic>)> {
    with_plan(py, source, name, Plan::to_json)
}

/// Returns the plan of a module as a page of HTML.
#[pyfunction]
pub(crate) fn plan_page(
    py: Python<'_>,
    source: &[u8],
    name: &str,
) -> PyResult<(String, Vec<Diagnostic>)> {
    with_plan(py, source, name, page)
}

/// Returns the timeline of the plan of a module, as a Chrome trace.
#[pyfunction]
pub(crate) fn plan_trace(
    py: Python<'_>,
    source: &[u8],
    name: &str,
) -> PyResult<(String, Vec<Diagnostic>)> {
    with_plan(py, source, name, trace)
}

/// Checks the files of a bundle, or of all bundles of a program.
#[pyfunction]
pub(crate) fn verify_bundle(py: Python<'_>, directory: &str) -> PyResult<(bool, String)> {
    let outcome = in_context(py, |_| {
        let path = Path::new(directory);
        let bundles = Bundles::in_directory(path).map_err(text)?;
        let (mut is_right, mut listed) = (true, String::new());
        for path in bundles.directories(path) {
            let report = verify_with(&Directory(&path), &Options::of_revision(Revision::V1));
            is_right &= report.is_right();
            listed += &report.listed(&path).to_string();
            listed += &format!("{}: {}\n", path.display(), report.summary());
        }
        Ok((is_right, listed))
    })?;
    Ok(outcome.value)
}
