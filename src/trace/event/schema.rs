//! Attributes of events: the one table of the known attributes, and the schema of a trace.

use std::sync::{Arc, LazyLock};

use crate::term::hash::HashMap;

use super::error::SchemaError;
use super::nearest::nearest;
use super::time_unit::TimeUnit;
use super::unheld;

/// Number of an attribute: its row in [`BASE`], or a number after these for an attribute that the trace itself
/// declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AttributeId(pub(crate) u16);

/// What the values of an attribute are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributeType {
    /// Integers.
    Integer,
    /// Names: atoms.
    Name,
    /// Kinds of event: names with the spellings of the format.
    Port,
    /// Procedures, matched part by part.
    Proc,
    /// Paths: lists of steps.
    GoalPath,
    /// Lists of argument terms, `-` for one that is not live.
    Args,
    /// Lists of strings, `-` for an argument that is not live.
    Texts,
    /// Lists that are computed from other attributes, never stored: the open boxes above an event, its live variables.
    Computed,
    /// Any values: numbers, atoms, terms, mixed.
    Any,
}

impl AttributeType {
    /// What messages call a value of this type, with its article.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            AttributeType::Integer => "an integer",
            AttributeType::Name => "an atom",
            AttributeType::Port => "a port",
            AttributeType::Proc => "a procedure `[ProcType->][Module:]Name[/Arity][-Mode]`",
            AttributeType::GoalPath => "a goal path (a list of steps)",
            AttributeType::Args => "a list of arguments",
            AttributeType::Texts => "a list of strings",
            AttributeType::Computed => "a list",
            AttributeType::Any => "a value",
        }
    }
}

/// An attribute: its name, other spellings, type and meaning.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    /// The name under which it is shown.
    pub(crate) name: Arc<str>,
    /// Other names that are accepted.
    pub(crate) aliases: &'static [&'static str],
    /// What its values are.
    pub(crate) kind: AttributeType,
    /// One line for help.
    pub(crate) doc: &'static str,
    /// The words for its values, as in [`OwnAttribute`].
    pub(crate) spellings: &'static [(&'static str, &'static str)],
    /// What its integers count, if they are times.
    pub(crate) unit: Option<TimeUnit>,
}

impl Attribute {
    /// The value that `word` means: `word` itself unless it is a spelling of another value.
    pub(crate) fn value_of<'w>(&self, word: &'w str) -> &'w str {
        self.spellings.iter().find(|(spelling, _)| *spelling == word).map_or(word, |(_, value)| value)
    }
}

/// A row of the table of known attributes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseAttribute {
    /// The name under which it is shown.
    pub(crate) name: &'static str,
    /// Other names that are accepted (Morphine's).
    pub(crate) aliases: &'static [&'static str],
    /// What its values are.
    pub(crate) kind: AttributeType,
    /// One line for help.
    pub(crate) doc: &'static str,
}

/// An attribute that a format adds to the known ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnAttribute {
    /// The name under which it is shown.
    pub(crate) name: &'static str,
    /// Other names that are accepted, unless the trace has an attribute of that name.
    pub(crate) aliases: &'static [&'static str],
    /// One line for help.
    pub(crate) doc: &'static str,
    /// The words for its values, accepted in constraints, each with the value that it means; none if it may have any.
    pub(crate) spellings: &'static [(&'static str, &'static str)],
    /// What its integers count, if they are times.
    pub(crate) unit: Option<TimeUnit>,
}

impl OwnAttribute {
    /// An attribute of any values that are no times.
    pub(crate) const fn new(name: &'static str, doc: &'static str) -> OwnAttribute {
        OwnAttribute { name, aliases: &[], doc, spellings: &[], unit: None }
    }

    /// The words that mean another one.
    pub(crate) fn other_spellings(&self) -> impl Iterator<Item = &'static str> {
        self.spellings.iter().filter(|(word, value)| word != value).map(|(word, _)| *word)
    }

    /// An attribute whose values are times in nanoseconds.
    pub(crate) const fn time(name: &'static str, doc: &'static str) -> OwnAttribute {
        OwnAttribute { name, aliases: &[], doc, spellings: &[], unit: Some(TimeUnit::Nanoseconds) }
    }
}

macro_rules! base_attributes {
    ($($constant:ident = $name:literal [$($alias:literal)*] $kind:ident $doc:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum AttributeRow { $($constant,)* }

        /// Every known attribute; a trace has some of them, and may declare others.
        pub(crate) const BASE: &[BaseAttribute] = &[$(BaseAttribute {
            name: $name, aliases: &[$($alias),*], kind: AttributeType::$kind, doc: $doc,
        },)*];

        impl AttributeId {
            $(
                #[doc = concat!("`", $name, "`: ", $doc, ".")]
                pub(crate) const $constant: AttributeId = AttributeId(AttributeRow::$constant as u16);
            )*
        }
    };
}

base_attributes! {
    CHRONO = "chrono" ["c"] Integer "number of the event";
    CALL = "call" ["ca" "cl"] Integer "number of the call (box) that the event belongs to";
    DEPTH = "depth" ["d"] Integer "number of ancestors + 1";
    PORT = "port" ["p"] Port "kind of event";
    PROC_TYPE = "proc_type" ["pred_or_func" "pof"] Name "predicate or function";
    DECL_MODULE = "decl_module" ["decl_mod" "dlm"] Name "module that declares the procedure";
    DEF_MODULE = "def_module" ["def_mod" "dfm"] Name "module that defines the procedure";
    NAME = "name" ["procedure_name" "proc_name" "n"] Name "name of the procedure";
    ARITY = "arity" ["ar"] Integer "number of arguments of the procedure";
    MODE_NUMBER = "mode_number" ["mode_num" "mn"] Integer "mode of the procedure, 0 is the first";
    PROC = "proc" ["procedure"] Proc "what was called: ProcType->Module:Name/Arity-Mode";
    DET = "det" ["determinism" "deter"] Name "determinism of the procedure";
    GOAL_PATH = "goal_path" ["gp"] GoalPath "where in the clause: a list of steps, [] at interface events";
    LINE_NUMBER = "line_number" ["line" "ln"] Integer "line of the program's source";
    ARGS = "args" ["arguments" "arg" "a"] Args "arguments, - where one is not live";
    ARG_NAMES = "arg_names" ["an"] Texts "names of the arguments, - where one is not live";
    ARG_TYPES = "arg_types" ["types" "type" "at"] Texts "types of the arguments, - where one is not live";
    VARS = "vars" [] Any "live variables with their values and types";
    VAR_NAMES_AND_TYPES = "var_names_and_types" ["vnt"] Any "live variables with their types";
    LOCAL_VARS = "local_vars" ["local_var" "non_arg_vars" "other_live_var" "nav"] Any "live variables that are not arguments";
    PARENT = "parent" ["father"] Integer "number of the call that made the event's call";
    STACK = "stack" ["stk" "s"] Computed "open calls, the innermost first";
    DURATION_KNOWN = "duration_known" [] Any "false at the end of a call if the trace does not tell how long it took";
    RESULT = "result" [] Any "value of a function, at its exit";
    ATTRIBUTES = "attributes" [] Computed "attributes of a span, event or link with their keys, [Key-Value, ...]";
}

/// Attributes that every trace with calls has, unless it declares an attribute of that name itself. They are computed
/// from the calls when they are first asked for.
static OF_CALLS: LazyLock<[Attribute; 3]> = LazyLock::new(|| {
    [
        ("duration", "how long the call was active, at its first and last event: in the unit of `time`, or in events"),
        ("self_time", "how long the call was active while no call that it made was, at its first and last event"),
        (BASE[AttributeId::PARENT.index()].name, BASE[AttributeId::PARENT.index()].doc),
    ]
    .map(|(name, doc)| Attribute {
        name: name.into(),
        aliases: known_attribute(name).map_or(&[], |id| BASE[id.index()].aliases),
        kind: AttributeType::Integer,
        doc,
        spellings: &[],
        unit: None,
    })
});

/// Those of them that no trace reports.
pub(crate) fn only_computed() -> impl Iterator<Item = &'static Attribute> {
    OF_CALLS.iter().filter(|attribute| known_attribute(&attribute.name).is_none())
}

/// The ids of these attributes, in the order of the table, are the greatest that a trace could not use.
const FIRST_OF_CALLS: u16 = unheld::LEAST - 3;

impl AttributeId {
    /// How long a call was active.
    pub(crate) const CALL_DURATION: AttributeId = AttributeId(FIRST_OF_CALLS);
    /// How long it was active while none of its children was.
    pub(crate) const CALL_SELF_TIME: AttributeId = AttributeId(FIRST_OF_CALLS + 1);
    /// The number of the call that made it, in a trace that does not report it.
    pub(crate) const CALL_PARENT: AttributeId = AttributeId(FIRST_OF_CALLS + 2);

    fn of_calls(self) -> Option<&'static Attribute> {
        OF_CALLS.get(usize::from(self.0.checked_sub(FIRST_OF_CALLS)?))
    }

    /// Whether the attribute is what a call cost, computed from all events.
    pub(crate) fn is_call_time(self) -> bool {
        matches!(self, AttributeId::CALL_DURATION | AttributeId::CALL_SELF_TIME)
    }

    /// Whether it is a key of spans that no event has.
    pub(crate) fn is_unheld_key(self) -> bool {
        unheld::attribute(self).is_some_and(|attribute| attribute.name.contains('.'))
    }

    /// Index among the attributes of a trace.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The known attribute with this name or alias, whether or not a trace has it.
pub(crate) fn known_attribute(name: &str) -> Option<AttributeId> {
    let row = BASE.iter().position(|row| row.name == name || row.aliases.contains(&name))?;
    u16::try_from(row).ok().map(AttributeId)
}

/// The attributes of one trace.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    /// The attributes that its format adds.
    own: &'static [OwnAttribute],
    attributes: Vec<Attribute>,
    /// The places of the attributes that were added, by their names.
    added: HashMap<Box<str>, usize>,
    present: Vec<bool>,
    /// Whether the recording left out arguments.
    pub(crate) is_without_args: bool,
}

impl Schema {
    /// The known attributes, for a trace whose format may add those of a table.
    pub(crate) fn new(own: &'static [OwnAttribute]) -> Schema {
        let attribute = |row: &BaseAttribute| Attribute {
            name: row.name.into(),
            aliases: row.aliases,
            kind: row.kind,
            doc: row.doc,
            spellings: &[],
            unit: None,
        };
        let attributes = BASE.iter().map(attribute).collect();
        let (added, present) = (HashMap::default(), vec![false; BASE.len()]);
        Schema { own, attributes, added, present, is_without_args: false }
    }

    /// The id of attribute `name`, which is added if nothing has that name or alias yet; none if there are too many.
    pub(crate) fn declare(&mut self, name: &str) -> Option<AttributeId> {
        if let Some(id) = self.any(name) {
            return Some(id);
        }
        self.add(name)
    }

    /// As [`declare`](Schema::declare), by full name only: aliases and the names of computed attributes become
    /// attributes of their own.
    pub(crate) fn declare_own(&mut self, name: &str) -> Option<AttributeId> {
        let is_same = |attribute: &Attribute| *attribute.name == *name && attribute.kind != AttributeType::Computed;
        let known = self.attributes[..BASE.len()].iter().position(is_same);
        match known.or_else(|| self.added.get(name).copied()) {
            Some(index) => u16::try_from(index).ok().map(AttributeId),
            None => self.add(name),
        }
    }

    fn add(&mut self, name: &str) -> Option<AttributeId> {
        let id = u16::try_from(self.attributes.len()).ok().filter(|id| *id < FIRST_OF_CALLS).map(AttributeId)?;
        let own = self.own.iter().find(|own| own.name == name);
        let doc = own.map_or("an attribute that this trace declares", |own| own.doc);
        let spellings = own.map_or(&[][..], |own| own.spellings);
        let aliases = own.map_or(&[][..], |own| own.aliases);
        let (kind, unit) = (AttributeType::Any, own.and_then(|own| own.unit));
        self.added.insert(name.into(), self.attributes.len());
        self.attributes.push(Attribute { name: name.into(), aliases, kind, doc, spellings, unit });
        self.present.push(false);
        Some(id)
    }

    /// Declares that a trace has an attribute, whether or not its events have values.
    pub(crate) fn let_stand(&mut self, id: AttributeId) {
        self.present[id.index()] = true;
    }

    /// Declares that the values of an attribute are in no unit that is known.
    pub(crate) fn forget_unit(&mut self, id: AttributeId) {
        self.attributes[id.index()].unit = None;
    }

    /// Whether the format states a unit of an attribute that this trace does not have.
    pub(crate) fn lacks_unit(&self, attribute: &Attribute) -> bool {
        let stated = self.own.iter().find(|own| own.name == &*attribute.name).and_then(|own| own.unit);
        attribute.unit.is_none() && stated.is_some()
    }

    /// Declares that a trace without events has no attributes.
    pub(crate) fn forget_present(&mut self) {
        self.present.fill(false);
    }

    pub(crate) fn mark_present(&mut self, id: AttributeId, kind: Option<AttributeType>) {
        self.present[id.index()] = true;
        if let Some(kind) = kind {
            self.attributes[id.index()].kind = kind;
        }
    }

    /// The attribute with that name, or else with that alias; attributes that the trace declares come before known
    /// ones.
    pub(crate) fn any(&self, name: &str) -> Option<AttributeId> {
        let is_named = |attribute: &Attribute| *attribute.name == *name;
        let of_base = &self.attributes[..BASE.len()];
        let found = self.added.get(name).copied().or_else(|| of_base.iter().position(is_named));
        let found = found.or_else(|| of_base.iter().position(|attribute| attribute.aliases.contains(&name)));
        let of_format = || self.own.iter().find(|own| own.aliases.contains(&name));
        let found = found.or_else(|| self.added.get(of_format()?.name).copied());
        found.and_then(|index| u16::try_from(index).ok()).map(AttributeId)
    }

    /// The attribute of this trace with that name or alias; in a trace without events, any known one.
    pub(crate) fn find(&self, name: &str) -> Option<AttributeId> {
        self.any(name).filter(|id| self.has(*id) || self.is_empty()).or_else(|| self.of_calls(name))
    }

    /// The computed attribute of calls with that name, if the trace has calls and no attribute of the same name.
    fn of_calls(&self, name: &str) -> Option<AttributeId> {
        let is_named = |attribute: &Attribute| *attribute.name == *name || attribute.aliases.contains(&name);
        let index = OF_CALLS.iter().position(is_named)?;
        Some(AttributeId(FIRST_OF_CALLS + index as u16)).filter(|id| self.has(*id) || self.is_empty())
    }

    /// The computed attributes of calls that the trace has besides those that [`iter`](Schema::iter) gives.
    pub(crate) fn computed_of_calls(&self) -> impl Iterator<Item = (AttributeId, &Attribute)> {
        let ids = (FIRST_OF_CALLS..).map(AttributeId).take(OF_CALLS.len());
        ids.filter(|id| self.has(*id)).map(|id| (id, self.get(id)))
    }

    /// What the integers of an attribute count, if they are times of a known unit; what calls cost is counted as the
    /// times of events are.
    pub(crate) fn unit(&self, id: AttributeId) -> Option<TimeUnit> {
        match id.is_call_time() {
            true => self.find("time").filter(|id| self.has(*id)).and_then(|time| self.get(time).unit),
            false => self.get(id).unit,
        }
    }

    /// Whether queries may use the attribute: the trace has it, or has no events and therefore lacks nothing.
    pub(crate) fn ask(&self, id: AttributeId) -> Result<(), SchemaError> {
        match self.has(id) || self.is_empty() || self.may_lack(&self.get(id).name) {
            true => Ok(()),
            false => Err(self.absent(id)),
        }
    }

    fn absent(&self, id: AttributeId) -> SchemaError {
        let is_value = matches!(id, AttributeId::ARGS | AttributeId::ARG_NAMES | AttributeId::RESULT);
        let recorded = self.recorded().filter(|_| is_value).unwrap_or_default();
        SchemaError::Absent { name: self.get(id).name.to_string(), recorded, has: self.names() }
    }

    /// How the trace was recorded, if that may be why it lacks an attribute.
    fn recorded(&self) -> Option<&'static str> {
        self.is_without_args.then_some(", recorded with --no-args,")
    }

    /// Whether the trace has no attributes at all because it has no events.
    pub(crate) fn is_empty(&self) -> bool {
        !self.present.contains(&true)
    }

    /// Whether the trace is of spans: its calls have the ids of a trace and of a span.
    pub(crate) fn is_of_spans(&self) -> bool {
        let is_own = |name: &str| self.own.iter().any(|own| own.name == name);
        unheld::IDS.iter().all(|name| is_own(name) || self.any(name).is_some_and(|id| self.has(id)))
    }

    /// Whether neither every trace nor the format has an attribute with this name.
    pub(crate) fn is_key(&self, name: &str) -> bool {
        known_attribute(name).is_none() && self.own.iter().all(|own| own.name != name)
    }

    /// Whether an attribute that no event has matches nothing, instead of being a mistake.
    fn may_lack(&self, name: &str) -> bool {
        unheld::may_lack(name) && self.is_of_spans()
    }

    fn names(&self) -> Vec<String> {
        self.iter().map(|(_, attribute)| attribute.name.to_string()).collect()
    }

    /// As [`find`](Schema::find), or an error that names the nearest attribute and all that the trace has. In a trace of
    /// spans, also an attribute of spans that no event has.
    pub(crate) fn resolve(&self, name: &str) -> Result<AttributeId, SchemaError> {
        let lacking = || known_attribute(name).or_else(|| unheld::id(name)).filter(|_| self.may_lack(name));
        if let Some(id) = self.find(name).or_else(lacking) {
            return Ok(id);
        }
        match known_attribute(name) {
            Some(id) => Err(self.absent(id)),
            None => {
                let nearest = self.nearest(name).map(str::to_string);
                // the fields of events are values, and have any names
                let recorded = self.recorded().filter(|_| nearest.is_none()).unwrap_or_default();
                Err(SchemaError::Unknown { name: name.into(), nearest, recorded, has: self.names() })
            }
        }
    }

    /// The name or alias of this trace that is most like `name`, if there is a similar one.
    pub(crate) fn nearest(&self, name: &str) -> Option<&str> {
        if name == "module" {
            let modules = [AttributeId::DECL_MODULE, AttributeId::DEF_MODULE];
            return modules.into_iter().find(|id| self.has(*id)).map(|id| &*self.get(id).name);
        }
        let names = self.iter().chain(self.computed_of_calls()).flat_map(|(_, attribute)| {
            std::iter::once(&*attribute.name).chain(attribute.aliases.iter().copied().filter(|alias| alias.len() > 2))
        });
        nearest(name, names)
    }

    /// Whether an event of the trace has a value for it.
    pub(crate) fn has(&self, id: AttributeId) -> bool {
        match id.of_calls() {
            Some(computed) => self.has(AttributeId::CALL) && self.any(&computed.name).is_none_or(|own| !self.has(own)),
            None => self.present.get(id.index()).is_some_and(|present| *present),
        }
    }

    /// Name, type and meaning of an attribute, also of a known one that this trace lacks.
    pub(crate) fn get(&self, id: AttributeId) -> &Attribute {
        let own = self.attributes.get(id.index()).or_else(|| id.of_calls());
        own.or_else(|| unheld::attribute(id)).expect("ids come from the schema")
    }

    /// The type by which constraints on an attribute are checked: an attribute that the trace declares may have any
    /// values, even if all its values so far are integers.
    pub(crate) fn asked_type(&self, id: AttributeId) -> AttributeType {
        match self.get(id).kind {
            AttributeType::Integer if BASE.get(id.index()).is_none_or(|row| row.kind == AttributeType::Any) => {
                AttributeType::Any
            }
            kind => kind,
        }
    }

    /// All known attributes, each with whether the trace has it.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Attribute, bool)> {
        self.attributes.iter().zip(self.present.iter().copied())
    }

    /// The attributes of this trace, in the order of the table, then those that it declares.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (AttributeId, &Attribute)> {
        let ids = (0..=u16::MAX).map(AttributeId);
        ids.zip(&self.attributes).filter(|(id, attribute)| self.has(*id) && !self.is_hidden(*id, attribute))
    }

    /// Whether a computed attribute has the name of one that the trace declares.
    fn is_hidden(&self, id: AttributeId, attribute: &Attribute) -> bool {
        id.index() < BASE.len()
            && attribute.kind == AttributeType::Computed
            && self.attributes[BASE.len()..].iter().any(|own| own.name == attribute.name)
    }
}
