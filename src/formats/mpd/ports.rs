//! The events of the tracer: their names in the file, and the ports that stand for them.

use crate::trace::PortRole::{self, Alone, Closes, Inside, Opens};
use crate::trace::{PortRecord, Traced};

macro_rules! events {
    ($($event:ident $name:literal $spelling:literal $role:ident;)*) => {
        /// An event, as the tracer names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Event { $(#[doc = concat!("`", $spelling, "`.")] $event,)* }

        /// The ports, one for each event.
        pub const PORTS: &[PortRecord] = &[$(port($name, &[$spelling], $role),)*];

        impl Event {
            /// How many events there are.
            pub const COUNT: usize = PORTS.len();

            /// The event with that name in a file.
            pub fn named(name: &[u8]) -> Option<Event> {
                let mut padded = [b' '; 8];
                padded.get_mut(..name.len())?.copy_from_slice(name);
                Event::padded(padded)
            }

            /// The event whose name is that, with spaces behind it.
            #[inline]
            pub fn padded(name: [u8; 8]) -> Option<Event> {
                let name = u64::from_le_bytes(name);
                $(if name == const { padded($spelling) } { return Some(Event::$event); })*
                None
            }

            /// The name of its port.
            pub const fn port(self) -> &'static str {
                match self { $(Event::$event => $name,)* }
            }
        }
    };
}

/// A name with spaces behind it, as a number.
const fn padded(name: &str) -> u64 {
    let mut padded = [b' '; 8];
    padded.split_at_mut(name.len()).0.copy_from_slice(name.as_bytes());
    u64::from_le_bytes(padded)
}

const fn port(name: &'static str, spellings: &'static [&'static str], role: PortRole) -> PortRecord {
    PortRecord { name, spellings, role, traced: Traced::Yes }
}

// `in` is printed again for each invocation that is looked at, so that it is no second opening
events! {
    In "in" "IN" Inside;
    Arm "arm" "ARM" Inside;
    Ni "ni" "NI" Closes;
    Send "send" "SEND" Inside;
    Call "call" "CALL" Alone;
    Proc "proc" "PROC" Opens;
    EndProc "endproc" "ENDPROC" Closes;
    P "p" "P" Opens;
    ContP "contp" "CONTP" Closes;
    V "v" "V" Inside;
    Co "co" "CO" Opens;
    Oc "oc" "OC" Closes;
    Body "body" "BODY" Opens;
    EndBody "endbody" "ENDBODY" Closes;
    Final "final" "FINAL" Opens;
    EndFinal "endfinal" "ENDFINAL" Closes;
    Forward "forward" "FORWARD" Inside;
    Reply "reply" "REPLY" Inside;
    Return "return" "RETURN" Inside;
    CreateS "creates" "CREATES" Inside;
    InitS "inits" "INITS" Inside;
    InitSArr "initsarr" "INITSARR" Inside;
    CreateR "creater" "CREATER" Inside;
    CreateG "createg" "CREATEG" Inside;
    CreateV "createv" "CREATEV" Inside;
    DestroyR "destroyr" "DESTROYR" Inside;
    DestroyV "destroyv" "DESTROYV" Inside;
}
