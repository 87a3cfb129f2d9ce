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
pub(crate) struct KeptBlocks {
    blocks: Vec<KeptBlock>,
    /// Events among those of blocks that keep nothing, in rising order.
    without: Vec<EventId>,
}

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
        self.blocks.push(KeptBlock { first, n_bytes: kept.encoder.bytes.len(), packed: kept.packed.as_slice().into() });
    }

    /// Declares that an event has no place among those that were added to the chunk.
    pub(crate) fn leave_without(&mut self, event: EventId) {
        self.without.push(event);
    }

    /// Bytes of memory.
    pub(crate) fn n_bytes(&self) -> usize {
        let n_packed: usize = self.blocks.iter().map(|block| block.packed.len()).sum();
        n_packed + self.blocks.capacity() * size_of::<KeptBlock>() + self.without.capacity() * size_of::<EventId>()
    }

    /// Hands each event to `take`, with the kind and the bytes that it keeps.
    pub(crate) fn each(&self, mut take: impl FnMut(EventId, u8, &[u8])) {
        let (mut bytes, mut without) = (Vec::new(), self.without.iter().peekable());
        for block in &self.blocks {
            packed::unpack(&block.packed, block.n_bytes, &mut bytes);
            let mut decoder = Decoder::new(&bytes);
            let mut event = block.first;
            while let Some(kind) = decoder.number() {
                while without.next_if_eq(&&event).is_some() {
                    event += 1;
                }
                let length = if kind > 0 { decoder.number() } else { None };
                let kept = length.and_then(|length| decoder.bytes(length as usize));
                take(event, kind as u8, kept.unwrap_or_default());
                event += 1;
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

    #[test]
    fn events_between_those_of_a_chunk_keep_nothing() {
        let (mut all, mut kept) = (KeptBlocks::default(), KeptBytes::default());
        kept.push(1, b"a");
        kept.push(2, b"b");
        kept.pack();
        [1, 3].into_iter().for_each(|event| all.leave_without(event));
        all.add(0, &kept);
        all.add(3, &kept);
        let mut found = Vec::new();
        all.each(|event, kind, _| found.push((event, kind)));
        assert_eq!(found, [(0, 1), (2, 2), (4, 1), (5, 2)]);
    }
}
