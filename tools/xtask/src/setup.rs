//! `cargo xtask setup`: the system packages that the build needs.

use std::path::Path;
use std::process::{Command, Stdio};

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{LlvmVersion, Project, default_prefix, prefix_variable};

/// The files of an installed LLVM that the build and the tests use, relative to its prefix.
const PARTS: [&str; 9] = [
    "bin/clang++",
    "bin/llvm-config",
    "bin/mlir-tblgen",
    "bin/mlir-opt",
    "bin/FileCheck",
    "include/mlir/IR/MLIRContext.h",
    "lib/libMLIR.so",
    "lib/libPolly.a",
    "lib/libPollyISL.a",
];

/// Returns the Debian packages of `version` and of the libraries that it links to.
fn packages(version: LlvmVersion) -> Vec<String> {
    let n = version.major;
    let mut packages: Vec<String> = [
        "libmlir-N-dev",
        "mlir-N-tools",
        "llvm-N-dev",
        "llvm-N-tools",
        // GCC cannot be used: it names the type ids of MLIR's traits differently from the compiler of libMLIR.so.
        "clang-N",
        "libclang-N-dev",
        "libpolly-N-dev",
    ]
    .iter()
    .map(|name| name.replace('N', &n.to_string()))
    .collect();
    // `tblgen`, a build dependency of melior, compiles with the system's `c++`.
    packages.extend(
        [
            "libzstd-dev",
            "zlib1g-dev",
            "libxml2-dev",
            "libz3-dev",
            "g++",
        ]
        .map(String::from),
    );
    packages
}

/// Installs the packages that are missing, if there are any.
///
/// # Errors
/// When packages cannot be installed, with the manual steps, or when the installed LLVM is another version.
pub(crate) fn setup(project: &Project) -> Result<(), Error> {
    let (version, prefix) = (project.version, &project.prefix);
    if *prefix != default_prefix(version) || !has_apt() {
        // A custom LLVM, or no packages to install.
        let missing = missing_parts(prefix);
        if !missing.is_empty() {
            return Err(Error::Verdict(advice(version, prefix, &missing)));
        }
    } else {
        install(version)?;
    }
    let llvm_version = check_version(project)?;
    println!("setup: LLVM {llvm_version} at {}", prefix.display());
    Ok(())
}

fn install(version: LlvmVersion) -> Result<(), Error> {
    let packages = packages(version);
    let missing = missing_packages(&packages, &installed(&packages)?);
    if missing.is_empty() {
        println!("setup: all packages present");
        return Ok(());
    }
    println!("setup: installing {}", missing.join(" "));
    process::run(apt_get()?.args(["update", "-qq"]))?;
    let unknown: Vec<&str> = missing
        .iter()
        .copied()
        .filter(|name| !apt_knows(name))
        .collect();
    if !unknown.is_empty() {
        return Err(Error::Verdict(format!(
            "apt has no {}.\nThis release of the distribution does not carry LLVM {version}: add its backports, or the \
             packages of https://apt.llvm.org (`llvm.sh {}`), and run `cargo xtask setup` again.",
            unknown.join(", "),
            version.major
        )));
    }
    process::run(
        apt_get()?
            .args(["install", "-y", "-qq", "--no-install-recommends"])
            .args(&missing),
    )
}

/// Installs a package that only some checks need.
///
/// # Errors
/// When there is no `apt-get`, or it fails to install the package.
pub(crate) fn install_package(name: &str) -> Result<(), Error> {
    if !has_apt() {
        return Err(Error::Verdict("there is no apt-get".into()));
    }
    process::run(apt_get()?.args(["install", "-y", "-qq", "--no-install-recommends", name]))
}

/// Installs the package of a program that is not on the path.
///
/// # Errors
/// When the package cannot be installed.
pub(crate) fn program(name: &str, package: &str) -> Result<(), Error> {
    let quiet = Command::new(name)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match quiet {
        Ok(_) => Ok(()),
        Err(_) => install_package(package),
    }
}

fn has_apt() -> bool {
    let quiet = Command::new("apt-get")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|s| s.success())
}

/// Returns the output of `dpkg-query`, one `name status` a line. It fails at an unknown name, and still lists the
/// others.
fn installed(packages: &[String]) -> Result<String, Error> {
    let output = Command::new("dpkg-query")
        .args(["--show", "--showformat=${Package} ${db:Status-Status}\n"])
        .args(packages)
        .output()
        .map_err(|source| Error::Start {
            program: "dpkg-query".into(),
            source,
        })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn missing_packages<'a>(wanted: &'a [String], dpkg: &str) -> Vec<&'a str> {
    let is_installed = |name: &str| {
        dpkg.lines()
            .any(|l| l.split_once(' ') == Some((name, "installed")))
    };
    wanted
        .iter()
        .map(String::as_str)
        .filter(|name| !is_installed(name))
        .collect()
}

fn apt_knows(package: &str) -> bool {
    let shown = Command::new("apt-cache")
        .args(["show", "--no-all-versions", package])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    shown.is_ok_and(|s| s.success())
}

/// Returns the command for `apt-get`, as root and without questions.
fn apt_get() -> Result<Command, Error> {
    let root = process::output(Command::new("id").arg("-u"))?.trim() == "0";
    let mut command = Command::new(if root { "env" } else { "sudo" });
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    Ok(command)
}

fn missing_parts(prefix: &Path) -> Vec<&'static str> {
    PARTS
        .into_iter()
        .filter(|part| !prefix.join(part).exists())
        .collect()
}

fn advice(version: LlvmVersion, prefix: &Path, missing: &[&str]) -> String {
    let variables = format!(
        "{}, TABLEGEN_{}0_PREFIX",
        prefix_variable(version),
        version.major
    );
    format!(
        "{} has no {}.\nInstall LLVM {version} with MLIR, Polly and FileCheck as shared libraries (libMLIR.so), libclang, \
         zstd, zlib, libxml2, z3 and its own clang++, then set {variables} to its prefix and LIBCLANG_PATH to its lib \
         directory.",
        prefix.display(),
        missing.join(", ")
    )
}

/// Returns the full version of the LLVM at the prefix. Fails unless it is the supported one and complete.
fn check_version(project: &Project) -> Result<String, Error> {
    let missing = missing_parts(&project.prefix);
    if !missing.is_empty() {
        return Err(Error::Verdict(advice(
            project.version,
            &project.prefix,
            &missing,
        )));
    }
    let version = process::output(project.llvm_tool("llvm-config").arg("--version"))?
        .trim()
        .to_owned();
    if LlvmVersion::parse(&version) == Some(project.version) {
        Ok(version)
    } else {
        let prefix = project.prefix.display();
        Err(Error::Verdict(format!(
            "{prefix} is LLVM {version}, and LLVM_VERSION asks for {}",
            project.version
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V: LlvmVersion = LlvmVersion {
        major: 22,
        minor: 1,
    };

    #[test]
    fn package_names_carry_the_version() {
        let packages = packages(V);
        for name in [
            "libmlir-22-dev",
            "mlir-22-tools",
            "llvm-22-tools",
            "libpolly-22-dev",
            "clang-22",
            "libz3-dev",
        ] {
            assert!(packages.iter().any(|p| p == name), "{name}");
        }
        assert!(packages.iter().all(|p| !p.contains('N')));
        let mut unique = packages.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), packages.len());
    }

    #[test]
    fn only_installed_packages_count() {
        let wanted = ["clang-22", "libz3-dev", "llvm-22-dev", "zlib1g-dev"].map(String::from);
        let dpkg = "clang-22 installed\nllvm-22-dev not-installed\nzlib1g-dev config-files\n";
        assert_eq!(
            missing_packages(&wanted, dpkg),
            ["libz3-dev", "llvm-22-dev", "zlib1g-dev"]
        );
        assert_eq!(missing_packages(&wanted, ""), wanted);
        // Installed for two architectures: listed twice.
        assert!(
            missing_packages(&wanted[..1], "clang-22 installed\nclang-22 installed\n").is_empty()
        );
    }

    #[test]
    fn an_empty_prefix_lacks_everything() {
        assert_eq!(missing_parts(Path::new("/nonexistent")), PARTS);
        let text = advice(V, Path::new("/opt/llvm"), &["lib/libMLIR.so"]);
        for word in [
            "/opt/llvm has no lib/libMLIR.so",
            "MLIR_SYS_220_PREFIX",
            "TABLEGEN_220_PREFIX",
            "LIBCLANG_PATH",
        ] {
            assert!(text.contains(word), "{text}");
        }
    }
}
