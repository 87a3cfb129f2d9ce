//! Terms of a running query: cells, the store, and what copies, compares and unifies them.

mod answer_set;
mod attributed;
mod ball;
mod cell;
mod copy;
pub(crate) mod error;
mod facts;
mod frozen;
pub(crate) mod keys;
mod lists;
mod near_misses;
mod sharing;
mod stop;
mod store;
mod traverse;
mod trees;
mod unify;
mod variables;
pub(crate) mod variant;
mod walks;
mod watch;

pub(crate) use answer_set::{AddedAnswer, AnswerSet};
pub(crate) use cell::Object;
pub(crate) use cell::{Cell, Tag};
pub(crate) use error::occurs_check_error;
pub(crate) use error::{
    domain_error, evaluation_error, instantiation_error, resource_error, system_error, type_error, with_message,
    with_message_only,
};
pub(crate) use frozen::Frozen;
pub(crate) use keys::{ANY_KEY, LIST_KEY, boxed_key, key_of};
pub(crate) use lists::ListEnd;
pub(crate) use near_misses::NearMiss;
pub(crate) use stop::{QueryLimit, Stop};
pub(crate) use store::Trailed;
pub(crate) use store::{Compound, Mark, OccursCheck, Store, Term};
pub(crate) use variant::VariableNumbering;
pub(crate) use watch::Watch;
