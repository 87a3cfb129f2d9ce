//! Arguments of compounds: in read mode and in write mode.

use super::super::machine::Machine;
use crate::engine::heap::Cell;

/// The treatment of an argument; `operand` is its register or slot, `v` its constant.
pub(super) trait ArgumentTreatment {
    /// Whether reading just loads the argument, which cannot fail.
    const TAKES: bool;

    /// Unifies with an existing argument (read mode).
    fn read(m: &mut Machine, operand: u16, v: u64, cell: Cell) -> bool;
    /// The cell to write at `index` of the heap (write mode).
    fn cell(m: &Machine, operand: u16, v: u64, index: usize) -> Cell;
    /// Records where it was written.
    #[inline(always)]
    fn note(_: &mut Machine, _: u16, _: usize) {}
}

pub(super) struct VarX;
pub(super) struct ValueX;
pub(super) struct VarY;
pub(super) struct ValueY;
pub(super) struct Const;
pub(super) struct Void;

impl ArgumentTreatment for VarX {
    const TAKES: bool = true;

    #[inline(always)]
    fn read(m: &mut Machine, operand: u16, _: u64, cell: Cell) -> bool {
        m.x[operand as u8 as usize] = cell;
        true
    }

    #[inline(always)]
    fn cell(_: &Machine, _: u16, _: u64, index: usize) -> Cell {
        Cell::reference(index)
    }

    #[inline(always)]
    fn note(m: &mut Machine, operand: u16, index: usize) {
        m.x[operand as u8 as usize] = Cell::reference(index);
    }
}

impl ArgumentTreatment for ValueX {
    const TAKES: bool = false;

    #[inline(always)]
    fn read(m: &mut Machine, operand: u16, _: u64, cell: Cell) -> bool {
        let value = m.x[operand as u8 as usize];
        cell == value || m.world.store.unify(cell, value)
    }

    #[inline(always)]
    fn cell(m: &Machine, operand: u16, _: u64, _: usize) -> Cell {
        m.x[operand as u8 as usize]
    }
}

impl ArgumentTreatment for VarY {
    const TAKES: bool = true;

    #[inline(always)]
    fn read(m: &mut Machine, operand: u16, _: u64, cell: Cell) -> bool {
        m.set_y(operand, cell);
        true
    }

    #[inline(always)]
    fn cell(_: &Machine, _: u16, _: u64, index: usize) -> Cell {
        Cell::reference(index)
    }

    #[inline(always)]
    fn note(m: &mut Machine, operand: u16, index: usize) {
        m.set_y(operand, Cell::reference(index));
    }
}

impl ArgumentTreatment for ValueY {
    const TAKES: bool = false;

    #[inline(always)]
    fn read(m: &mut Machine, operand: u16, _: u64, cell: Cell) -> bool {
        let value = m.y(operand);
        cell == value || m.world.store.unify(cell, value)
    }

    #[inline(always)]
    fn cell(m: &Machine, operand: u16, _: u64, _: usize) -> Cell {
        m.y(operand)
    }
}

impl ArgumentTreatment for Const {
    const TAKES: bool = false;

    #[inline(always)]
    fn read(m: &mut Machine, _: u16, v: u64, cell: Cell) -> bool {
        let cell = m.world.store.deref(cell);
        if cell.is_ref() {
            m.world.store.bind(cell, Cell(v));
            return true;
        }
        if cell.may_be_alike(Cell(v)) {
            m.world.store.note_near_miss(cell, Cell(v));
        }
        cell == Cell(v)
    }

    #[inline(always)]
    fn cell(_: &Machine, _: u16, v: u64, _: usize) -> Cell {
        Cell(v)
    }
}

impl ArgumentTreatment for Void {
    const TAKES: bool = true;

    #[inline(always)]
    fn read(_: &mut Machine, _: u16, _: u64, _: Cell) -> bool {
        true
    }

    #[inline(always)]
    fn cell(_: &Machine, _: u16, _: u64, index: usize) -> Cell {
        Cell::reference(index)
    }
}
