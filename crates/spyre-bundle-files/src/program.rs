//! Programs of several bundles: a directory that has one for each function of the device.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use crate::directory::{Directory, Files, MLIR_FILE, Unreadable};
use crate::error::TextError;
use crate::json;

/// The file with the bundles of a program and their arguments.
pub const LAUNCH_FILE: &str = "launch.json";

/// Returns the name of the file with the elements of a constant. `argument` is the number of the constant among the
/// arguments of the bundle in [`LAUNCH_FILE`].
#[must_use]
pub fn constant_file(argument: usize) -> String {
    format!("constant_{argument}.npy")
}

/// Returns whether a file has a name of [`constant_file`].
#[must_use]
pub fn is_constant_file(name: &str) -> bool {
    let number = name.strip_prefix("constant_");
    let number = number.and_then(|rest| rest.strip_suffix(".npy")?.parse().ok());
    number.is_some_and(|number| constant_file(number) == name)
}

/// The bundles that a directory has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bundles {
    /// The directory is one bundle, or is meant to be: it is not checked.
    One,
    /// The directories of the bundles of a program of host and device.
    Several(Vec<PathBuf>),
}

/// The reason why the bundles of a program are not known.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The file has no text.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: Unreadable,
    },
    /// The text is no list of functions.
    #[error("{}:{reason}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// The reason, with its place.
        reason: TextError,
    },
    /// A program where one bundle is needed.
    #[error(
        "{}: a program of host and device, with a bundle in each of the directories {}; name one of them",
        directory.display(), bundles.join(", ")
    )]
    NotOne {
        /// The directory of the program.
        directory: PathBuf,
        /// The directories of the bundles in it.
        bundles: Vec<String>,
    },
    /// A list of no functions.
    #[error("{}: there is no function of the device, so there is no bundle", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A bundle that would be outside of the directory.
    #[error("{}: '{bundle}' is no directory next to this file", path.display())]
    Outside {
        /// The file.
        path: PathBuf,
        /// The bundle.
        bundle: String,
    },
}

#[derive(Deserialize)]
struct Launch {
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    bundle: String,
}

impl Bundles {
    /// Finds the bundles of a directory: the ones in its [`LAUNCH_FILE`], if it has one and no [`MLIR_FILE`].
    ///
    /// # Errors
    /// The file does not list them.
    pub fn in_directory(directory: &Path) -> Result<Self, LaunchError> {
        let path = directory.join(LAUNCH_FILE);
        if !path.exists() || directory.join(MLIR_FILE).exists() {
            return Ok(Self::One);
        }
        let text = match Directory(directory).text(LAUNCH_FILE) {
            Ok(text) => text.into_owned(),
            Err(err) => return Err(LaunchError::Unreadable { path, reason: err }),
        };
        let launch: Launch = match json::from_str(&text) {
            Ok(launch) => launch,
            Err(err) => return Err(LaunchError::Text { path, reason: err }),
        };
        if launch.functions.is_empty() {
            return Err(LaunchError::Empty { path });
        }
        let mut bundles = Vec::new();
        for Function { bundle } in launch.functions {
            let mut parts = Path::new(&bundle).components();
            let is_name = matches!(
                (parts.next(), parts.next()),
                (Some(Component::Normal(_)), None)
            );
            if !is_name {
                return Err(LaunchError::Outside { path, bundle });
            }
            bundles.push(directory.join(bundle));
        }
        Ok(Self::Several(bundles))
    }

    /// Checks that a directory is not the one of a program of several bundles.
    ///
    /// # Errors
    /// [`LaunchError::NotOne`], and the errors of [`in_directory`](Self::in_directory).
    pub fn check_is_one(directory: &Path) -> Result<(), LaunchError> {
        let Self::Several(bundles) = Self::in_directory(directory)? else {
            return Ok(());
        };
        let names = bundles.iter().filter_map(|bundle| bundle.file_name());
        Err(LaunchError::NotOne {
            directory: directory.to_owned(),
            bundles: names
                .map(|name| name.to_string_lossy().into_owned())
                .collect(),
        })
    }

    /// Returns the directories of the bundles of `directory`, in order.
    #[must_use]
    pub fn directories(self, directory: &Path) -> Vec<PathBuf> {
        match self {
            Self::One => vec![directory.to_owned()],
            Self::Several(bundles) => bundles,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn bundles_for(launch: Option<&str>) -> Result<Bundles, String> {
        let directory = tempfile::tempdir().expect("a directory");
        if let Some(launch) = launch {
            fs::write(directory.path().join(LAUNCH_FILE), launch).expect("it can be written");
        }
        let bundles = Bundles::in_directory(directory.path());
        let bundles =
            bundles.map_err(|err| err.to_string().split_once(LAUNCH_FILE).unwrap().1.into());
        bundles.map(|bundles| match bundles {
            Bundles::One => Bundles::One,
            Bundles::Several(paths) => {
                let names = paths.iter().map(|path| path.strip_prefix(directory.path()));
                Bundles::Several(names.map(|name| name.unwrap().to_owned()).collect())
            }
        })
    }

    #[test]
    fn a_program_says_which_bundles_it_has() {
        assert_eq!(bundles_for(None), Ok(Bundles::One));
        let launch =
            r#"{"host": {"work": 1}, "functions": [{"bundle": "a", "work": 2}, {"bundle": "b"}]}"#;
        let several = Bundles::Several(vec!["a".into(), "b".into()]);
        assert_eq!(bundles_for(Some(launch)), Ok(several));
    }

    #[test]
    fn a_program_is_not_one_bundle() {
        let directory = tempfile::tempdir().expect("a directory");
        Bundles::check_is_one(directory.path()).expect("one bundle");
        let launch = r#"{"functions": [{"bundle": "a"}, {"bundle": "b"}]}"#;
        fs::write(directory.path().join(LAUNCH_FILE), launch).expect("it can be written");
        let err = Bundles::check_is_one(directory.path()).expect_err("two bundles");
        let message = err.to_string();
        assert!(
            message.ends_with("the directories a, b; name one of them"),
            "{message}"
        );
    }

    #[test]
    fn what_is_no_program_is_said_with_its_place() {
        let message = |launch| bundles_for(Some(launch)).expect_err("it is none");
        assert_eq!(message("{"), ":1:2: expected a key in quotes");
        let outside_message = message(r#"{"functions": [{"bundle": "../a"}]}"#);
        assert_eq!(
            outside_message,
            ": '../a' is no directory next to this file"
        );
        let empty_message = message(r#"{"functions": []}"#);
        assert_eq!(
            empty_message,
            ": there is no function of the device, so there is no bundle"
        );
        assert!(message(r#"{"functions": [{}]}"#).contains("1:16: missing field `bundle`"));
    }
}
