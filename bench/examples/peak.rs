//! Reads a map and prints the most bytes that were allocated for that at one time, and the most that the process had in
//! memory: `peak FILE`.

#![allow(unsafe_code, reason = "counting what is allocated needs an allocator")]
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use accord_model::mapping::SectionName;
use accord_plan::rules::Rules;
use accord_wire::authenticator;

/// The system's allocator, counting.
struct Counting {
    now: AtomicUsize,
    peak: AtomicUsize,
}

#[global_allocator]
static ALLOCATED: Counting = Counting {
    now: AtomicUsize::new(0),
    peak: AtomicUsize::new(0),
};

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = self.now.fetch_add(layout.size(), Relaxed) + layout.size();
        self.peak.fetch_max(now, Relaxed);
        // SAFETY: as required of our caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.now.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as required of our caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: peak FILE")?;
    let text = fs::read_to_string(path)?;

    let before = ALLOCATED.now.load(Relaxed);
    ALLOCATED.peak.store(before, Relaxed);
    let map = authenticator::read_map(&[(SectionName::Roles, None, &text)]);
    black_box(Rules::of(&map));
    let heap = ALLOCATED.peak.load(Relaxed) - before;

    println!("{heap} {}", resident()?);
    Ok(())
}

/// The process's peak resident memory in bytes, from `VmHWM` of Linux.
fn resident() -> Result<usize, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next())
        .ok_or("no VmHWM")?;
    Ok(kilobytes.parse::<usize>()? * 1024)
}
