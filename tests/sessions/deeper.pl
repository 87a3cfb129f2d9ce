% Commands of one's own: a move, a plain one, and types that are checked.

:- command(deeper(depth:integer),
           [ type(trace), abbrev(dp),
             message("Moves to the next event that is deeper than depth. On backtracking it goes on to the one after, as every move does.") ]).
:- command(marked(switch:is_member([on, off])),
           [ implementation(mark), message("Shows determinisms and modules, or hides them.") ]).

:- opium_command(
    name : outwards,
    arg_list : [N],
    arg_type_list : [integer],
    abbrev : ow,
    interface : button,
    command_type : trace,
    implementation : outwards_Op,
    parameters : [],
    message : "Moves to the call of the ancestor that is N levels up.").

outwards_Op(N) :-
    current(call = Call),
    findall(Ancestor, ancestor(Call, Ancestor), Ancestors),
    nth1(N, Ancestors, Ancestor),
    call_start(Ancestor, Chrono),
    goto_np(Chrono).

deeper_Op(Depth) :- fget_np(depth > Depth).

mark(on) :- attribute_display(on, on, on, on, on, off, on, off, on, off, off, on, off, off, on, on).
mark(off) :- set_default(attribute_display).
