//! The native stack: how much of it steps have taken since the loop in `machine` started them. It is nothing where the
//! compiler turns their calls into jumps.

use super::machine::Machine;

/// The most calls between two measurements; also the most returns and resumed choice points.
const LONGEST_CHAIN: u32 = 32;
/// The bytes of stack that steps may take before they return to the loop.
const DEEP: usize = 16 << 10;

impl Machine {
    /// Measures the stack; returns whether steps have taken so much of it that they must return to the loop. Sets how soon
    /// it is measured again: at the next call if steps leave frames behind.
    #[inline(always)]
    pub(super) fn measure_stack(&mut self) -> bool {
        let used = self.stack_base.abs_diff(position());
        self.chain = if used > DEEP / 8 { 1 } else { LONGEST_CHAIN.min(2 * self.chain) };
        used > DEEP
    }

    /// Sets the position from which the stack is measured.
    pub(super) fn mark_stack_base(&mut self) {
        self.stack_base = position();
    }
}

/// The address of a frame on top of the caller's.
#[inline(never)]
fn position() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}
