//! Compiled functions as data.
//!
//! Object code is for one processor, and calls functions of one build of the runtime: its reader checks the processor, and
//! the owner of a file the version of the program that wrote it.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::engine::{Code, Engine, processor};
use super::external::{External, Linked};
use super::guard::Site;
use super::{Function, Signature};

/// A compiled function without its external functions, whose code is the caller's. It is code: who loads it runs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFunction {
    processor: String,
    code: Code,
    signature: Signature,
    sites: Vec<Site>,
    ends: Vec<Site>,
    externals: Vec<(String, Signature)>,
}

/// The reason why a saved function is not loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The code is for another processor.
    #[error("the code is for {saved}, and this machine is {actual}; compile the program again")]
    Processor {
        /// The processor that the code is for.
        saved: String,
        /// The processor of this machine.
        actual: String,
    },
    /// An external function is missing.
    #[error("the code calls the function @{name}, which is not given")]
    External {
        /// The function.
        name: String,
    },
    /// LLVM refuses the code.
    #[error("cannot link the code: {0}")]
    Engine(String),
}

impl Function {
    /// Returns the function as data.
    ///
    /// # Errors
    /// [`LoadError::Engine`]: LLVM does not know this machine.
    pub fn save(&self) -> Result<SavedFunction, LoadError> {
        let externals = self.externals.iter();
        let externals =
            externals.map(|linked| (linked.external.name.clone(), linked.signature.clone()));
        Ok(SavedFunction {
            processor: processor().map_err(LoadError::Engine)?,
            code: self.engine.code(),
            signature: self.signature.clone(),
            sites: self.sites.clone(),
            ends: self.ends.clone(),
            externals: externals.collect(),
        })
    }

    /// Links a saved function into this process. `externals` has its external functions, and may have others.
    ///
    /// The code is run as it is: a file is as trustworthy as whoever can write it.
    ///
    /// # Errors
    /// [`LoadError`]
    pub fn load(saved: SavedFunction, externals: Vec<External>) -> Result<Self, LoadError> {
        let actual = processor().map_err(LoadError::Engine)?;
        if actual != saved.processor {
            return Err(LoadError::Processor {
                saved: saved.processor,
                actual,
            });
        }
        let mut given: FxHashMap<String, External> = externals
            .into_iter()
            .map(|external| (external.name.clone(), external))
            .collect();
        // The code has their positions.
        let externals = saved.externals.into_iter().map(|(name, signature)| {
            let external = given.remove(&name);
            let external = external.ok_or(LoadError::External { name })?;
            Ok(Linked {
                external,
                signature,
            })
        });
        let externals = externals.collect::<Result<_, _>>()?;
        let engine = Engine::load(&saved.code).map_err(LoadError::Engine)?;
        Ok(Self {
            engine,
            signature: saved.signature,
            sites: saved.sites,
            ends: saved.ends,
            externals,
        })
    }
}
