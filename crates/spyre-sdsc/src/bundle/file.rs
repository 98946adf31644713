//! The file of one operation.

use std::io::{self, Write};
use std::sync::Arc;

use super::segments::Segments;
use super::symbols::{OpSymbols, SymbolBase, SymbolId};
use crate::codegen::Descriptor;
use crate::ordered::Object;
use crate::revision::Revision;
use crate::sdsc::{self, Addresses, FoldIndex, Sdsc, StartAddress};

/// The form of the addresses in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FileAddresses {
    Symbols {
        /// Shared with the plan of the function, until that is emitted.
        symbols: Arc<OpSymbols>,
        base: SymbolBase,
    },
    Numbers(Segments),
}

impl FileAddresses {
    pub(super) const fn symbols(&self) -> Option<&Arc<OpSymbols>> {
        match self {
            Self::Symbols { symbols, .. } => Some(symbols),
            Self::Numbers(_) => None,
        }
    }

    /// For a file with identifiers from `base` on.
    fn form(&self, base: SymbolBase) -> Addresses<'_> {
        match self {
            Self::Symbols { symbols, .. } => Addresses::Symbols { symbols, base },
            Self::Numbers(segments) => Addresses::Numbers(*segments),
        }
    }
}

/// The file of an operation, in planned form. The JSON is built when the file is written.
#[derive(Clone, Debug, PartialEq)]
pub struct SdscFile {
    pub(super) number: usize,
    pub(super) revision: Revision,
    pub(super) descriptor: Descriptor,
    pub(super) addresses: FileAddresses,
}

impl SdscFile {
    /// File number `number`, with symbols as addresses and identifiers from `base` on.
    pub fn with_symbols(
        descriptor: Descriptor,
        number: usize,
        base: SymbolBase,
        revision: Revision,
    ) -> Self {
        let symbols = Arc::new(OpSymbols::from_descriptor(&descriptor));
        Self {
            number,
            revision,
            descriptor,
            addresses: FileAddresses::Symbols { symbols, base },
        }
    }

    /// The file's name, `sdsc_{number}.json`.
    pub fn name(&self) -> String {
        file_name(self.number)
    }

    /// The planned operation.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// The symbols of the operation; `None` if addresses are numbers.
    pub fn symbols(&self) -> Option<&OpSymbols> {
        self.addresses.symbols().map(Arc::as_ref)
    }

    /// Where the identifiers of [`symbols`](Self::symbols) start.
    pub fn symbol_base(&self) -> SymbolBase {
        match self.addresses {
            FileAddresses::Symbols { base, .. } => base,
            FileAddresses::Numbers(_) => SymbolBase::default(),
        }
    }

    /// The contents, typed.
    pub fn sdsc(&self) -> Sdsc {
        self.build(self.number, self.symbol_base())
    }

    /// Returns the identifiers of the runtime sizes in the contents, and the start addresses of each operand.
    pub(super) fn declared(&self) -> (Vec<SymbolId>, Vec<Object<StartAddress, FoldIndex>>) {
        let addresses = self.addresses.form(self.symbol_base());
        sdsc::declared(&self.descriptor, self.revision, addresses)
    }

    /// The contents as if this were the first file of its bundle.
    pub(super) fn as_first(&self) -> Sdsc {
        self.build(0, SymbolBase::default())
    }

    fn build(&self, number: usize, base: SymbolBase) -> Sdsc {
        let addresses = self.addresses.form(base);
        sdsc::build(&self.descriptor, number, self.revision, addresses)
    }

    /// Writes the contents.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn write_to(&self, writer: impl Write) -> io::Result<()> {
        sdsc::write_json(&self.sdsc(), writer)
    }
}

/// The name of file number `number` (SDSC bundle specification, section 1).
pub(super) fn file_name(number: usize) -> String {
    format!("sdsc_{number}.json")
}
