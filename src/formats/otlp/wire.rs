//! The wire format of protobuf: fields with numbers, without their meaning.

use thiserror::Error;

/// Why a message cannot be read.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum WireError {
    /// It ends inside of a field.
    #[error("a field that does not end")]
    Cut,
    /// A number of more than 64 bits.
    #[error("a number of more than 64 bits")]
    Long,
    /// A wire type that protobuf does not have.
    #[error("a field of the unknown wire type {0}")]
    WireType(u8),
    /// Lists in lists.
    #[error("a value that is nested deeper than 128 levels")]
    Deep,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireValue<'m> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'m [u8]),
}

/// The fields of a message, in their order; after an error there are no more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireFields<'m> {
    rest: &'m [u8],
}

impl<'m> WireFields<'m> {
    /// The fields of a message.
    pub(crate) fn new(message: &'m [u8]) -> WireFields<'m> {
        WireFields { rest: message }
    }

    #[inline]
    fn field(&mut self) -> Result<(u64, WireValue<'m>), WireError> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => WireValue::Varint(self.varint()?),
            1 => WireValue::Fixed64(u64::from_le_bytes(self.fixed()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| WireError::Cut)?;
                let (bytes, rest) = self.rest.split_at_checked(length).ok_or(WireError::Cut)?;
                self.rest = rest;
                WireValue::Bytes(bytes)
            }
            5 => WireValue::Fixed32(u32::from_le_bytes(self.fixed()?)),
            other => return Err(WireError::WireType(other as u8)),
        };
        Ok((key >> 3, value))
    }

    #[inline]
    fn varint(&mut self) -> Result<u64, WireError> {
        if let Some((first, rest)) = self.rest.split_first()
            && *first < 128
        {
            self.rest = rest;
            return Ok(u64::from(*first));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u64, WireError> {
        let mut number = 0;
        for (place, byte) in self.rest.iter().take(10).enumerate() {
            number |= u64::from(byte & 127) << (7 * place);
            if *byte < 128 {
                self.rest = &self.rest[place + 1..];
                return Ok(number);
            }
        }
        Err(if self.rest.len() < 10 { WireError::Cut } else { WireError::Long })
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(WireError::Cut)?;
        self.rest = rest;
        Ok(*bytes)
    }
}

impl<'m> Iterator for WireFields<'m> {
    type Item = Result<(u64, WireValue<'m>), WireError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(message: &[u8]) -> Vec<Result<(u64, WireValue<'_>), WireError>> {
        WireFields::new(message).collect()
    }

    #[test]
    fn fields_of_each_wire_type_are_read() {
        let message = [8, 0xAC, 2, 17, 1, 0, 0, 0, 0, 0, 0, 0, 26, 2, b'h', b'i', 0x25, 7, 0, 0, 0];
        let expected = [
            (1, WireValue::Varint(300)),
            (2, WireValue::Fixed64(1)),
            (3, WireValue::Bytes(b"hi")),
            (4, WireValue::Fixed32(7)),
        ];
        assert_eq!(fields(&message), expected.map(Ok));
        let n_whole = (0..message.len()).filter(|end| fields(&message[..*end]).iter().all(Result::is_ok)).count();
        assert_eq!(n_whole, 4, "every other cut is inside of a field");
    }

    #[test]
    fn a_number_has_64_bits_at_most_and_a_length_ends_with_the_message() {
        assert_eq!(
            fields(&[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
            [Ok((1, WireValue::Varint(u64::MAX)))]
        );
        assert_eq!(fields(&[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), [Err(WireError::Long)]);
        assert_eq!(fields(&[10, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), [Err(WireError::Cut)]);
        assert_eq!(fields(&[11]), [Err(WireError::WireType(3))]);
    }
}
