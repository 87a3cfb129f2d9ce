//! The native stack: how much of it steps have taken since the loop in `machine` has started them. Where the compiler makes
//! their calls jumps, it is nothing.

use super::machine::Machine;

/// The most calls, and the most returns and resumed choice points, between two measurements.
const LONGEST_CHAIN: u32 = 32;
/// The bytes of stack that steps may take before they return to the loop.
const DEEP: usize = 16 << 10;

impl Machine {
    /// Whether steps have taken so much of the stack that they must return to the loop. If they take any, the stack is
    /// measured at each call and return from now on.
    #[inline(always)]
    pub(super) fn is_stack_deep(&mut self) -> bool {
        let used = self.stack_base.abs_diff(position());
        self.chain = if used > DEEP / 8 { 1 } else { LONGEST_CHAIN.min(2 * self.chain) };
        used > DEEP
    }

    /// Measures from here: the loop is about to start a chain of steps.
    pub(super) fn begin_chain(&mut self) {
        self.stack_base = position();
    }
}

/// The address of a frame on top of the caller's.
#[inline(never)]
fn position() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}
