//! The errors that passes report while programs run, and the claims that proofs do not decide.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use melior::Context;
use melior::diagnostic::DiagnosticSeverity;

/// The words of a remark before the reason why a claim is not decided.
const UNDECIDED: &str = " is not decided: ";

/// The errors of a context, in the order of the reports, which are not printed.
pub(crate) struct Messages(Arc<Mutex<Collected>>);

/// The messages since the last call that takes them.
#[derive(Default)]
struct Collected {
    errors: Vec<String>,
    /// The reasons why claims are not decided.
    undecided: Vec<String>,
}

impl Messages {
    /// Collects the errors of a context from now on.
    pub(crate) fn new(context: &Context) -> Self {
        let messages = Arc::new(Mutex::new(Collected::default()));
        let sink = Self(Arc::clone(&messages));
        context.attach_diagnostic_handler(move |diagnostic| {
            let message = || diagnostic.to_string();
            match diagnostic.severity() {
                DiagnosticSeverity::Error => sink.lock().errors.push(message()),
                DiagnosticSeverity::Remark => {
                    let message = message();
                    let reason = message.split_once(UNDECIDED);
                    let reason = reason.map(|(_, reason)| reason.to_owned());
                    sink.lock().undecided.extend(reason);
                }
                _ => {}
            }
            true
        });
        Self(messages)
    }

    /// Returns the errors since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().errors)
    }

    /// Puts back errors that were taken, before those that were reported since.
    pub(crate) fn keep(&self, errors: Vec<String>) {
        self.lock().errors.splice(0..0, errors);
    }

    /// Returns the reasons why claims were not decided since the last call.
    pub(crate) fn take_undecided(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().undecided)
    }

    /// Returns the first error; an empty text without one.
    pub(crate) fn take_first(&self) -> String {
        self.take().into_iter().next().unwrap_or_default()
    }

    // A panic of a program that runs leaves whole messages.
    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
