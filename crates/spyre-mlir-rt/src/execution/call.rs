//! Calls of compiled code that can end early, and their memory.

use std::ffi::c_void;
use std::fs;

use melior::ir::Location;
use mlir_sys::MlirLocation;

use super::CallError;
use super::guard::Site;
use crate::ffi;
use crate::ir::Op;

/// Adds checks to a module of the llvm dialect before operations that could end the process. Returns their sites.
pub(super) fn guard(module: Op<'_>) -> Vec<Site> {
    unsafe extern "C" fn add(location: MlirLocation, user: *mut c_void) {
        // SAFETY: `user` is the list below, which outlives the call, and MLIR hands out a live location.
        let (sites, location) =
            unsafe { (&mut *user.cast::<Vec<Site>>(), Location::from_raw(location)) };
        sites.push(Site::at(location));
    }
    let mut sites = Vec::new();
    // SAFETY: a live module, and a callback for the list that is passed to it.
    unsafe {
        ffi::spyreGuardProgram(module.to_raw(), add, std::ptr::from_mut(&mut sites).cast());
    }
    sites
}

/// One call, with the memory that the code allocates, which is freed with it.
pub(super) struct Call {
    raw: ffi::SpyreCall,
    limit: u64,
}

impl Call {
    /// Returns a call that may take the memory that the machine has left.
    pub(super) fn new() -> Self {
        let limit = memory_left();
        // SAFETY: no conditions.
        let raw = unsafe { ffi::spyreCallCreate(limit) };
        Self { raw, limit }
    }

    /// Runs compiled code. Returns the reason if it ended early.
    ///
    /// # Safety
    /// `function` was compiled from a module to which `guard` added its checks, and takes these arguments.
    pub(super) unsafe fn run(
        &self,
        function: unsafe extern "C" fn(*mut *mut c_void),
        arguments: *mut *mut c_void,
        sites: &[Site],
    ) -> Result<(), CallError> {
        // SAFETY: a live call, and a function of these arguments. It is left early from its own frames only.
        let outcome = unsafe { ffi::spyreCallRun(self.raw, function, arguments) };
        let site = usize::try_from(outcome.site).expect("sites are counted from 0");
        let location = || {
            sites
                .get(site)
                .expect("a site of this program")
                .location
                .clone()
        };
        match outcome.end {
            0 => Ok(()),
            1 => Err(CallError::DivisionByZero {
                location: location(),
            }),
            2 => Err(CallError::DivisionOverflow {
                location: location(),
            }),
            3 => Err(CallError::Memory {
                location: location(),
                bytes: outcome.size,
                limit: self.limit,
            }),
            4 => Err(CallError::Recursion {
                location: location(),
            }),
            other => unreachable!("the ends of a call are those of Shim.h, not {other}"),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // SAFETY: created by `spyreCallCreate` and destroyed once; none of its code is running.
        unsafe { ffi::spyreCallDestroy(self.raw) }
    }
}

/// Returns the bytes that a program may allocate: the memory that the system reports as free, or no limit without a
/// report. The system overcommits memory, and ends the process when that is used.
fn memory_left() -> u64 {
    let available = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kibibytes.checked_mul(1024)
    });
    let number = |name| {
        let text = fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let free = number("memory.max")
        .zip(number("memory.current"))
        .map(|(max, current)| max.saturating_sub(current));
    available.into_iter().chain(free).min().unwrap_or(u64::MAX)
}
