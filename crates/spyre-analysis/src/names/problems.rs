//! Problems with names, kept until the pass that needs the names reports them.

use melior::ir::Location;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::pass::Failed;

use super::Names;
use super::factors::Name;

/// A problem that was found.
pub(super) struct Problem<'p> {
    kind: ProblemKind,
    diagnostic: Diagnostic<'p>,
}

enum ProblemKind {
    /// Names or extents that the user wrote contradict each other.
    Error,
    /// The results of an operation lose a name, which is an error for a pass that needs it.
    Lost(Name),
    /// A warning for the user.
    Warning,
}

impl<'p> Problem<'p> {
    pub(super) fn error(diagnostic: Diagnostic<'p>) -> Self {
        Self {
            kind: ProblemKind::Error,
            diagnostic,
        }
    }

    pub(super) fn lost(name: Name, diagnostic: Diagnostic<'p>) -> Self {
        Self {
            kind: ProblemKind::Lost(name),
            diagnostic,
        }
    }

    pub(super) fn warning(diagnostic: Diagnostic<'p>) -> Self {
        Self {
            kind: ProblemKind::Warning,
            diagnostic,
        }
    }

    pub(super) fn note(mut self, location: Location<'p>, message: String) -> Self {
        self.diagnostic = self.diagnostic.note(location, message);
        self
    }
}

/// The names that a pass needs.
#[derive(Debug)]
pub enum Wanted<'w> {
    /// All names; every problem is reported.
    All,
    /// The lost names of this set are reported, and no other lost names and no warnings.
    Some(&'w FxHashSet<Name>),
}

impl Names<'_> {
    /// Reports the problems that were found.
    ///
    /// # Errors
    /// Names or extents that the user wrote contradict each other, or a wanted name was lost.
    pub fn report(&mut self, wanted: &Wanted<'_>) -> Result<(), Failed> {
        let mut result = Ok(());
        for problem in std::mem::take(&mut self.problems) {
            let (is_error, shown) = match (&problem.kind, wanted) {
                (ProblemKind::Error, _) | (ProblemKind::Lost(_), Wanted::All) => (true, true),
                (ProblemKind::Lost(name), Wanted::Some(names)) => {
                    let wanted = names.contains(name);
                    (wanted, wanted)
                }
                (ProblemKind::Warning, Wanted::All) => (false, true),
                (ProblemKind::Warning, Wanted::Some(_)) => (false, false),
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
