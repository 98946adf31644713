//! Generates the C++ of the dialects from their ODS and compiles it.

use std::path::{Path, PathBuf};

use spyre_build::Llvm;

struct Dialect {
    /// Directory under `dialects/`.
    directory: &'static str,
    /// Root of the ODS, and prefix of the generated files.
    prefix: &'static str,
    /// Name in IR.
    name: &'static str,
    /// (suffix of the generated file, generator of declarations, of definitions)
    parts: &'static [(
        &'static str,
        &'static [&'static str],
        &'static [&'static str],
    )],
}

const DIALECTS: &[Dialect] = &[
    Dialect {
        directory: "spyre",
        prefix: "Spyre",
        name: "spyre",
        parts: &[
            ("Dialect", &["-gen-dialect-decls"], &["-gen-dialect-defs"]),
            ("Enums", &["-gen-enum-decls"], &["-gen-enum-defs"]),
            ("Attrs", &["-gen-attrdef-decls"], &["-gen-attrdef-defs"]),
            (
                "Interfaces",
                &["-gen-op-interface-decls"],
                &["-gen-op-interface-defs"],
            ),
            ("Ops", &["-gen-op-decls"], &["-gen-op-defs"]),
        ],
    },
    Dialect {
        directory: "sdscbundle",
        prefix: "SdscBundle",
        name: "sdscbundle",
        parts: &[
            ("Dialect", &["-gen-dialect-decls"], &["-gen-dialect-defs"]),
            ("Attrs", &["-gen-attrdef-decls"], &["-gen-attrdef-defs"]),
            ("Types", &["-gen-typedef-decls"], &["-gen-typedef-defs"]),
            ("Ops", &["-gen-op-decls"], &["-gen-op-defs"]),
        ],
    },
    Dialect {
        directory: "inductor",
        prefix: "Inductor",
        name: "inductor",
        parts: &[
            ("Dialect", &["-gen-dialect-decls"], &["-gen-dialect-defs"]),
            ("Enums", &["-gen-enum-decls"], &["-gen-enum-defs"]),
            ("Attrs", &["-gen-attrdef-decls"], &["-gen-attrdef-defs"]),
            ("Types", &["-gen-typedef-decls"], &["-gen-typedef-defs"]),
            ("Ops", &["-gen-op-decls"], &["-gen-op-defs"]),
        ],
    },
    Dialect {
        directory: "uop",
        prefix: "Uop",
        name: "uop",
        parts: &[
            ("Dialect", &["-gen-dialect-decls"], &["-gen-dialect-defs"]),
            ("Enums", &["-gen-enum-decls"], &["-gen-enum-defs"]),
            ("Attrs", &["-gen-attrdef-decls"], &["-gen-attrdef-defs"]),
            ("Types", &["-gen-typedef-decls"], &["-gen-typedef-defs"]),
            ("Ops", &["-gen-op-decls"], &["-gen-op-defs"]),
        ],
    },
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../dialects");
    println!("cargo:rerun-if-changed=../../LLVM_VERSION");
    let llvm = Llvm::find_or_exit();
    if let Err(message) = build(&llvm) {
        spyre_build::fail(&message);
    }
}

fn build(llvm: &Llvm) -> Result<(), String> {
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR")?).join("../../dialects");
    let root = root
        .canonicalize()
        .map_err(|error| format!("{}: {error}", root.display()))?;
    let out = PathBuf::from(env("OUT_DIR")?);
    let mut sources = Vec::new();
    for dialect in DIALECTS {
        generate(llvm, dialect, &root, &out)?;
        sources.extend(cpp_files(&root.join(dialect.directory))?);
    }
    // `dialect!` in src/lib.rs finds the ODS here.
    println!("cargo:rustc-env=SPYRE_ODS_DIR={}", root.display());
    let mut cpp = cc::Build::new();
    cpp.cpp(true)
        .compiler(llvm.cpp_compiler())
        .flags(llvm.cpp_flags());
    cpp.opt_level(llvm.cpp_opt_level()).debug(false);
    cpp.include(&root).include(&out).files(&sources);
    cpp.try_compile("spyre_dialects_cpp")
        .map_err(|err| err.to_string())?;
    Ok(())
}

fn generate(llvm: &Llvm, dialect: &Dialect, root: &Path, out: &Path) -> Result<(), String> {
    for (suffix, declarations, definitions) in dialect.parts {
        // The interface generator omits interfaces that the main file includes.
        let file = if *suffix == "Interfaces" {
            format!("{}Interfaces.td", dialect.prefix)
        } else {
            format!("{}.td", dialect.prefix)
        };
        let td = root.join(dialect.directory).join(file);
        for (generator, extension) in [(declarations, "h"), (definitions, "cpp")] {
            let mut arguments: Vec<String> = generator.iter().map(ToString::to_string).collect();
            match *suffix {
                "Dialect" => arguments.push(format!("--dialect={}", dialect.name)),
                "Attrs" => arguments.push(format!("--attrdefs-dialect={}", dialect.name)),
                "Types" => arguments.push(format!("--typedefs-dialect={}", dialect.name)),
                _ => {}
            }
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            llvm.tblgen(
                &arguments,
                &td,
                root,
                &out.join(format!("{}{suffix}.{extension}.inc", dialect.prefix)),
            )
            .map_err(|err| err.to_string())?;
        }
    }
    Ok(())
}

fn cpp_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    files.sort();
    Ok(files)
}

fn env(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}"))
}
