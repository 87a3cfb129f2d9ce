//! Small numbers in few bytes: seven bits each, the lowest first, the highest bit of a byte says that another one follows.

/// Adds a number.
#[inline]
pub(super) fn push(bytes: &mut Vec<u8>, number: u32) {
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Takes the number at `at`.
#[inline]
pub(super) fn take(bytes: &[u8], at: &mut usize) -> u32 {
    let first = bytes[*at];
    *at += 1;
    if first < 0x80 { u32::from(first) } else { take_long(bytes, at, first) }
}

#[inline]
fn take_long(bytes: &[u8], at: &mut usize, first: u8) -> u32 {
    let (mut number, mut shift) = (u32::from(first & 0x7F), 7);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

/// Where the bytes of `n` numbers end that begin at `at`.
#[inline]
pub(super) fn end_of(bytes: &[u8], at: usize, n: usize) -> usize {
    let (mut end, mut left) = (at, n);
    while left > 0 {
        left -= usize::from(bytes[end] < 0x80);
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_are_taken_as_they_were_added() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, 1 << 28, u32::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| push(&mut bytes, *number));
        let mut at = 0;
        assert_eq!(numbers.map(|_| take(&bytes, &mut at)), numbers);
        assert_eq!((at, end_of(&bytes, 0, numbers.len()), end_of(&bytes, 1, 0)), (bytes.len(), bytes.len(), 1));
    }
}
