//! Bytes that events keep until a lazy column needs them: packed chunk by chunk.

use super::packed;
use crate::trace::{Decoder, Encoder, EventId};

/// What the events of a chunk keep: of each its kind, which is 0 if it keeps nothing, and otherwise the bytes.
#[derive(Debug, Default)]
pub(crate) struct KeptBytes {
    encoder: Encoder,
    packed: Vec<u8>,
}

impl KeptBytes {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.encoder.bytes.clear();
    }

    /// Adds what the next event keeps.
    pub(crate) fn push(&mut self, kind: u8, bytes: &[u8]) {
        self.encoder.number(kind.into());
        if kind > 0 {
            self.encoder.number(bytes.len() as u64);
            self.encoder.bytes.extend_from_slice(bytes);
        }
    }

    /// Packs what was added.
    pub(crate) fn pack(&mut self) {
        packed::pack(&self.encoder.bytes, &mut self.packed);
    }

    /// Bytes of memory that it takes when it is kept.
    pub(crate) fn n_bytes(&self) -> usize {
        self.packed.len() + size_of::<KeptBlock>()
    }
}

/// What all events of a trace keep.
#[derive(Debug, Default)]
pub(crate) struct KeptBlocks(Vec<KeptBlock>);

/// What the events of a chunk keep, packed.
#[derive(Debug)]
struct KeptBlock {
    first: EventId,
    n_bytes: usize,
    packed: Box<[u8]>,
}

impl KeptBlocks {
    /// Adds what the events from `first` on keep.
    pub(crate) fn add(&mut self, first: EventId, kept: &KeptBytes) {
        self.0.push(KeptBlock { first, n_bytes: kept.encoder.bytes.len(), packed: kept.packed.as_slice().into() });
    }

    /// Bytes of memory.
    pub(crate) fn n_bytes(&self) -> usize {
        let n_packed: usize = self.0.iter().map(|block| block.packed.len()).sum();
        n_packed + self.0.capacity() * size_of::<KeptBlock>()
    }

    /// Hands each event to `take`, with the kind and the bytes that it keeps.
    pub(crate) fn each(&self, mut take: impl FnMut(EventId, u8, &[u8])) {
        let mut bytes = Vec::new();
        for block in &self.0 {
            packed::unpack(&block.packed, block.n_bytes, &mut bytes);
            let mut decoder = Decoder::new(&bytes);
            for event in block.first.. {
                let Some(kind) = decoder.number() else { break };
                let length = if kind > 0 { decoder.number() } else { None };
                let kept = length.and_then(|length| decoder.bytes(length as usize));
                take(event, kind as u8, kept.unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_has_what_it_keeps() {
        let long = vec![7; 70_000];
        let chunks: [&[(u8, &[u8])]; 3] = [&[(0, b""), (1, b"a"), (2, b"")], &[], &[(9, &long), (0, b""), (1, b"bc")]];
        let (mut all, mut kept, mut expected) = (KeptBlocks::default(), KeptBytes::default(), Vec::new());
        let mut first = 0;
        for chunk in chunks {
            kept.clear();
            chunk.iter().for_each(|(kind, bytes)| kept.push(*kind, bytes));
            kept.pack();
            all.add(first, &kept);
            expected.extend((first..).zip(chunk).map(|(event, (kind, bytes))| (event, *kind, bytes.to_vec())));
            first += chunk.len() as EventId;
        }
        let mut found = Vec::new();
        all.each(|event, kind, bytes| found.push((event, kind, bytes.to_vec())));
        assert_eq!(found, expected);
        assert!(all.n_bytes() < long.len() / 10);
    }
}
