//! Agreement of the passes that set layouts and of the whole pipeline about the graphs that they
//! accept.

use std::fmt;

use melior::Context;
use melior::ir::Module;
use spyre_generate::{Program, shrink};
use spyre_mlir_rt::source::run_pipeline;

use crate::kind::normalized;
use crate::messages::Messages;

/// The passes that set layouts.
const LAYOUTS: &str = "builtin.module(func.func(spyre-merge-batches,spyre-simplify-views,spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify))";

/// The whole pipeline.
const PIPELINE: &str = "builtin.module(spyre-pipeline)";

/// Largest number of graphs that are tried to make one smaller.
const MOST_TRIES: usize = 300;

/// The result of comparing the passes that set layouts with the whole pipeline on one graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// Both accept the graph.
    Accepted,
    /// Both refuse the graph. The text is the message of the passes that set layouts, without its
    /// numbers.
    Refused(String),
    /// One accepts the graph and the other refuses it.
    Differs {
        /// Whether the passes that set layouts accept it; otherwise the whole pipeline does.
        layouts: bool,
        /// The message of the one that refuses, without its numbers.
        message: String,
    },
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("accepted by both"),
            Self::Refused(message) => write!(f, "refused by both: {message}"),
            Self::Differs {
                layouts: true,
                message,
            } => {
                write!(f, "layouts are chosen, but there is no bundle: {message}")
            }
            Self::Differs {
                layouts: false,
                message,
            } => {
                write!(f, "no layouts are chosen, but there is a bundle: {message}")
            }
        }
    }
}

/// A context in which graphs are judged.
pub struct Judge {
    context: Context,
    messages: Messages,
}

impl Default for Judge {
    fn default() -> Self {
        Self::new()
    }
}

impl Judge {
    /// Returns a judge.
    #[must_use]
    pub fn new() -> Self {
        let context = spyre_exec::context();
        let messages = Messages::new(&context);
        Self { context, messages }
    }

    /// Compares the passes that set layouts with the whole pipeline on one graph.
    ///
    /// # Panics
    /// The verifiers refuse the graph: the generator draws only legal ones.
    #[must_use]
    pub fn judge(&self, graph: &Program) -> Agreement {
        let text = graph.to_mlir(false);
        match (self.refusal(&text, LAYOUTS), self.refusal(&text, PIPELINE)) {
            (None, None) => Agreement::Accepted,
            (Some(message), Some(_)) => Agreement::Refused(message),
            (None, Some(message)) => Agreement::Differs {
                layouts: true,
                message,
            },
            (Some(message), None) => Agreement::Differs {
                layouts: false,
                message,
            },
        }
    }

    /// Reduces a graph as long as the passes that set layouts and the pipeline agree, or disagree,
    /// in the same way.
    #[must_use]
    pub fn minimize(&self, graph: &Program, agreement: &Agreement) -> Program {
        let mut minimal = graph.clone();
        let mut tries = 0;
        loop {
            let mut candidates = shrink::smaller(&minimal);
            candidates.sort_by_key(|graph| graph.nodes.len());
            let next = candidates.into_iter().find(|graph| {
                tries += 1;
                tries <= MOST_TRIES && self.judge(graph) == *agreement
            });
            match next {
                Some(next) => minimal = next,
                None => return minimal,
            }
        }
    }

    /// Returns the message with which a pipeline refuses a program, without its numbers; `None` if the pipeline accepts it.
    fn refusal(&self, text: &str, pipeline: &str) -> Option<String> {
        self.messages.take();
        let module = Module::parse(&self.context, text);
        let module = module.unwrap_or_else(|| panic!("{:?}\n{text}", self.messages.take()));
        if run_pipeline(&self.context, module.as_operation(), pipeline).is_ok() {
            return None;
        }
        let first = self.messages.take().into_iter().next();
        Some(normalized(
            &first.unwrap_or_else(|| "there was no message".to_owned()),
        ))
    }
}
