//! The errors that passes report while programs run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use melior::Context;
use melior::diagnostic::DiagnosticSeverity;

/// The errors of a context, in the order of the reports, which are not printed.
pub(crate) struct Messages(Arc<Mutex<Vec<String>>>);

impl Messages {
    /// Collects the errors of a context from now on.
    pub(crate) fn new(context: &Context) -> Self {
        let messages = Arc::new(Mutex::new(Vec::new()));
        let sink = Self(Arc::clone(&messages));
        context.attach_diagnostic_handler(move |diagnostic| {
            if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                sink.lock().push(diagnostic.to_string());
            }
            true
        });
        Self(messages)
    }

    /// Returns the errors since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lock())
    }

    /// Returns the first error; an empty text without one.
    pub(crate) fn take_first(&self) -> String {
        self.take().into_iter().next().unwrap_or_default()
    }

    // A panic of a program that runs leaves whole messages.
    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
