//! Which of several boxes is entered again: the tracer prints the level and the goal, but no number.

use std::hash::BuildHasher;

use super::boxes::{BoxGroup, BoxIndex, GroupKey, LiveBoxes};
use super::goal::{GoalArgs, GoalParts};
use super::tokens::{GoalToken, GoalTokens};
use super::variables::{InstanceTest, canonical, packed};
use crate::term::hash::{HashMap, RandomState};
use crate::trace::ArgTexts;

/// How a redo is matched with the boxes that it may enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedoGoal {
    /// It shows the goal as it was called.
    AsCalled,
    /// It shows the goal as it was at the last exit.
    AsExited,
}

/// The box that an event enters again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RedoneBox {
    pub(crate) index: BoxIndex,
    /// Whether another box would fit too.
    pub(crate) is_guess: bool,
}

/// Chooses boxes; remembers the goals of large groups.
#[derive(Default)]
pub(crate) struct RedoChoice {
    groups: HashMap<GroupKey, GoalIndex>,
    instances: InstanceTest,
    hash: RandomState,
}

/// Boxes that are compared one by one; more are looked up.
const FEW: u32 = 8;

impl RedoChoice {
    /// The hash of a goal, for [`LiveBoxes::last_goal`].
    pub(crate) fn hash(&self, goal: &str) -> u64 {
        self.hash.hash_one(goal)
    }

    /// The box of a group that a redo enters: the newest whose call has the same goal, else the newest with a variant of
    /// it, else the newest of which it is an instance, else the newest.
    pub(crate) fn choose(
        &mut self,
        boxes: &LiveBoxes,
        (key, group): (GroupKey, BoxGroup),
        goal: &str,
        how: RedoGoal,
    ) -> Option<RedoneBox> {
        if group.n_live > FEW {
            return self.among_many(boxes, (key, group), goal, how);
        }
        let candidates: Vec<BoxIndex> = boxes.of_group(group).filter(|index| !boxes.is_open(*index)).collect();
        match candidates[..] {
            [] => None,
            [index] => Some(RedoneBox { index, is_guess: false }),
            _ => Some(self.among_few(boxes, &candidates, goal, how)),
        }
    }

    fn among_few(&mut self, boxes: &LiveBoxes, candidates: &[BoxIndex], goal: &str, how: RedoGoal) -> RedoneBox {
        let (last, variant) = (self.hash(goal), canonical(goal));
        let instances = &mut self.instances;
        let mut ranks: [(bool, &mut dyn FnMut(BoxIndex) -> bool); 4] = [
            (how == RedoGoal::AsExited, &mut |index| boxes.last_goal(index) == Some(last)),
            (true, &mut |index| boxes.goal(index) == goal),
            (true, &mut |index| canonical(boxes.goal(index)) == variant),
            (true, &mut |index| instances.is_instance(goal, boxes.goal(index))),
        ];
        let mut is_first = true;
        for (_, fits) in ranks.iter_mut().filter(|(applies, _)| *applies) {
            let mut fitting = candidates.iter().filter(|index| fits(**index));
            if let Some(index) = fitting.next() {
                return RedoneBox { index: *index, is_guess: !is_first || fitting.next().is_some() };
            }
            is_first = false;
        }
        RedoneBox { index: candidates[0], is_guess: true }
    }

    fn among_many(
        &mut self,
        boxes: &LiveBoxes,
        (key, group): (GroupKey, BoxGroup),
        goal: &str,
        how: RedoGoal,
    ) -> Option<RedoneBox> {
        let index = self.groups.entry(key).or_default();
        index.add_new(boxes, group, &self.hash);
        let newest = boxes.of_group(group).find(|index| !boxes.is_open(*index))?;
        let found = index.find(boxes, goal, how, (&self.hash, &mut self.instances));
        let found = found.unwrap_or(RedoneBox { index: newest, is_guess: true });
        // it will have other events than those with which it is known
        index.newest_call = boxes.get(found.index).call.saturating_sub(1);
        Some(found)
    }
}

/// A box as it was when it was added to an index.
#[derive(Clone, Copy, Debug)]
struct KnownBox {
    index: BoxIndex,
    call: u32,
    last: u32,
}

impl KnownBox {
    /// Whether the box is still as it was.
    fn is_valid(self, boxes: &LiveBoxes) -> bool {
        boxes.is_live(self.index, self.call) && boxes.get(self.index).last == self.last
    }
}

/// Boxes by the hash of what they have in common, the newest last.
#[derive(Default)]
struct KnownBoxes(HashMap<u64, Vec<KnownBox>>);

impl KnownBoxes {
    fn add(&mut self, hash: u64, known: KnownBox) {
        self.0.entry(hash).or_default().push(known);
    }

    /// The two newest boxes that are still valid; others before them are forgotten.
    fn newest(&mut self, hash: u64, boxes: &LiveBoxes) -> (Option<KnownBox>, Option<KnownBox>) {
        let Some(known) = self.0.get_mut(&hash) else { return (None, None) };
        let mut valid = || {
            while let Some(last) = known.pop() {
                if last.is_valid(boxes) {
                    return Some(last);
                }
            }
            None
        };
        let newest = valid();
        let second = valid();
        known.extend(second.into_iter().chain(newest));
        (newest, second)
    }
}

/// The boxes of a large group by their goals.
#[derive(Default)]
struct GoalIndex {
    /// The boxes up to this call are known.
    newest_call: u32,
    same: KnownBoxes,
    exited: KnownBoxes,
    variants: KnownBoxes,
    /// By the arguments without variables, for each way in which arguments have variables.
    shapes: HashMap<Vec<ArgShape>, KnownBoxes>,
}

/// Whether an argument has variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ArgShape {
    Variable,
    Ground,
    /// A term with variables in it.
    Open,
}

impl GoalIndex {
    /// Adds the boxes of the group that are not known yet.
    fn add_new(&mut self, boxes: &LiveBoxes, group: BoxGroup, hash: &RandomState) {
        let known_call = self.newest_call;
        let new: Vec<BoxIndex> =
            boxes.of_group(group).take_while(|index| boxes.get(*index).call > known_call).collect();
        for index in new.into_iter().rev() {
            let (live, goal) = (boxes.get(index), boxes.goal(index));
            let known = KnownBox { index, call: live.call, last: live.last };
            self.newest_call = live.call;
            self.same.add(hash.hash_one(goal), known);
            self.variants.add(hash.hash_one(canonical(goal)), known);
            boxes.last_goal(index).into_iter().for_each(|last| self.exited.add(last, known));
            let args = args(goal);
            let shape: Vec<ArgShape> = args.iter().map(|arg| shape(arg)).collect();
            let ground = ground_hash(&shape, &args, hash);
            self.shapes.entry(shape).or_default().add(ground, known);
        }
    }

    /// The box that fits best; none if no goal fits.
    fn find(
        &mut self,
        boxes: &LiveBoxes,
        goal: &str,
        how: RedoGoal,
        (hash, instances): (&RandomState, &mut InstanceTest),
    ) -> Option<RedoneBox> {
        let same = hash.hash_one(goal);
        let mut is_first = true;
        if how == RedoGoal::AsExited {
            if let (Some(newest), second) = self.exited.newest(same, boxes) {
                return Some(RedoneBox { index: newest.index, is_guess: second.is_some() });
            }
            is_first = false;
        }
        if let (Some(newest), second) = self.same.newest(same, boxes) {
            return Some(RedoneBox { index: newest.index, is_guess: !is_first || second.is_some() });
        }
        if let (Some(newest), _) = self.variants.newest(hash.hash_one(canonical(goal)), boxes) {
            return Some(RedoneBox { index: newest.index, is_guess: true });
        }
        let index = self.general(boxes, goal, (hash, instances))?;
        Some(RedoneBox { index, is_guess: true })
    }

    /// The newest box of whose goal this one is an instance.
    fn general(
        &mut self,
        boxes: &LiveBoxes,
        goal: &str,
        (hash, instances): (&RandomState, &mut InstanceTest),
    ) -> Option<BoxIndex> {
        let args = args(goal);
        let mut newest: Option<KnownBox> = None;
        for (shape, known) in self.shapes.iter_mut().filter(|(shape, _)| shape.len() == args.len()) {
            let Some(known) = known.0.get_mut(&ground_hash(shape, &args, hash)) else { continue };
            while known.pop_if(|last| !last.is_valid(boxes)).is_some() {}
            let newer = known.iter().rev().take_while(|known| newest.is_none_or(|newest| known.call > newest.call));
            let fits =
                |known: &&KnownBox| known.is_valid(boxes) && instances.is_instance(goal, boxes.goal(known.index));
            newest = { newer }.find(fits).copied().or(newest);
        }
        newest.map(|newest| newest.index)
    }
}

/// The arguments of a goal.
fn args(goal: &str) -> Vec<&str> {
    match GoalParts::of(goal).args {
        GoalArgs::None => Vec::new(),
        GoalArgs::Between(inside, _) => ArgTexts::new(&goal[inside]).iter().collect(),
        GoalArgs::One(arg) => vec![&goal[arg]],
        GoalArgs::Two(left, right) => vec![&goal[left], &goal[right]],
    }
}

fn shape(arg: &str) -> ArgShape {
    let mut tokens = GoalTokens::of(arg).filter(|(kind, ..)| *kind != GoalToken::Blank);
    let is_variable = |(kind, ..): (GoalToken, usize, &str)| kind == GoalToken::Variable;
    match tokens.next() {
        Some(first) if is_variable(first) && tokens.clone().next().is_none() => ArgShape::Variable,
        Some(first) if is_variable(first) || tokens.any(is_variable) => ArgShape::Open,
        _ => ArgShape::Ground,
    }
}

/// The hash of the arguments that are ground in a shape.
fn ground_hash(shape: &[ArgShape], args: &[&str], hash: &RandomState) -> u64 {
    let mut ground = String::new();
    for (arg, _) in args.iter().zip(shape).filter(|(_, shape)| **shape == ArgShape::Ground) {
        packed(arg, &mut ground);
        ground.push(',');
    }
    hash.hash_one(ground)
}
