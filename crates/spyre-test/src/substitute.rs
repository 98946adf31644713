//! Fills the paths into a command.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A `%{name}` that is not defined.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown substitution `%{{{0}}}`")]
pub struct UnknownSubstitution(pub String);

/// The values of the `%` words of a `RUN:` line; `test/lit.cfg.py` defines the same ones.
///
/// | word | stands for |
/// |---|---|
/// | `%s` | the test file |
/// | `%S`, `%p` | the directory of the test file |
/// | `%t` | a path for temporary files, of this test only |
/// | `%{root}` | the root of the repository |
/// | `%{plugin}` | the plugin for stock `mlir-opt` (`libspyre_plugin.so`) |
/// | `%{mlir-opt}` | stock `mlir-opt` |
/// | `%{runner-libs}` | the libraries that a program run by `mlir-runner` calls, with commas |
/// | `%%` | a percent sign |
#[derive(Debug, Clone)]
pub struct Substitutions {
    /// Absolute path of the test file.
    pub source: PathBuf,
    /// Prefix of the test's temporary files.
    pub temporary: PathBuf,
    /// Root of the repository.
    pub root: PathBuf,
    /// The plugin library.
    pub plugin: PathBuf,
    /// Stock `mlir-opt`.
    pub mlir_opt: PathBuf,
    /// Directory of LLVM's libraries.
    pub llvm_lib: PathBuf,
}

/// LLVM's libraries for programs run by `mlir-runner`: printing, memory, 16-bit floats.
const RUNNER_LIBRARIES: [&str; 3] = [
    "mlir_runner_utils",
    "mlir_c_runner_utils",
    "mlir_float16_utils",
];

impl Substitutions {
    /// Returns `command` with every word of the table replaced, read from left to right; a `%` that
    /// starts none of them is kept.
    ///
    /// # Errors
    /// [`UnknownSubstitution`] for a `%{name}` that is not in the table: a misspelt one would reach the shell as text.
    pub fn apply(&self, command: &str) -> Result<String, UnknownSubstitution> {
        let mut result = String::with_capacity(command.len());
        let mut rest = command;
        while let Some(at) = rest.find('%') {
            result.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let replaced = match rest.chars().next() {
                Some('%') => Some((1, "%".to_owned())),
                Some('s') => Some((1, display(&self.source))),
                Some('S' | 'p') => {
                    Some((1, display(self.source.parent().unwrap_or(Path::new(".")))))
                }
                Some('t') => Some((1, display(&self.temporary))),
                Some('{') => match rest.find('}') {
                    Some(end) => Some((end + 1, self.named(&rest[1..end])?)),
                    None => None,
                },
                _ => None,
            };
            match replaced {
                Some((length, text)) => {
                    result.push_str(&text);
                    rest = &rest[length..];
                }
                None => result.push('%'),
            }
        }
        result.push_str(rest);
        Ok(result)
    }

    fn named(&self, name: &str) -> Result<String, UnknownSubstitution> {
        match name {
            "root" => Ok(display(&self.root)),
            "plugin" => Ok(display(&self.plugin)),
            "mlir-opt" => Ok(display(&self.mlir_opt)),
            "runner-libs" => Ok(self.runner_libraries()),
            _ => Err(UnknownSubstitution(name.to_owned())),
        }
    }

    fn runner_libraries(&self) -> String {
        let path = |name| {
            self.llvm_lib
                .join(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
        };
        RUNNER_LIBRARIES.map(|name| display(&path(name))).join(",")
    }
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn substitutions() -> Substitutions {
        Substitutions {
            source: "/r/test/D/x.mlir".into(),
            temporary: "/tmp/x.tmp".into(),
            root: "/r".into(),
            plugin: "/b/lib.so".into(),
            mlir_opt: "/l/mlir-opt".into(),
            llvm_lib: "/l/lib".into(),
        }
    }

    fn apply(command: &str) -> String {
        substitutions().apply(command).unwrap()
    }

    #[test]
    fn every_word_of_the_table() {
        assert_eq!(
            apply("a %s %t.2 | b"),
            "a /r/test/D/x.mlir /tmp/x.tmp.2 | b"
        );
        assert_eq!(apply("%S/a %p/b"), "/r/test/D/a /r/test/D/b");
        assert_eq!(
            apply("%{mlir-opt} --load=%{plugin} %{root}/e"),
            "/l/mlir-opt --load=/b/lib.so /r/e"
        );
        let libraries = apply("--shared-libs=%{runner-libs}");
        assert!(
            libraries.starts_with("--shared-libs=/l/lib/"),
            "{libraries}"
        );
        assert_eq!(libraries.split(',').count(), 3);
    }

    #[test]
    fn percent_signs_that_are_no_words_stay() {
        assert_eq!(apply("printf '%d %0 100%'"), "printf '%d %0 100%'");
        assert_eq!(apply("%%s is %s"), "%s is /r/test/D/x.mlir");
        assert_eq!(apply("%{open"), "%{open");
        assert_eq!(apply("grüße %ä"), "grüße %ä");
    }

    #[test]
    fn a_misspelt_name_is_refused() {
        assert_eq!(
            substitutions().apply("%{plugn}"),
            Err(UnknownSubstitution("plugn".into()))
        );
    }
}
