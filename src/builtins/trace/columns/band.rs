//! Bands of joins: attributes whose values must be between those of slots.

use crate::trace::{AttributeId, EventId, Trace, Value};

use super::expression::Expression;
use super::rows::Batch;
use super::run::Halt;

/// An attribute of integers, and the least and the greatest value that an event may have.
#[derive(Debug)]
pub(super) struct JoinBand {
    pub(super) attribute: AttributeId,
    pub(super) least: Option<BandEnd>,
    pub(super) greatest: Option<BandEnd>,
}

/// An end of a band, and whether it belongs to it.
#[derive(Debug)]
pub(super) struct BandEnd {
    pub(super) value: Expression,
    pub(super) is_included: bool,
}

/// The least and the greatest value for each row of a batch.
pub(super) type BandValues = Vec<(i64, i64)>;

impl JoinBand {
    /// The band of each row of a batch.
    pub(super) fn values(&self, trace: &Trace, batch: &Batch) -> Result<BandValues, Halt> {
        let all = |end: &Option<BandEnd>, default: i64, inward: i64| match end {
            None => Ok::<Vec<Option<i64>>, Halt>(vec![Some(default); batch.n_rows]),
            Some(BandEnd { value, is_included }) => {
                let values = value.evaluate(trace, batch).ok_or(Halt::TooLarge)?;
                let step = if *is_included { 0 } else { inward };
                Ok(values.iter().map(|value| value.checked_add(step)).collect())
            }
        };
        let (least, greatest) = (all(&self.least, i64::MIN, 1)?, all(&self.greatest, i64::MAX, -1)?);
        // nothing is beyond the greatest integer
        let pair = |(least, greatest): (Option<i64>, Option<i64>)| least.zip(greatest).unwrap_or((i64::MAX, i64::MIN));
        Ok(least.into_iter().zip(greatest).map(pair).collect())
    }

    /// The value of an event; none if it has none.
    pub(super) fn value_of(&self, trace: &Trace, event: EventId) -> Option<i64> {
        match trace.value(event, self.attribute) {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }
}
