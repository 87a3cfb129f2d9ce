//! Bytes that are packed until a lazy column needs them.

/// Replaces `packed` by the bytes, packed.
pub(crate) fn pack(bytes: &[u8], packed: &mut Vec<u8>) {
    packed.clear();
    if bytes.is_empty() {
        return;
    }
    packed.resize(lz4_flex::block::get_maximum_output_size(bytes.len()), 0);
    let length = lz4_flex::block::compress_into(bytes, packed);
    packed.truncate(length.expect("the buffer has room for what does not become smaller"));
}

/// Replaces `bytes` by the `n_bytes` bytes that were packed.
pub(crate) fn unpack(packed: &[u8], n_bytes: usize, bytes: &mut Vec<u8>) {
    bytes.resize(n_bytes, 0);
    if n_bytes > 0 {
        let length = lz4_flex::block::decompress_into(packed, bytes);
        bytes.truncate(length.expect("what was packed can be unpacked"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_were() {
        let (mut packed, mut back) = (vec![7], vec![8; 9]);
        for bytes in [b"".as_slice(), b"a", &b"abcd".repeat(500), &[0; 70_000]] {
            pack(bytes, &mut packed);
            assert!(packed.len() <= bytes.len() / 4 + 16);
            unpack(&packed, bytes.len(), &mut back);
            assert_eq!(back, bytes);
        }
    }
}
