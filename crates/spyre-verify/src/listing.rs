//! The names in the directory of a bundle.

use spyre_bundle_files::{MLIR_FILE, is_constant_file};

/// The names in a directory, grouped by their meaning.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Files `sdsc_*.json` with their numbers, if they have one.
    pub files: Vec<(String, Option<u64>)>,
    /// Names of files that are no part of a bundle.
    pub foreign: Vec<String>,
}

impl Listing {
    /// Sorts names. The backend adds `spyreCodeDir`; a program of several bundles has the values of constants next to
    /// them.
    pub(crate) fn from_names(names: Vec<String>) -> Self {
        let mut listing = Self::default();
        for name in names {
            if name.starts_with("sdsc_") && name.ends_with(".json") {
                let number = number(&name);
                listing.files.push((name, number));
            } else if name != MLIR_FILE && name != "spyreCodeDir" && !is_constant_file(&name) {
                listing.foreign.push(name);
            }
        }
        listing.files.sort_by(|(a, i), (b, j)| (i, a).cmp(&(j, b)));
        listing.foreign.sort();
        listing
    }
}

/// Returns the number N of a file `sdsc_N.json`; `None` for other names.
pub(crate) fn number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("sdsc_")?.strip_suffix(".json")?;
    let number: u64 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_spelling() {
        assert_eq!(number("sdsc_0.json"), Some(0));
        assert_eq!(number("sdsc_120.json"), Some(120));
        for name in [
            "sdsc_.json",
            "sdsc_01.json",
            "sdsc_+1.json",
            "sdsc_-1.json",
            "sdsc_1.json.bak",
            "sdsc.json",
        ] {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
