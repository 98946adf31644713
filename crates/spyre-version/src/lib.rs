//! The version that every tool prints.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

/// The version of the workspace, the commit that was built, if it was in a repository, and the version of LLVM:
/// `0.1.0 (1234567890, LLVM 22.1.8)`.
pub const VERSION: &str = env!("SPYRE_VERSION");

#[cfg(test)]
mod tests {
    use super::VERSION;

    #[test]
    fn it_has_the_version_of_the_package_and_of_llvm() {
        let rest = VERSION.strip_prefix(env!("CARGO_PKG_VERSION"));
        let rest = rest.and_then(|rest| rest.strip_prefix(" ("));
        assert!(
            rest.is_some_and(|rest| rest.contains("LLVM 22.1.")),
            "{VERSION}"
        );
    }
}
