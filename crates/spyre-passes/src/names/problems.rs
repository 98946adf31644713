//! What is wrong with names, kept until the pass that asked decides what to make of it.

use melior::ir::Location;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::pass::Failed;

use super::Names;
use super::factors::Name;

/// One finding.
pub(super) struct Problem<'p> {
    kind: Kind,
    diagnostic: Diagnostic<'p>,
}

enum Kind {
    /// What the user wrote contradicts itself.
    Error,
    /// A name does not go on from here, which is an error for whoever needs it.
    Lost(Name),
    /// Worth knowing.
    Warning,
}

impl<'p> Problem<'p> {
    pub(super) fn error(diagnostic: Diagnostic<'p>) -> Self {
        Self {
            kind: Kind::Error,
            diagnostic,
        }
    }

    pub(super) fn lost(name: Name, diagnostic: Diagnostic<'p>) -> Self {
        Self {
            kind: Kind::Lost(name),
            diagnostic,
        }
    }

    pub(super) fn warning(diagnostic: Diagnostic<'p>) -> Self {
        Self {
            kind: Kind::Warning,
            diagnostic,
        }
    }

    pub(super) fn note(mut self, location: Location<'p>, message: String) -> Self {
        self.diagnostic = self.diagnostic.note(location, message);
        self
    }
}

/// What a pass needs of the names.
#[derive(Debug)]
pub enum Wanted<'w> {
    /// All of them, and to be told what is missing.
    All,
    /// These.
    Some(&'w FxHashSet<Name>),
}

impl Names<'_> {
    /// Reports what was found on the way.
    ///
    /// # Errors
    /// What the user wrote contradicts itself, or a wanted name was lost.
    pub fn report(&mut self, wanted: &Wanted<'_>) -> Result<(), Failed> {
        let mut result = Ok(());
        for problem in std::mem::take(&mut self.problems) {
            let (is_error, shown) = match (&problem.kind, wanted) {
                (Kind::Error, _) | (Kind::Lost(_), Wanted::All) => (true, true),
                (Kind::Lost(name), Wanted::Some(names)) => {
                    let wanted = names.contains(name);
                    (wanted, wanted)
                }
                (Kind::Warning, Wanted::All) => (false, true),
                (Kind::Warning, Wanted::Some(_)) => (false, false),
            };
            if shown {
                problem.diagnostic.emit();
            }
            if is_error {
                result = Err(Failed);
            }
        }
        result
    }
}
