//! Tiles of the server: those that take long, which are the coarse ones of a large trace, are kept, and the first of them
//! are made before anybody asks.

use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::term::hash::HashMap;
use crate::trace::threads::lock;
use crate::view::{Axis, PageTrace, TilePart, TileSize, tile_json};

/// The most bytes of a tile.
const MOST_TILE: usize = 1 << 26;
/// The most bytes of all tiles that are kept.
const MOST_KEPT: usize = 1 << 26;
/// A tile that takes less time is made again.
const SHORT: Duration = Duration::from_millis(5);

/// The columns and the rows of the tiles that the page asks for, see `page/store.js`.
const COLUMNS: u32 = 2048;
const CHUNK: u32 = 64;
/// The scales of which tiles are made in advance: at each there are twice as many as at the one before.
const N_LEVELS: u32 = 3;

/// What a tile shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TileKey {
    pub(super) trace: usize,
    pub(super) part: TilePart,
    pub(super) rows: Range<u32>,
}

/// Tiles that are kept until the server ends; when there is no more room, others are not.
#[derive(Default)]
pub(super) struct KeptTiles(Mutex<TileTable>);

#[derive(Default)]
struct TileTable {
    tiles: HashMap<TileKey, String>,
    n_bytes: usize,
}

impl KeptTiles {
    /// A tile of a trace; none if it is too large.
    pub(super) fn tile(&self, of: &PageTrace, key: TileKey) -> Option<String> {
        if let Some(tile) = lock(&self.0).tiles.get(&key) {
            return Some(tile.clone());
        }
        let start = Instant::now();
        let tile = tile_json(&of.timeline, of.index, &key.part, key.rows.clone(), TileSize(MOST_TILE))?;
        if start.elapsed() >= SHORT {
            let mut table = lock(&self.0);
            if table.n_bytes + tile.len() <= MOST_KEPT && table.tiles.insert(key, tile.clone()).is_none() {
                table.n_bytes += tile.len();
            }
        }
        Some(tile)
    }

    /// Makes the coarsest tiles of a trace, those of the whole trace first.
    pub(super) fn make_coarse(&self, of: &PageTrace) {
        for key in coarse(of) {
            let start = Instant::now();
            // where they take no time, nobody waits for the others either
            if self.tile(of, key).is_none() || start.elapsed() < SHORT {
                return;
            }
        }
    }
}

/// The coarsest tiles, as the page asks for them.
fn coarse(of: &PageTrace) -> impl Iterator<Item = TileKey> + use<'_> {
    let rows = 0..CHUNK.min(of.timeline.rows.len() as u32);
    let levels = (0..N_LEVELS).flat_map(move |level| of.timeline.axes().map(move |axis| (level, axis)));
    levels.flat_map(move |(level, axis)| {
        let rows = rows.clone();
        (0..1_u32 << level).map(move |index| TileKey {
            trace: of.index,
            part: part(of, axis, level, index),
            rows: rows.clone(),
        })
    })
}

fn part(of: &PageTrace, axis: Axis, level: u32, index: u32) -> TilePart {
    let length = of.timeline.length(axis);
    let size = length as f64 / f64::from(1_u32 << level);
    let edge = |index: u32| f64::from(index) * size;
    TilePart {
        axis,
        from: edge(index).floor() as u64,
        to: (edge(index + 1).ceil() as u64).min(length),
        n_columns: COLUMNS,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::formats::{LoadOptions, load};

    #[test]
    fn a_kept_tile_is_what_was_made() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/queens/queens.trace");
        let trace = load(&path, &LoadOptions::default()).expect("the sample is readable");
        let of = PageTrace::new(0, Arc::new(trace));
        let keys: Vec<TileKey> = coarse(&of).collect();
        let ends: Vec<(u64, u64)> = keys.iter().map(|key| (key.part.from, key.part.to)).collect();
        assert_eq!(ends, [(0, 698), (0, 349), (349, 698), (0, 175), (174, 349), (349, 524), (523, 698)]);
        let kept = KeptTiles::default();
        let made = kept.tile(&of, keys[0].clone());
        lock(&kept.0).tiles.insert(keys[0].clone(), "kept".to_string());
        assert!(made.is_some_and(|tile| tile.contains(r#""columns":2048"#)));
        assert_eq!(kept.tile(&of, keys[0].clone()).as_deref(), Some("kept"));
    }
}
