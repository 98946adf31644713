//! The start addresses of a tensor: numbers that the file holds as text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Bytes;
use crate::bundle::SymbolId;

/// The place of a value in a table of three folds, `[core, corelet, time]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FoldIndex(pub [u32; 3]);

impl FoldIndex {
    /// The place of a core's part at all times.
    pub const fn core(core: u32) -> Self {
        Self([core, 0, 0])
    }
}

impl fmt::Display for FoldIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [core, corelet, time] = self.0;
        write!(f, "[{core}, {corelet}, {time}]")
    }
}

impl FromStr for FoldIndex {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let numbers = || {
            let list = text.strip_prefix('[')?.strip_suffix(']')?;
            let mut numbers = list.split(',').map(|number| number.trim().parse().ok());
            let index = [numbers.next()??, numbers.next()??, numbers.next()??];
            numbers.next().is_none().then_some(Self(index))
        };
        numbers().ok_or_else(|| AddressError::Index { text: text.into() })
    }
}

/// Where a core's part of a tensor starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StartAddress {
    /// At the value of a symbol.
    Symbol(SymbolId),
    /// At an address.
    Number(Bytes),
}

impl fmt::Display for StartAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(symbol) => fmt::Display::fmt(symbol, f),
            Self::Number(address) => fmt::Display::fmt(&address.get(), f),
        }
    }
}

/// Identifiers of symbols are negative, addresses are not.
impl FromStr for StartAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let symbol = || SymbolId::from_number(text.parse().ok()?).map(Self::Symbol);
        let address = || text.parse().ok().map(|bytes| Self::Number(Bytes(bytes)));
        symbol()
            .or_else(address)
            .ok_or_else(|| AddressError::Address { text: text.into() })
    }
}

/// Why a table of addresses cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// The place of a value is not three numbers.
    #[error("`{text}` is not a place of the form [core, corelet, time]")]
    Index {
        /// The text found.
        text: String,
    },
    /// An address is no number.
    #[error("`{text}` is neither an address nor the identifier of a symbol")]
    Address {
        /// The text found.
        text: String,
    },
}

/// Serialises by [`Display`](fmt::Display) and [`FromStr`].
macro_rules! as_text {
    ($($name:ty),*) => {$(
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::by_name::serialize(self, serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::by_name::deserialize(deserializer)
            }
        }
    )*};
}

as_text!(FoldIndex, StartAddress);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::SymbolBase;
    use crate::ordered::Object;

    #[test]
    fn tables_are_read_back_as_they_are_written() -> Result<(), serde_json::Error> {
        let symbol = StartAddress::Symbol(SymbolBase::new(4).id(1));
        let table: Object<StartAddress, FoldIndex> = [
            (FoldIndex::core(0), symbol),
            (FoldIndex([31, 1, 2]), StartAddress::Number(Bytes(1 << 63))),
        ]
        .into_iter()
        .collect();
        let text = r#"{"[0, 0, 0]":"-6","[31, 1, 2]":"9223372036854775808"}"#;
        assert_eq!(serde_json::to_string(&table)?, text);
        assert_eq!(
            serde_json::from_str::<Object<StartAddress, FoldIndex>>(text)?,
            table
        );
        Ok(())
    }

    #[test]
    fn what_is_no_table_says_why() {
        for text in ["0, 0, 0", "[0, 0]", "[0, 0, 0, 0]", "[0, -1, 0]", "[]", ""] {
            let expected = AddressError::Index { text: text.into() };
            assert_eq!(text.parse::<FoldIndex>(), Err(expected));
        }
        for text in ["", "-", "0x10", "1.5", "99999999999999999999"] {
            let expected = AddressError::Address { text: text.into() };
            assert_eq!(text.parse::<StartAddress>(), Err(expected));
        }
    }
}
