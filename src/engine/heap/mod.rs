//! Terms of a running query: cells, the store, and what copies, compares and unifies them.

mod answer_set;
mod attributed;
mod ball;
mod cell;
mod copy;
pub mod error;
mod facts;
pub(crate) mod keys;
mod store;
mod traverse;
mod unify;
pub(crate) mod variant;
mod watch;

pub(crate) use answer_set::{Added, Answers};
pub use cell::{Cell, Tag};
pub(crate) use copy::is_control;
pub use copy::{Frozen, ListEnd};
pub(crate) use error::occurs_check_error;
pub use error::{
    Limit, Stop, domain_error, evaluation_error, instantiation_error, resource_error, system_error, type_error,
    with_message_only,
};
pub(crate) use keys::{ANY_KEY, LIST_KEY, boxed_key, key_of};
pub use store::{Compound, Mark, OccursCheck, Store, Term};
pub(crate) use store::{Object, Trailed};
pub(crate) use variant::Numbering;
pub use watch::Watch;
