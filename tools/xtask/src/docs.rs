//! `cargo xtask docs`: the pages and pictures under `docs/` that are generated from the sources.

use std::fs;
use std::path::{Path, PathBuf};

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The pictures of docs/Layouts.md, below `docs/images/`, and the options of `spyre-translate` that draw them.
const PICTURES: [(&str, &[&str]); 5] = [
    ("layout-tiles", &["4x70", "--dtype", "f32"]),
    ("layout-1024x256", &["1024x256", "--dtype", "f16"]),
    (
        "layout-padding",
        &["40x60", "--dtype", "f16", "--size", "1,512,64"],
    ),
    (
        "layout-columns",
        &["40x4", "--dtype", "f32", "--order", "1,0"],
    ),
    ("layout-sparse", &["8", "--dtype", "f32", "--order", "0,-1"]),
];

/// The start of the line before each page about passes, which has its path.
const PAGE: &str = "<!-- page: ";

/// A generated page or picture.
struct Page {
    /// The path relative to the root of the repository.
    path: PathBuf,
    text: String,
}

/// Writes the generated pages, or with `check` compares them with the existing files.
///
/// # Errors
/// When a generator fails, a file cannot be written, or with `check` when one differs.
pub(crate) fn docs(project: &Project, check: bool) -> Result<(), Error> {
    project.build_workspace()?;
    let pages = generate(project)?;
    let mut stale = Vec::new();
    for page in &pages {
        let path = project.root.join(&page.path);
        let current = fs::read_to_string(&path).unwrap_or_default();
        if current == page.text {
            continue;
        }
        let name = page.path.display().to_string();
        if check {
            stale.push(format!("{name}{}", first_difference(&current, &page.text)));
        } else {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(Error::io(parent))?;
            }
            fs::write(&path, &page.text).map_err(Error::io(&path))?;
            println!("docs: wrote {name}");
        }
    }
    if !stale.is_empty() {
        let list = stale.join("\n  ");
        return Err(Error::Verdict(format!(
            "not what the sources generate:\n  {list}\nRun `cargo xtask docs`."
        )));
    }
    println!("docs: {} pages and pictures up to date", pages.len());
    Ok(())
}

fn generate(project: &Project) -> Result<Vec<Page>, Error> {
    let include = project.prefix.join("include");
    let mut pages = Vec::new();
    let tblgen = |arguments: &[&str], file: &str| {
        let mut tblgen = project.llvm_tool("mlir-tblgen");
        tblgen
            .args(arguments)
            .arg("-I")
            .arg(&include)
            .args(["-I", "dialects"])
            .arg(format!("dialects/{file}"));
        process::output(&mut tblgen)
    };
    for Dialect {
        name,
        definitions,
        interfaces,
    } in dialects(project)?
    {
        let arguments = ["-gen-dialect-doc", &format!("--dialect={name}")];
        let mut text = tblgen(&arguments, &definitions)?;
        if let Some(interfaces) = interfaces {
            text.push('\n');
            text.push_str(&tblgen(&["-gen-op-interface-docs"], &interfaces)?);
        }
        let text = normal(&text);
        pages.push(Page {
            path: format!("docs/Dialects/{name}.md").into(),
            text,
        });
    }
    let passes = process::output(
        project
            .tool(Profile::Debug, "spyre-opt")
            .arg("--spyre-pass-docs"),
    )?;
    for page in passes.split(PAGE).skip(1) {
        let (path, text) = page.split_once(" -->\n").ok_or_else(|| {
            Error::Verdict("spyre-opt --spyre-pass-docs has a page without a path".into())
        })?;
        pages.push(Page {
            path: path.into(),
            text: normal(text),
        });
    }
    for (name, options) in PICTURES {
        let mut translate = project.tool(Profile::Debug, "spyre-translate");
        translate.arg("--emit-layout-svg").args(options);
        pages.push(Page {
            path: format!("docs/images/{name}.svg").into(),
            text: process::output(&mut translate)?,
        });
    }
    Ok(pages)
}

/// A dialect: its name, and the files of its definitions, below `dialects`.
struct Dialect {
    name: String,
    /// The file with the operations, which includes the others.
    definitions: String,
    /// The file with interfaces, if the dialect has any.
    interfaces: Option<String>,
}

/// Returns the dialects in the folder `dialects`, in the order of their names. A dialect is a folder with a file of its
/// name, such as `uop/Uop.td`.
fn dialects(project: &Project) -> Result<Vec<Dialect>, Error> {
    let root = project.root.join("dialects");
    let names = |path: &Path| -> Result<Vec<String>, Error> {
        let entries = fs::read_dir(path).map_err(Error::io(path))?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names: Vec<String> = names.collect::<Result<_, _>>().map_err(Error::io(path))?;
        names.sort_unstable();
        Ok(names)
    };
    let mut dialects = Vec::new();
    for name in names(&root)? {
        let files = names(&root.join(&name))?;
        let stem = files.iter().find_map(|file| {
            let stem = file.strip_suffix(".td")?;
            (stem.to_lowercase() == name).then(|| stem.to_owned())
        });
        let stem = stem.ok_or_else(|| {
            Error::Verdict(format!(
                "dialects/{name} has no .td file with the name of the folder"
            ))
        })?;
        let interfaces = format!("{stem}Interfaces.td");
        dialects.push(Dialect {
            definitions: format!("{name}/{stem}.td"),
            interfaces: files
                .contains(&interfaces)
                .then(|| format!("{name}/{interfaces}")),
            name,
        });
    }
    Ok(dialects)
}

/// Returns the text without blanks at line ends and with one newline at the end, as editors and reviews expect of a
/// committed file.
fn normal(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    format!("{}\n", lines.join("\n").trim_end())
}

/// Returns a description of the first difference of two texts, for the message.
fn first_difference(current: &str, generated: &str) -> String {
    if current.is_empty() {
        return ": missing or empty".into();
    }
    let line = current
        .lines()
        .zip(generated.lines())
        .take_while(|(a, b)| a == b)
        .count()
        + 1;
    format!(": differs from line {line} on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_normalised() {
        assert_eq!(normal("a  \n\n b\t\n\n\n"), "a\n\n b\n");
        assert_eq!(normal(&normal("x \n")), "x\n");
    }

    #[test]
    fn differences_are_located() {
        assert_eq!(first_difference("", "a\n"), ": missing or empty");
        assert_eq!(
            first_difference("a\nb\n", "a\nc\n"),
            ": differs from line 2 on"
        );
        assert_eq!(
            first_difference("a\n", "a\nb\n"),
            ": differs from line 2 on"
        );
    }
}
