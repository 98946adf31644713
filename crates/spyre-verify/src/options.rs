//! The revision that a bundle is checked against, and the exceptions that apply.

use std::fmt;
use std::str::FromStr;

use spyre_ops::contract::{Contract, EXCEPTIONS, Exception, Version};
use thiserror::Error;

/// The rules that a bundle is checked against.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Revision {
    /// The published contract, SuperDSC-Bundle 1.0.0.
    #[default]
    V1,
    /// The form that recordings of the third revision have.
    R3,
    /// The form that recordings of the first and the second revision have.
    R2,
}

impl Revision {
    /// Every revision, newest first.
    pub const ALL: [Self; 3] = [Self::V1, Self::R3, Self::R2];

    /// Returns the name, which [`FromStr`] reads: `1.0.0`, `r3` or `r2`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "1.0.0",
            Self::R3 => "r3",
            Self::R2 => "r2",
        }
    }

    /// Returns whether the rules of the published contract hold.
    #[must_use]
    pub const fn is_contract(self) -> bool {
        matches!(self, Self::V1)
    }
}

impl From<Version> for Revision {
    fn from(version: Version) -> Self {
        match version {
            Version::Published => Self::V1,
            Version::R3 => Self::R3,
            Version::R2 => Self::R2,
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Revision {
    type Err = OptionError;

    fn from_str(name: &str) -> Result<Self, OptionError> {
        let mut all = Self::ALL.into_iter();
        let matching = all.find(|revision| revision.name() == name);
        matching.ok_or_else(|| OptionError::Revision { name: name.into() })
    }
}

/// An unknown name in the options of a check.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// No revision has the name.
    #[error("'{name}' is no revision of bundles; the revisions are 1.0.0, r3 and r2")]
    Revision {
        /// The name.
        name: String,
    },
    /// No exception has the name.
    #[error("'{name}' is no exception from the contract; the exceptions are {}", names().join(", "))]
    Exception {
        /// The name.
        name: String,
    },
}

fn names() -> Vec<&'static str> {
    let exceptions = EXCEPTIONS.iter();
    exceptions.map(|exception| exception.name).collect()
}

/// The options of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The revision that the bundle is checked against.
    pub revision: Revision,
    exceptions: Vec<&'static str>,
}

impl Options {
    /// Returns options for a revision, without exceptions.
    #[must_use]
    pub const fn of_revision(revision: Revision) -> Self {
        Self {
            revision,
            exceptions: Vec::new(),
        }
    }

    /// Returns the options for bundles of a target: its version of the rules, with the exceptions that it lists.
    #[must_use]
    pub fn of_contract(contract: &Contract) -> Self {
        let exceptions = contract.exceptions.iter();
        Self {
            revision: contract.version.into(),
            exceptions: exceptions.map(|exception| exception.name).collect(),
        }
    }

    /// Returns the options with one exception from the contract more, by its name in [`EXCEPTIONS`].
    ///
    /// # Errors
    /// A name that no exception has.
    pub fn allowing(mut self, name: &str) -> Result<Self, OptionError> {
        let exception = Exception::by_name(name);
        let exception = exception.ok_or_else(|| OptionError::Exception { name: name.into() })?;
        self.exceptions.push(exception.name);
        Ok(self)
    }

    /// Returns the names of the exceptions that are allowed.
    #[must_use]
    pub fn exceptions(&self) -> &[&'static str] {
        &self.exceptions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_read_by_their_names() {
        for revision in Revision::ALL {
            assert_eq!(revision.to_string().parse(), Ok(revision));
        }
        let err = "r9".parse::<Revision>().expect_err("no revision");
        assert_eq!(
            err.to_string(),
            "'r9' is no revision of bundles; the revisions are 1.0.0, r3 and r2"
        );
    }

    #[test]
    fn a_target_says_its_rules() {
        for version in Version::ALL {
            let contract = Contract {
                version,
                exceptions: Exception::by_name("fp32-roots").into_iter().collect(),
            };
            let options = Options::of_contract(&contract);
            assert_eq!(options.revision.name(), version.name());
            assert_eq!(options.exceptions(), ["fp32-roots"]);
        }
    }

    #[test]
    fn exceptions_are_those_of_the_contract() {
        let options = Options::default().allowing("fp32-roots").expect("known");
        assert_eq!(options.exceptions(), ["fp32-roots"]);
        let err = Options::default().allowing("fp32").expect_err("unknown");
        let expected = "'fp32' is no exception from the contract; the exceptions are fp32-roots, ";
        assert!(err.to_string().starts_with(expected), "{err}");
    }
}
