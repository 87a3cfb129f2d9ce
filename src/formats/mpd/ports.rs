//! The events of the tracer: their names in the file, and the ports that stand for them.

use crate::trace::PortRole::{self, Alone, Closes, Inside, Opens};
use crate::trace::{PortRecord, Traced};

macro_rules! events {
    ($($event:ident $name:literal $spelling:literal $role:ident $doc:literal;)*) => {
        /// An event, as the tracer names it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub(crate) enum MpdEvent { #[default] $(#[doc = concat!("`", $spelling, "`.")] $event,)* }

        /// The ports, one for each event.
        pub(crate) const PORTS: &[PortRecord] = &[$(port($name, &[$spelling], $role, $doc),)*];

        impl MpdEvent {
            /// The event with that name in a file.
            pub(crate) fn named(name: &[u8]) -> Option<MpdEvent> {
                match std::str::from_utf8(name).ok()? {
                    $($spelling => Some(MpdEvent::$event),)*
                    _ => None,
                }
            }

            /// The name of its port.
            pub(crate) const fn port(self) -> &'static str {
                PORTS[self as usize].name
            }
        }
    };
}

const fn port(name: &'static str, spellings: &'static [&'static str], role: PortRole, doc: &'static str) -> PortRecord {
    PortRecord { name, spellings, role, traced: Traced::Yes, doc }
}

// `in` is printed again for each invocation that is looked at, so that it is no second opening
events! {
    In "in" "IN" Inside "an input statement examines the pending invocations";
    Arm "arm" "ARM" Inside "an arm of an input statement was chosen";
    Ni "ni" "NI" Closes "an input statement ends";
    Send "send" "SEND" Inside "an asynchronous invocation is made, or a process is created";
    Call "call" "CALL" Alone "a synchronous invocation is made";
    Proc "proc" "PROC" Opens "a service of an operation by a proc starts";
    EndProc "endproc" "ENDPROC" Closes "a service ends";
    P "p" "P" Opens "a process asks for a semaphore";
    ContP "contp" "CONTP" Closes "a process has passed the semaphore";
    V "v" "V" Inside "a process releases a semaphore";
    Co "co" "CO" Opens "a co statement starts its invocations";
    Oc "oc" "OC" Closes "a co statement ends";
    Body "body" "BODY" Opens "the initial code of a resource or global starts";
    EndBody "endbody" "ENDBODY" Closes "the initial code ends";
    Final "final" "FINAL" Opens "the final code of a resource starts";
    EndFinal "endfinal" "ENDFINAL" Closes "the final code ends";
    Forward "forward" "FORWARD" Inside "an invocation is passed on to another operation";
    Reply "reply" "REPLY" Inside "an invocation is answered before its service ends";
    Return "return" "RETURN" Inside "a service ends by a return statement";
    CreateS "creates" "CREATES" Inside "a semaphore is created";
    InitS "inits" "INITS" Inside "a semaphore gets its initial value";
    InitSArr "initsarr" "INITSARR" Inside "an array of semaphores gets its initial values";
    CreateR "creater" "CREATER" Inside "a resource is created";
    CreateG "createg" "CREATEG" Inside "a global is created or used";
    CreateV "createv" "CREATEV" Inside "a virtual machine is created";
    DestroyR "destroyr" "DESTROYR" Inside "a resource is destroyed";
    DestroyV "destroyv" "DESTROYV" Inside "a virtual machine is destroyed";
}
