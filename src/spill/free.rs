//! How much memory is free.

use std::fs;
use std::path::Path;

/// Bytes that can be used without swapping, as far as the system reports: the least of what the machine, the control
/// groups and the limits of this process leave.
pub(crate) fn free() -> Option<u64> {
    let machine = available(&text("/proc/meminfo"));
    let data = process_free("Max data size", "VmData:");
    let groups = groups(&text("/proc/self/cgroup")).into_iter().filter_map(|group| group.free());
    machine.into_iter().chain(data).chain(addresses()).chain(groups).min()
}

/// Bytes that have addresses, in memory or in a mapped file; none if the process has no limit for them.
pub(super) fn addresses() -> Option<u64> {
    process_free("Max address space", "VmSize:")
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// `MemAvailable:   21823204 kB`
fn available(text: &str) -> Option<u64> {
    kilobytes(text, "MemAvailable:")
}

fn kilobytes(text: &str, before: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(before))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What a limit of the process leaves.
fn process_free(limit: &str, used: &str) -> Option<u64> {
    let most = process_limit(&text("/proc/self/limits"), limit)?;
    Some(most.saturating_sub(kilobytes(&text("/proc/self/status"), used).unwrap_or(0)))
}

/// `Max data size         8192000000           unlimited            bytes`
fn process_limit(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The folder of a control group, and its files with the limit, the use, and the part of it that is cache.
#[derive(Debug, PartialEq, Eq)]
struct ControlGroup {
    folder: String,
    version: GroupVersion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupVersion {
    One,
    Two,
}

/// The control groups of the process, with all that contain them.
///
/// `0::/user.slice/a.scope` of version 2, `4:memory:/a/b` of version 1.
fn groups(text: &str) -> Vec<ControlGroup> {
    let mut groups = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (top, version) = match controllers {
            "" => ("/sys/fs/cgroup", GroupVersion::Two),
            _ if controllers.split(',').any(|name| name == "memory") => ("/sys/fs/cgroup/memory", GroupVersion::One),
            _ => continue,
        };
        let folders = Path::new(path).ancestors().filter_map(Path::to_str);
        groups.extend(folders.map(|path| ControlGroup { folder: format!("{top}{path}"), version }));
    }
    groups
}

impl ControlGroup {
    /// What its limit leaves; the system gives up its cache of files before the limit is reached.
    fn free(&self) -> Option<u64> {
        let (limit, used, cache) = match self.version {
            GroupVersion::One => ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "),
            GroupVersion::Two => ("memory.max", "memory.current", "inactive_file "),
        };
        let text = |name: &str| fs::read_to_string(format!("{}/{name}", self.folder)).ok();
        let number = |name: &str| text(name)?.trim().parse::<u64>().ok();
        let statistics = text("memory.stat").unwrap_or_default();
        let cache = statistics.lines().find_map(|line| line.strip_prefix(cache)?.parse().ok()).unwrap_or(0);
        Some(number(limit)?.saturating_sub(number(used)?.saturating_sub(cache)))
    }
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
    fn an_unlimited_process_has_no_limit() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax address space         4096   unlimited   bytes\n\
             Max data size             unlimited   unlimited   bytes\n";
        assert_eq!(process_limit(limits, "Max address space"), Some(4096));
        assert_eq!(process_limit(limits, "Max data size"), None);
    }

    #[test]
    fn a_control_group_counts_with_those_that_contain_it() {
        let group = |folder: &str, version| ControlGroup { folder: folder.to_string(), version };
        let found = groups("9:name=systemd:/\n4:cpu,memory:/a/b\n3:cpuset:/\n0::/c\n");
        let expected = [
            group("/sys/fs/cgroup/memory/a/b", GroupVersion::One),
            group("/sys/fs/cgroup/memory/a", GroupVersion::One),
            group("/sys/fs/cgroup/memory/", GroupVersion::One),
            group("/sys/fs/cgroup/c", GroupVersion::Two),
            group("/sys/fs/cgroup/", GroupVersion::Two),
        ];
        assert_eq!(found, expected);
    }
}
