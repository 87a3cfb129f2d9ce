//! The attributes of the format.

use crate::trace::{AttributeId, TraceBuilder};

attributes! {
    standing_attribute:
    file "file" "file of the source, as it was given to the compiler";
    vm "vm" "number of the virtual machine, 1 if the line has none";
    pid "pid" "id of the process, as printed; ids are used again, see inc";
    inc "inc" "incarnation: number of the process among those that had this id, from 1";
    process "process" "the two as p(Pid, Inc), as predicates name a process";
    invoker "invoker" "process that made the call or send, as p(Pid, Inc), at events of services and input statements";
    extra "extra" "last field of the line, as printed";
    sem "sem" "id of the semaphore, as printed; ids are used again, see sem_inc";
    sem_inc "sem_inc" "incarnation: number of the semaphore among those that had this id, from 1";
    semaphore "semaphore" "the two as s(Id, Inc), as predicates name a semaphore";
    inv "inv" "number of the invocation that a call, send or forward makes";
    serves "serves" "number of the invocation that a service or an arm is for";
    matched "matched" "how the invocation of serves was found; guess if it may be another one";
    blocked "blocked" "what the process waits for at the end of the trace, at its last event";
    next_in_process "next_in_process" "number of the next event of the process";
    idepth "idepth" "depth in the chain of invocations that led to the event";
    parent "parent" "number of the call that encloses the call of the event";
    served_at "served_at" "number of the event at which the invocation was taken, at the call or send";
    answered_at "answered_at" "number of the event at which the invocation was answered, at the call";
    initial "initial" "initial value of the semaphore, at its creation";
    last_in_process "last_in_process" "number of the last event of the process, at its first one";
    fate "fate" ["ended" "killed" "open"]
        "how the process ended, at its first event: ended, killed, or open: the trace ended first";
}
