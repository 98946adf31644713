//! The rules that the bundles of a target follow.

use std::fmt;
use std::str::FromStr;

use spyre_layout::DeviceFormat;

use super::{Exception, NotAdmitted, Status, admit};

/// A version of the rules of bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Version {
    /// SuperDSC-Bundle 1.0.0, as published.
    #[default]
    Published,
    /// The third recorded revision of the reference compiler, to compare with its recordings.
    R3,
    /// The second one.
    R2,
}

impl Version {
    /// Every version, the default first.
    pub const ALL: [Self; 3] = [Self::Published, Self::R3, Self::R2];

    /// Returns the name in `#spyre.target`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => super::VERSION,
            Self::R3 => "r3",
            Self::R2 => "r2",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let version = Self::ALL.into_iter().find(|version| version.name() == text);
        version.ok_or_else(|| UnknownVersion(text.to_owned()))
    }
}

/// A name that is no version of the rules of bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownVersion(pub String);

impl fmt::Display for UnknownVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Version::ALL.map(Version::name).join(", ");
        write!(
            formatter,
            "'{}' is no version of the contract: {names}",
            self.0
        )
    }
}

impl std::error::Error for UnknownVersion {}

/// The rules that the bundles of a target follow: a version, and the exceptions from it that the target lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contract {
    /// The version.
    pub version: Version,
    /// The exceptions that hold; none by default.
    pub exceptions: Vec<&'static Exception>,
}

impl Contract {
    /// Returns the evidence that the card's compiler takes an OpFunc on data tensors of these formats, the output last.
    /// Recorded revisions admit all formats, since their recordings are the only evidence.
    ///
    /// # Errors
    /// [`NotAdmitted`].
    pub fn admit(&self, op_func: &str, formats: &[DeviceFormat]) -> Result<Status, NotAdmitted> {
        match self.version {
            Version::Published => {
                let names: Vec<&str> = self
                    .exceptions
                    .iter()
                    .map(|exception| exception.name)
                    .collect();
                admit(op_func, formats, &names)
            }
            Version::R3 | Version::R2 => Ok(Status::Reference),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_names() {
        for version in Version::ALL {
            assert_eq!(version.name().parse(), Ok(version));
        }
        let unknown: Result<Version, _> = "2".parse();
        assert_eq!(
            unknown.unwrap_err().to_string(),
            "'2' is no version of the contract: 1.0.0, r3, r2"
        );
    }

    #[test]
    fn recordings_are_not_judged_by_the_table() {
        let formats = [DeviceFormat::IeeeInt32; 3];
        let mut contract = Contract::default();
        assert!(contract.admit("mul", &formats).is_err());
        contract.exceptions = Exception::by_name("int32-arithmetic").into_iter().collect();
        assert!(contract.admit("mul", &formats).is_ok());
        assert!(contract.admit("sub", &formats).is_err());
        contract.version = Version::R3;
        assert!(contract.admit("sub", &formats).is_ok());
    }
}
