//! The operations of the table of OpFuncs.

use std::sync::LazyLock;

use spyre_generate::Vocabulary;
use spyre_ops::{comparisons, drawn};

/// The operations element by element that are drawn.
pub static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let names = |is_exact| drawn(2, is_exact).map(|(mnemonic, _)| mnemonic);
    Vocabulary {
        exact: drawn(1, true).collect(),
        inexact: drawn(1, false).collect(),
        exact_binary: names(true).collect(),
        binary: names(true).chain(names(false)).collect(),
        comparisons: comparisons().collect(),
    }
});
