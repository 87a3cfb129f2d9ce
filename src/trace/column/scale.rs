//! Scales: equidistant integers, each of which has a code.

use super::intervals::Intervals;

/// Integers at equal distances, from the first one on, with the codes 1, 2, 3, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    first: i64,
    /// Above 0 and below 2^32.
    step: u64,
    /// Division by the step, if there is no remainder: a shift, and a factor modulo 2^64.
    shift: u32,
    inverse: u64,
}

/// The greatest code that a scale is made for.
const GREATEST: u64 = u32::MAX as u64;

impl Scale {
    /// 0, 1, 2, ...
    pub(crate) const NATURAL: Scale = Scale { first: 0, step: 1, shift: 0, inverse: 1 };

    /// The scale from `first` in steps, if these are above 0 and below 2^32.
    pub(crate) fn new(first: i64, step: u64) -> Option<Scale> {
        if step == 0 || step > GREATEST {
            return None;
        }
        let shift = step.trailing_zeros();
        let odd = step >> shift;
        // each round of Newton's method doubles the number of bits that are right, of which there are 3 at first
        let inverse =
            (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse))));
        Some(Scale { first, step, shift, inverse })
    }

    /// A scale for values; none if they are too many steps apart.
    pub(crate) fn of(values: impl Iterator<Item = i64>) -> Option<Scale> {
        let (mut low, mut high, mut step) = (i64::MAX, i64::MIN, 0);
        let mut one = None;
        for value in values {
            step = gcd(step, value.abs_diff(*one.get_or_insert(value)));
            (low, high) = (low.min(value), high.max(value));
        }
        let step = if (1..=GREATEST).contains(&step) { step } else { 1 };
        let n_steps = high.abs_diff(low) / step;
        let room = GREATEST.checked_sub(n_steps + 1)?;
        // values may fall further: there is room for a quarter as many below, or for half of what is possible
        let below = (n_steps / 4).max(1).min(room / 2).min(low.abs_diff(i64::MIN) / step);
        Scale::new(low.wrapping_sub_unsigned(below * step), step)
    }

    /// The first value.
    pub(crate) fn first(&self) -> i64 {
        self.first
    }

    /// The distance between values.
    pub(crate) fn step(&self) -> u64 {
        self.step
    }

    /// The code of a value; `u64::MAX` if it is not on the scale.
    #[inline]
    pub(crate) fn wide_code(&self, value: i64) -> u64 {
        let distance = value.wrapping_sub(self.first) as u64;
        let n_steps = (distance >> self.shift).wrapping_mul(self.inverse);
        let is_on_scale = (value >= self.first) & (n_steps < GREATEST) & (n_steps.wrapping_mul(self.step) == distance);
        if is_on_scale { n_steps + 1 } else { u64::MAX }
    }

    /// The code of a value; none if it is not on the scale.
    #[inline]
    pub(crate) fn code(&self, value: i64) -> Option<u32> {
        u32::try_from(self.wide_code(value)).ok()
    }

    /// The value of a code; none for 0.
    #[inline]
    pub(crate) fn value(&self, code: u32) -> Option<i64> {
        let n_steps = code.checked_sub(1)?;
        Some(self.first.wrapping_add(u64::from(n_steps).wrapping_mul(self.step) as i64))
    }

    /// The codes of values, up to the greatest code.
    pub(crate) fn codes(&self, values: &Intervals, greatest: u32) -> Intervals {
        let (first, step) = (i128::from(self.first), i128::from(self.step));
        let codes = values.as_slice().iter().map(|(low, high)| {
            let low = (i128::from(*low) - first + step - 1).div_euclid(step) + 1;
            let high = (i128::from(*high) - first).div_euclid(step) + 1;
            // none is above the greatest code, and values may be far from the scale
            let [low, high] = [low, high].map(|code| code.clamp(0, i128::from(greatest) + 1) as i64);
            Intervals::range(low.max(1), high.min(i64::from(greatest)))
        });
        Intervals::union(&codes.collect::<Vec<_>>())
    }
}

fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_of_a_scale_has_a_code_and_others_have_none() {
        let firsts = [0, -1, 1_795_364_651_664_734_000, i64::MIN + 1, i64::MIN, -77];
        for (first, step) in
            firsts.iter().flat_map(|first| [1, 2, 3, 7, 1000, 4096, 6_000_000, GREATEST].map(|step| (*first, step)))
        {
            let scale = Scale::new(first, step).expect("the step is allowed");
            for code in [1, 2, 3, 100, 4097, u32::MAX] {
                let Some(value) = first.checked_add_unsigned(u64::from(code - 1) * step) else { continue };
                assert_eq!((scale.value(code), scale.code(value)), (Some(value), Some(code)), "{scale:?}");
                if step > 1 {
                    assert_eq!(scale.code(value.saturating_add(1)).filter(|_| value < i64::MAX), None, "{scale:?}");
                }
            }
            assert_eq!((scale.value(0), first.checked_sub(1).and_then(|before| scale.code(before))), (None, None));
        }
        assert_eq!((Scale::new(0, 0), Scale::new(0, GREATEST + 1)), (None, None));
    }

    #[test]
    fn intervals_of_values_are_intervals_of_codes() {
        let ends = [(i64::MIN, i64::MAX), (i64::MAX, i64::MAX), (i64::MIN, i64::MIN), (3, i64::MAX), (i64::MIN, 3)];
        let sets = [(-100, 100), (-10, -10), (-9, -6), (-9, -5), (0, 12), (31, 40), (1, 1), (5, 7)];
        let scales = [(-10, 5), (0, 1), (i64::MAX - 8, 1), (i64::MIN, 1 << 31)];
        for ((low, high), (first, step)) in
            [&ends[..], &sets].concat().into_iter().flat_map(|set| scales.map(|scale| (set, scale)))
        {
            let scale = Scale::new(first, step).expect("the step is allowed");
            let codes = scale.codes(&Intervals::range(low, high), 8);
            for code in 0..=9 {
                let is_in = scale.value(code).is_some_and(|value| (low..=high).contains(&value)) && code <= 8;
                assert_eq!(codes.contains(i64::from(code)), is_in, "{code} of {low}..{high}");
            }
        }
    }
}
