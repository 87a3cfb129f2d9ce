//! How much memory is free, for the default limit.

use std::fs;
use std::sync::LazyLock;

/// Bytes that can be used without swapping, as far as the system reports: the least of what the machine, the control
/// group and the limit of this process leave.
pub(crate) fn free() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
    let group = group_free("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current");
    machine.into_iter().chain(group).chain(*PROCESS).min()
}

/// The limit of this process, which does not change.
static PROCESS: LazyLock<Option<u64>> =
    LazyLock::new(|| fs::read_to_string("/proc/self/limits").ok().and_then(|text| address_space(&text)));

/// `MemAvailable:   21823204 kB`
fn available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// `Max address space         8192000000           unlimited            bytes`
fn address_space(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn group_free(limit: &str, used: &str) -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    Some(number(limit)?.saturating_sub(number(used)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_in_kilobytes() {
        assert_eq!(available("MemTotal: 100 kB\nMemAvailable:   20 kB\n"), Some(20 * 1024));
        assert_eq!(available("MemTotal: 100 kB\n"), None);
    }

    #[test]
    fn an_unlimited_address_space_is_no_limit() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax address space         4096   unlimited   bytes\n";
        assert_eq!(address_space(limits), Some(4096));
        assert_eq!(address_space(&limits.replace("4096", "unlimited")), None);
    }
}
