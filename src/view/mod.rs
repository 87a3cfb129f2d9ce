//! Floor 5: what is shown of a trace where people look rather than read: its timeline at any scale, its events, its
//! pictures, and the page around them.
//!
//! ```text
//! Trace --rows, slices--> lanes --timeline--> tiles --payload, document--> one file, or answers of a server
//! ```
//!
//! A new picture is a file with a `PictureKind`, and a line in `picture::PICTURES`; `page/pictures/NAME.js` draws it.

mod arrows;
mod callgraph;
mod compare;
mod coverage;
mod document;
mod durations;
mod event;
mod landmarks;
mod lanes;
mod longest;
mod parallelism;
mod payload;
mod picture;
mod place;
mod proof;
mod questions;
mod rows;
mod sequence;
mod slices;
mod stored;
mod svg;
mod term_tree;
#[cfg(test)]
mod tests;
mod tile;
mod timeline;
mod waits;

pub(crate) use document::{file, served};
pub(crate) use event::{SERVED, SourceExcerpt, event_facts, line};
pub(crate) use payload::{ArrowFacts, LayerEvent, LayerRow, PageContents, PageLayer, PageVerdict, PageWitness};
pub(crate) use picture::{AxisRange, PICTURES, PageTrace, PictureRequest, PictureScope, pictures};
pub(crate) use place::Place;
pub(crate) use svg::timeline_svg;
pub(crate) use tile::{TilePart, TileSize, tile_json};
pub(crate) use timeline::Axis;
