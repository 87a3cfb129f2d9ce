//! Liveness at calls: the slots that a clause still reads after each of its calls. Jumps within a clause only go
//! forwards.

use crate::term::hash::NumberMap;
use std::rc::Rc;

use smallvec::SmallVec;

use super::instr::{CompoundArgument, Instr, Pc, PredId, Y};
use super::jumps::jump_targets;

/// What is live at an address of a clause.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// Slots that hold terms.
    pub(crate) terms: Box<[Y]>,
    /// Slots that hold cut barriers of the clause.
    pub(crate) barriers: Box<[Y]>,
    /// Whether the goal called just before has to complete before the clause goes on: it is a condition, as in `(C -> T
    /// ; E)` and `\+ C`, or its effects are collected or observed.
    pub(crate) is_enclosed: bool,
}

/// What is live after each call of a clause, sorted by return address.
pub(crate) type LivePlaces = Vec<(Pc, Rc<Live>)>;

/// What an instruction does with a slot.
#[derive(Clone, Copy, Debug)]
enum SlotUse {
    Reads(Y),
    Writes(Y),
    /// Cuts to the cut barrier in the slot.
    Cuts(Y),
}

/// A set of slots, or of registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotSet(SmallVec<[u64; 2]>);

impl SlotSet {
    pub(crate) fn insert(&mut self, slot: Y) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    pub(crate) fn remove(&mut self, slot: Y) {
        if let Some(word) = self.0.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    fn has(&self, slot: Y) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    pub(crate) fn add_all(&mut self, other: &SlotSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Y> {
        let bits = |(index, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (index * 64 + bit) as Y)
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

/// The most slots recorded for one clause in all; goals after that cannot be suspended.
const MOST: usize = 1 << 18;

/// What is live after each call of a clause; `is_opaque` recognizes predicates that collect or observe what goals do.
pub(crate) fn live_places(code: &[Instr], is_opaque: impl Fn(PredId) -> bool) -> LivePlaces {
    if !code.iter().any(|instr| matches!(instr, Instr::Call { .. })) {
        return Vec::new();
    }
    let (marks, heights) = cut_slots(code);
    let mut at_targets: NumberMap<usize, (SlotSet, bool)> = NumberMap::default();
    let is_target = jump_targets(code);
    let (mut slots, mut is_watched) = (SlotSet::default(), false);
    let mut places = Vec::new();
    let mut noted = 0;
    for (place, instr) in code.iter().enumerate().rev() {
        if matches!(instr, Instr::Call { .. }) && noted < MOST {
            let live = live_of(&slots, &marks, &heights, is_watched);
            noted += live.terms.len() + live.barriers.len();
            places.push((place as Pc + 1, Rc::new(live)));
        }
        if !goes_on(instr) {
            (slots, is_watched) = (SlotSet::default(), false);
        }
        if let Some(to) = instr.jump_target()
            && let Some((more, watched)) = at_targets.get(&(to as usize))
        {
            slots.add_all(more);
            is_watched |= watched;
        }
        is_watched |= called(instr).is_some_and(&is_opaque);
        for slot_use in uses(instr).into_iter().rev().flatten() {
            match slot_use {
                SlotUse::Reads(y) | SlotUse::Cuts(y) => slots.insert(y),
                SlotUse::Writes(y) => slots.remove(y),
            }
        }
        if is_target[place] {
            at_targets.insert(place, (slots.clone(), is_watched));
        }
    }
    places.reverse();
    places
}

fn live_of(slots: &SlotSet, marks: &SlotSet, heights: &SlotSet, is_watched: bool) -> Live {
    let (barriers, terms): (Vec<Y>, Vec<Y>) = slots.iter().partition(|&y| heights.has(y) || marks.has(y));
    let is_enclosed = is_watched || barriers.iter().any(|&y| marks.has(y));
    Live { terms: terms.into(), barriers: barriers.into(), is_enclosed }
}

/// The slots that hold the cut barriers of conditions, and those that hold the clause's own.
fn cut_slots(code: &[Instr]) -> (SlotSet, SlotSet) {
    let (mut marks, mut heights) = (SlotSet::default(), SlotSet::default());
    for instr in code {
        match *instr {
            Instr::Mark { y } => marks.insert(y),
            Instr::SaveCut { y } => heights.insert(y),
            _ => {}
        }
    }
    (marks, heights)
}

/// Whether an instruction may continue with the next one.
fn goes_on(instr: &Instr) -> bool {
    !matches!(
        instr,
        Instr::Execute { .. }
            | Instr::DeallocateExecute { .. }
            | Instr::GetPairExecute { .. }
            | Instr::Proceed
            | Instr::DeallocateProceed
            | Instr::LeaveCatch
            | Instr::Resume
            | Instr::NeckProceed
            | Instr::Jump { .. }
            | Instr::Fail
            | Instr::Answer
    )
}

fn called(instr: &Instr) -> Option<PredId> {
    match *instr {
        Instr::Call { pred }
        | Instr::Execute { pred }
        | Instr::DeallocateExecute { pred }
        | Instr::GetPairExecute { pred, .. }
        | Instr::Builtin { pred } => Some(pred),
        _ => None,
    }
}

/// How an instruction uses slots, in order.
fn uses(instr: &Instr) -> [Option<SlotUse>; 2] {
    let one = |slot_use| [Some(slot_use), None];
    match *instr {
        Instr::LoadY { from: y, .. } | Instr::UnifyValueY { y } => one(SlotUse::Reads(y)),
        Instr::StoreY { to: y, .. }
        | Instr::UnifyVarY { y }
        | Instr::PutVarY { y }
        | Instr::Mark { y }
        | Instr::SaveCut { y } => one(SlotUse::Writes(y)),
        Instr::CutTo { y } | Instr::SoftCut { y } => one(SlotUse::Cuts(y)),
        Instr::GetPair { head: first, tail: second, .. }
        | Instr::PutPair { head: first, tail: second, .. }
        | Instr::UnifyPair { first, second } => [part_use(first), part_use(second)],
        Instr::Move { .. }
        | Instr::GetValue { .. }
        | Instr::GetConst { .. }
        | Instr::GetList { .. }
        | Instr::GetStruct { .. }
        | Instr::GetFrozen { .. }
        | Instr::GetFact
        | Instr::GetPairExecute { .. }
        | Instr::UnifyVarX { .. }
        | Instr::UnifyValueX { .. }
        | Instr::UnifyConst { .. }
        | Instr::UnifyVoid { .. }
        | Instr::PutVarX { .. }
        | Instr::PutConst { .. }
        | Instr::PutList { .. }
        | Instr::PutStruct { .. }
        | Instr::PutFrozen { .. }
        | Instr::Allocate { .. }
        | Instr::Deallocate
        | Instr::Call { .. }
        | Instr::Execute { .. }
        | Instr::Proceed
        | Instr::DeallocateProceed
        | Instr::DeallocateExecute { .. }
        | Instr::LeaveCatch
        | Instr::Resume
        | Instr::Neck
        | Instr::NeckProceed
        | Instr::Builtin { .. }
        | Instr::Jump { .. }
        | Instr::StackCheck
        | Instr::Fail
        | Instr::Try { .. }
        | Instr::CutNeck
        | Instr::Arith1 { .. }
        | Instr::Arith2 { .. }
        | Instr::AddInt { .. }
        | Instr::Evaluate { .. }
        | Instr::Compare { .. }
        | Instr::CompareInt { .. }
        | Instr::Order { .. }
        | Instr::Test { .. }
        | Instr::Answer
        | Instr::Enter { .. }
        | Instr::FoldKeep
        | Instr::CallDet { .. }
        | Instr::CallNondet { .. }
        | Instr::CallGoal { .. }
        | Instr::TryShallow { .. }
        | Instr::TryDeep { .. }
        | Instr::SwitchList { .. }
        | Instr::TakeList { .. }
        | Instr::Switch { .. } => [None, None],
    }
}

fn part_use(part: CompoundArgument) -> Option<SlotUse> {
    match part {
        CompoundArgument::VarY(y) => Some(SlotUse::Writes(y)),
        CompoundArgument::ValueY(y) => Some(SlotUse::Reads(y)),
        CompoundArgument::VarX(_)
        | CompoundArgument::ValueX(_)
        | CompoundArgument::Const(_)
        | CompoundArgument::Void => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(code: &[Instr]) -> Vec<(Pc, Vec<Y>, Vec<Y>, bool)> {
        let describe =
            |(pc, live): &(Pc, Rc<Live>)| (*pc, live.terms.to_vec(), live.barriers.to_vec(), live.is_enclosed);
        live_places(code, |pred| pred == 9).iter().map(describe).collect()
    }

    #[test]
    fn a_slot_lives_from_its_setting_to_its_last_reading() {
        let code = [
            Instr::StoreY { from: 0, to: 0 },
            Instr::Call { pred: 1 },
            Instr::UnifyVarY { y: 1 },
            Instr::LoadY { from: 0, to: 0 },
            Instr::Call { pred: 1 },
            Instr::LoadY { from: 1, to: 0 },
            Instr::DeallocateExecute { pred: 1 },
        ];
        assert_eq!(places(&code), [(2, vec![0], vec![], false), (5, vec![1], vec![], false)]);
    }

    #[test]
    fn both_ways_through_a_disjunction_count() {
        let code = [
            Instr::Call { pred: 1 },
            Instr::Try { to: 4 },
            Instr::LoadY { from: 0, to: 0 },
            Instr::Jump { to: 5 },
            Instr::LoadY { from: 1, to: 0 },
            Instr::DeallocateProceed,
        ];
        assert_eq!(places(&code), [(1, vec![0, 1], vec![], false)]);
    }

    #[test]
    fn a_goal_in_a_condition_or_a_collection_is_enclosed() {
        let condition =
            [Instr::Mark { y: 2 }, Instr::Call { pred: 1 }, Instr::CutTo { y: 2 }, Instr::DeallocateProceed];
        assert_eq!(places(&condition), [(2, vec![], vec![2], true)]);
        let clause =
            [Instr::SaveCut { y: 2 }, Instr::Call { pred: 1 }, Instr::CutTo { y: 2 }, Instr::DeallocateProceed];
        assert_eq!(places(&clause), [(2, vec![], vec![2], false)]);
        let collection = [Instr::Call { pred: 1 }, Instr::Builtin { pred: 9 }, Instr::Fail];
        assert_eq!(places(&collection), [(1, vec![], vec![], true)]);
    }
}
