"""Records the calls of a Python program (3.8 and later) as a trace for papaver.

    python3 papaver_record.py app.py ARGUMENTS

writes `trace.jsonl`, or the file that the variable PAPAVER_OUT names. Options of the interpreter, `-m module`, `-c text`
and `-` stand where they always do: `python3 -X dev papaver_record.py -m app`.

The program is started as ever, by the same interpreter, in which the module `site` finds this file under the name
`sitecustomize`. So any command that starts Python is recorded if PYTHONPATH names the folder of such a file:

    PAPAVER_OUT=pipe PYTHONPATH=folder pytest

PAPAVER_OPTIONS has lines `key=value`: `only=PATTERN` and `skip=PATTERN` (more than once), `max_events=N`, `depth=N`,
`levels=N`, `text=N`, `no_args=1`, `sample=N`, `lines=1`.
"""

import os
import sys

VERSION = "0.1.0"
HERE = os.path.dirname(os.path.abspath(__file__))


def refuse(why):
    """Ends the program before it began: it never runs without the trace that was asked for."""
    os.write(2, f"papaver record: {why}\n".encode("utf-8", "backslashreplace"))
    os._exit(125)


# ---------------------------------------------------------------------------------------------------------------------
# By hand: the program is started again, with this file under the name that `site` imports.


def launch(arguments):
    """Replaces this process by the interpreter with the program's arguments."""
    import subprocess
    import tempfile

    if sys.version_info < (3, 8):
        refuse("Python 3.8 or later is needed")
    if sys.flags.ignore_environment or sys.flags.no_site:
        refuse("with the options -E, -I and -S Python does not read PYTHONPATH, by which programs are recorded")
    if not arguments:
        refuse("expected a program: python3 papaver_record.py app.py ARGUMENTS")
    folder = tempfile.mkdtemp(prefix="papaver-")
    with open(os.path.join(HERE, os.path.basename(__file__)), "rb") as text:
        with open(os.path.join(folder, "sitecustomize.py"), "xb") as copy:
            copy.write(text.read())
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, environment.get("PYTHONPATH")]))
    environment["PAPAVER_OPTIONS"] = environment.get("PAPAVER_OPTIONS", "") + f"\nfolder={folder}"
    options = subprocess._args_from_interpreter_flags()
    os.execve(sys.executable, [sys.executable, *options, *arguments], environment)


if __name__ == "__main__":
    launch(sys.argv[1:])

import _signal
import _thread
import atexit
import gc
import itertools
import stat
import time
import types
from _collections import deque
from _json import encode_basestring as quoted
from _operator import is_
from _weakref import ref

IS_MONITORED = sys.version_info >= (3, 12)

# ---------------------------------------------------------------------------------------------------------------------
# Options


NUMBERS = ("max_events", "depth", "sample", "levels", "text", "no_args", "lines", "family", "process")
# Each level goes some calls of this file deep.
MOST_LEVELS = 9


class Options:
    """What is asked for. `family`, `process` and `folder` are between this file and itself."""

    def __init__(self, text):
        self.only, self.skip = [], []
        self.max_events = self.depth = self.sample = self.family = self.process = None
        self.text, self.no_args, self.lines, self.levels = 400, 0, 0, 1
        self.folder = None
        for line in filter(None, map(str.strip, text.split("\n"))):
            self.read(*line.partition("=")[::2])

    def read(self, key, value):
        if key in ("only", "skip"):
            getattr(self, key).append(pattern(value))
        elif key == "folder":
            self.folder = value
        elif key not in NUMBERS:
            refuse(f"unknown option `{key}`")
        elif not value.isdigit() or len(value) > 18 or (key in ("sample", "text", "levels") and not int(value)):
            refuse(f"expected a number after `{key}=`, found `{value}`")
        elif key == "levels" and int(value) > MOST_LEVELS:
            refuse(f"expected a number up to {MOST_LEVELS} after `levels=`, found `{value}`")
        else:
            setattr(self, key, int(value))

    def told(self):
        """The limits in force, for the header."""
        told = {key: [written for written, _, _, _ in getattr(self, key)] for key in ("only", "skip")}
        told.update((key, getattr(self, key)) for key in ("max_events", "depth", "sample"))
        told.update(text=self.text, no_args=bool(self.no_args), library=None if self.only else "hidden")
        told.update({} if self.levels == 1 else {"levels": self.levels})
        return {key: value for key, value in told.items() if value not in (None, [], False)}


def pattern(written):
    """A pattern `module`, `procedure`, `procedure/arity` or `module:procedure` as (text, module, name, arity)."""
    rest, slash, arity = written.rpartition("/")
    if not slash or not arity.isdigit():
        rest, arity = written, None
    module, colon, name = rest.rpartition(":")
    return written, module if colon else None, name, None if arity is None else int(arity)


def matches(patterns, modules, name, arity):
    """Whether one of the patterns is of a procedure in a module, which may have two names."""
    return any(is_of(one, module, name, arity) for one in patterns for module in modules)


def is_of(one, module, name, arity):
    _, wanted_module, wanted, wanted_arity = one
    if wanted_arity is not None and wanted_arity != arity:
        return False
    plain = name.replace("<locals>.", "")
    is_name = wanted in (name, plain) or plain.endswith("." + wanted)
    if wanted_module is not None:
        return wanted_module == module and (is_name or not wanted)
    is_module = wanted_arity is None and (module + ".").startswith(wanted + ".")
    return is_name or is_module or wanted == f"{module}.{plain}"


# ---------------------------------------------------------------------------------------------------------------------
# Values as the texts of terms. Nothing here runs code of the program: no method, property, descriptor, hash or
# comparison of its classes. Facts about an object are read by the functions of the built-in types themselves.

MARK = "'…'"
# The members of a list that are kept to see whether it changes.
MOST_KEPT = 64
BIG = 10**18

name_of = type.__dict__["__name__"].__get__
told_mro = type.__dict__["__mro__"].__get__
told_dict = type.__dict__["__dict__"].__get__
qualname_of_class = type.__dict__["__qualname__"].__get__
args_of_exception = BaseException.__dict__["args"].__get__
MEMBER = types.MemberDescriptorType
GETSET = types.GetSetDescriptorType


def mro_of(kind):
    """The classes of a class; built-in ones that nothing was asked of yet do not know theirs until 3.11."""
    return told_mro(kind) or (kind, object)


def dict_of(kind):
    return told_dict(kind) or {}


NAMED = {
    id(types.FunctionType): ("function", types.FunctionType.__dict__["__qualname__"].__get__),
    id(types.GeneratorType): ("generator", types.GeneratorType.__dict__["__qualname__"].__get__),
    id(types.CoroutineType): ("coroutine", types.CoroutineType.__dict__["__qualname__"].__get__),
    id(types.AsyncGeneratorType): ("async_generator", types.AsyncGeneratorType.__dict__["__qualname__"].__get__),
    id(types.BuiltinFunctionType): ("function", types.BuiltinFunctionType.__dict__["__qualname__"].__get__),
    id(types.CodeType): ("code", types.CodeType.__dict__["co_name"].__get__),
}
SEQUENCES = (list, tuple)
UNORDERED = (set, frozenset)


# Names that are operators of terms are quoted.
OPERATORS = set(
    "as div divmod dynamic discontiguous in ins initialization is meta_predicate mod module_transparent multifile "
    "public rdiv rem table thread_initialization thread_local tnot volatile xor".split()
)


def atom(text):
    """An atom, quoted unless it is a name that starts with a small letter."""
    if text.isascii() and text.isidentifier() and text[0].islower() and text not in OPERATORS:
        return text
    return "'" + quoted(whole(text))[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def whole(text):
    """A text without halves of characters, which no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def argument(value):
    """A value as JSON: a number, a boolean, or the text of a term."""
    kind = type(value)
    if kind is int and -BIG < value < BIG:
        return repr(value)
    if kind is str and len(value) <= most_text:
        return quoted(quoted(whole(value)))
    if value is True:
        return "true"
    if value is False:
        return "false"
    return quoted(term(value, 0, most_text))


def term(value, level, room):
    """A value as a term of about `room` characters at most."""
    kind = type(value)
    if kind is int:
        return integer(value, room)
    if kind is str:
        return text_of(value, room)
    if value is None:
        return "none"
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return real(value)
    if kind is list or kind is tuple:
        return "[" + sequence(value, level, room) + "]"
    if kind is dict:
        return mapping(value, level, room)
    if kind is bytes or kind is bytearray:
        return f"{kind.__name__}({text_of(bytes(value[:room]).decode('latin-1'), room, len(value) > room)})"
    return other(value, kind, level, room)


def integer(value, room):
    if -BIG < value < BIG:
        return repr(value)
    bits = int.bit_length(value)
    if bits > 3.3 * room or bits > 2000:
        return f"'…'(int,{bits})"
    return int.__repr__(value)


def real(value):
    if value != value:
        return "1.5NaN"
    if value - value != 0.0:
        return "1.0Inf" if value > 0 else "-1.0Inf"
    text = float.__repr__(value)
    return text if "." in text else text.replace("e", ".0e")


def text_of(value, room, is_cut=False):
    if len(value) > room or is_cut:
        cut()
        value = value[: max(room - 1, 0)] + "…"
    return quoted(whole(value))


def cut():
    """Counts a value that is not written as a whole."""
    global n_cut
    n_cut += 1


def elements(values, level, room, write):
    """Members of something, separated by commas, until there is no room left. `write` gives the text of one."""
    if level >= most_levels:
        return MARK
    texts = []
    try:
        for value in values:
            if room <= 0:
                cut()
                texts.append(MARK)
                break
            text = write(value, level + 1, room)
            texts.append(text)
            room -= len(text) + 1
    except RuntimeError as error:
        if is_foreign(error):
            raise
        texts.append(MARK)
    return ",".join(texts)


def sequence(values, level, room):
    """The members of a list or a tuple."""
    text = integers(values, room) if level < most_levels else None
    if text is None:
        return elements(values, level, room, term) if values else ""
    return text


def integers(values, room):
    """The members of a list or a tuple, if they are integers for which there is room."""
    if len(values) * 3 > room:
        return None
    for value in values:
        if type(value) is not int or not -BIG < value < BIG:
            return None
    text = repr(values)[1:-1]
    return text.rstrip(",") if len(text) <= room else None


class OtherKeys(Exception):
    """A dictionary has keys that are no texts."""


def mapping(value, level, room):
    """A dictionary: `{"a":1}` if its keys are texts, else `dict([1-"a"])`. Also one of a class made from dict."""
    try:
        return "{" + elements(dict.items(value), level, room, entry) + "}"
    except OtherKeys:
        return f"dict([{elements(dict.items(value), level, room, pair)}])"


def entry(item, level, room):
    if type(item[0]) is not str:
        raise OtherKeys
    key = text_of(item[0], room)
    return joined(key, ":", term(item[1], level, room - len(key)))


def pair(item, level, room):
    key = term(item[0], level, room)
    return f"({key})-({term(item[1], level, room - len(key))})"


def unordered(values, size, level, room):
    """The members of a set, in an order that does not depend on hashes, where they have one."""
    members = list(itertools.islice(values, 1000))
    if all(type(member) is int for member in members) or all(type(member) is str for member in members):
        members.sort()
    elif size * 2 <= room:
        texts = sorted(term(member, level + 1, room) for member in members)
        return elements(texts, level, room, lambda text, _, room: text if len(text) <= room else MARK)
    if size > len(members):
        cut()
        return f"{MARK}({size})"
    return elements(members, level, room, term)


def other(value, kind, level, room):
    """An object of a class that `term` does not know by itself."""
    named = NAMED.get(id(kind))
    if named:
        return f"{named[0]}({atom(named[1](value))})"
    plan = plans.get(id(kind))
    if plan is None or plan.kind() is not kind:
        plan = Plan(kind)
        if len(plans) > 10_000:
            plans.clear()
        plans[id(kind)] = plan
    return plan.write(value, plan, level, room)


def field(item, level, room):
    return joined(item[0], "=", term(item[1], level, room))


def joined(name, operator, text):
    """`name=text`, where a minus sign begins no longer operator: `name= -1`."""
    return f"{name}{operator} {text}" if text[0] == "-" else f"{name}{operator}{text}"


class Plan:
    """How objects of a class are written."""

    __slots__ = ("kind", "name", "write", "get_dict", "slots", "base")

    def __init__(self, kind):
        self.kind = ref(kind)
        self.name = atom(name_of(kind))
        mro = mro_of(kind)
        self.base = next((known for known in BASES if any(base is known for base in mro)), None)
        self.write = writer_of(kind, mro, self.base)
        self.get_dict, self.slots = None, []
        for base in reversed(mro):
            for name, of in dict_of(base).items():
                if type(name) is not str:
                    continue
                if type(of) in (GETSET, MEMBER) and name == "__dict__":
                    self.get_dict = of.__get__
                elif type(of) is MEMBER and "__slots__" in dict_of(base) and name != "__weakref__":
                    self.slots.append((atom(name), of.__get__))


def slots_of(value, plan):
    for name, get in plan.slots:
        try:
            yield name, get(value)
        except AttributeError:
            pass


def attributes_of(value, plan):
    """The attributes in the dictionary of an object."""
    attributes = None if plan.get_dict is None else plan.get_dict(value)
    if type(attributes) is not dict or not attributes:
        return ()
    return attributes.items()


def attribute(item, level, room):
    name, value = item
    if type(name) is not str:
        return MARK
    name = atoms.get(name) or new_atom(name)
    kind = type(value)
    if kind is int and -BIG < value < BIG:
        return f"{name}={value!r}" if value >= 0 else f"{name}= {value!r}"
    return joined(name, "=", term(value, level, room))


def new_atom(name):
    """An atom for a name that may come again."""
    if len(atoms) > 10_000:
        atoms.clear()
    text = atoms[name] = atom(name[:60])
    return text


def write_object(value, plan, level, room):
    """An object with its attributes; one in an attribute of another without them, unless more levels are wanted."""
    if level > most_levels - 3:
        return f"{plan.name}({MARK})"
    texts = elements(attributes_of(value, plan), level + 1, room, attribute)
    if plan.slots:
        texts = ",".join(filter(None, [elements(slots_of(value, plan), level + 1, room, field), texts]))
    return f"{plan.name}([{texts}])" if texts else plan.name


def write_class(value, plan, level, room):
    return f"class({atom(qualname_of_class(value))})"


def write_exception(value, plan, level, room):
    return f"{plan.name}([{sequence(args_of_exception(value), level, room)}])"


def write_sequence(value, plan, level, room):
    inner = elements(plan.base.__iter__(value), level, room, term)
    names = dict_of(plan.kind()).get("_fields")
    if plan.base is tuple and type(names) is tuple and all(type(name) is str for name in names):
        inner = elements(zip(map(atom, names), tuple.__iter__(value)), level, room, field)
    return f"{plan.name}([{inner}])"


def write_set(value, plan, level, room):
    return f"{plan.name}([{unordered(plan.base.__iter__(value), plan.base.__len__(value), level, room)}])"


def write_dict(value, plan, level, room):
    return f"{plan.name}({mapping(value, level, room)})"


def write_int(value, plan, level, room):
    return f"{plan.name}({integer(int.__pos__(value), room)})"


def write_str(value, plan, level, room):
    return f"{plan.name}({text_of(str.__getitem__(value, slice(0, room + 1)), room)})"


def write_float(value, plan, level, room):
    return f"{plan.name}({real(float.__pos__(value))})"


def write_complex(value, plan, level, room):
    parts = [complex.__dict__[part].__get__(value) for part in ("real", "imag")]
    return f"complex({real(parts[0])},{real(parts[1])})"


def write_bytes(value, plan, level, room):
    return f"{plan.name}({text_of(bytes.__getitem__(value, slice(0, room + 1)).decode('latin-1'), room)})"


def write_module(value, plan, level, room):
    name = plan.get_dict(value).get("__name__")
    return f"module({atom(name if type(name) is str else '')})"


def write_method(value, plan, level, room):
    function = types.MethodType.__dict__["__func__"].__get__(value)
    return f"method({term(function, level + 1, room)})"


def write_range(value, plan, level, room):
    parts = (range.__dict__[part].__get__(value) for part in ("start", "stop", "step"))
    return f"range({','.join(term(part, level + 1, room) for part in parts)})"


BASES = {
    type: write_class,
    BaseException: write_exception,
    tuple: write_sequence,
    list: write_sequence,
    set: write_set,
    frozenset: write_set,
    deque: write_sequence,
    dict: write_dict,
    int: write_int,
    str: write_str,
    float: write_float,
    complex: write_complex,
    bytes: write_bytes,
    types.ModuleType: write_module,
    types.MethodType: write_method,
    range: write_range,
}


def write_member(value, plan, level, room):
    """A member of an enumeration."""
    name = plan.get_dict(value).get("_name_")
    return f"{plan.name}({atom(name)})" if type(name) is str else plan.name


def write_time(value, plan, level, room):
    """A date or a time of the library; one in a zone of the program's own is written without it."""
    zone = plan.kind().__dict__.get("tzinfo")
    if zone is not None and type(zone.__get__(value)) not in (type(None), sys.modules["datetime"].timezone):
        value = plan.kind().replace(value, tzinfo=None)
    return f"{plan.name}({quoted(plan.kind().__str__(value))})"


def write_decimal(value, plan, level, room):
    return f"{plan.name}({text_of(plan.kind().__str__(value), room)})"


def write_pattern(value, plan, level, room):
    return f"{plan.name}({term(plan.kind().__dict__['pattern'].__get__(value), level, room)})"


# Classes of the library that are written by their own code, which is in C.
LIBRARY = [
    ("datetime", "datetime", write_time),
    ("datetime", "date", write_time),
    ("datetime", "time", write_time),
    ("datetime", "timedelta", write_time),
    ("decimal", "Decimal", write_decimal),
    ("re", "Pattern", write_pattern),
]


def writer_of(kind, mro, base):
    """The function that writes the objects of a class."""
    for module, name, write in LIBRARY:
        module = sys.modules.get(module)
        if module is not None and type(module) is types.ModuleType and module.__dict__.get(name) is kind:
            return write
    if any("_member_map_" in dict_of(one) for one in mro) and base in (None, int, str):
        return write_member
    return BASES[base] if base else write_object


plans = {}
atoms = {}
most_text = 400
# An object inside of another one is two levels below it: the attributes are one.
most_levels = 4
n_cut = 0

# ---------------------------------------------------------------------------------------------------------------------
# Procedures: what is the same in all events of a piece of code


PLAIN, GENERATOR, COROUTINE, ASYNC_GENERATOR = range(4)
THIS_FILE = (lambda: None).__code__.co_filename
LIBRARY_FOLDERS = tuple(
    {os.path.join(os.path.dirname(os.path.realpath(path)), "") for path in (os.__file__,)}
    | {os.path.join(os.path.dirname(os.__file__), "")}
)
READ_LOCALS = {"locals", "vars", "dir", "eval", "exec"}


class Procedure:
    """A piece of code whose calls are recorded."""

    __slots__ = ("code", "names", "kind", "lines", "rereads", "bytecode", "n_calls", "call", "exit", "redo", "raised", "line")

    def __init__(self, code, name, module, names):
        self.code, self.names, self.kind = code, names, kind_of(code)
        # the line of each place in the code that an event asked for
        self.lines = {}
        # `locals()` is one dictionary for each frame until 3.12: it is left alone where the program can see it
        self.rereads = sys.version_info[:2] != (3, 12) or not READ_LOCALS.intersection(code.co_names)
        self.bytecode, self.n_calls = None, 0
        told = f'"name":{quoted(name)},"decl_module":{quoted(module)},"file":{quoted(shown_path(code.co_filename))}'
        bare = f'{told},"arity":{len(names)}'
        if not options.no_args:
            told += f',"arg_names":[{",".join(map(quoted, arg_names(code, names)))}]'
        told = bare if options.no_args else told
        self.call, self.exit, self.redo, self.raised = (
            f'{{"port":"{port}",{told},"call":' for port in ("call", "exit", "redo", "exception")
        )
        self.line = f'{{"port":"line",{bare},"call":'


def kind_of(code):
    flags = code.co_flags
    if flags & 0x200:
        return ASYNC_GENERATOR
    if flags & 0x80:
        return COROUTINE
    return GENERATOR if flags & 0x20 else PLAIN


def argument_names(code):
    """The names of all arguments, those for the rest of the arguments last."""
    n_rest = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + n_rest]


def arg_names(code, names):
    """The names of the arguments with the stars of `*rest` and `**keys`."""
    n_named = code.co_argcount + code.co_kwonlyargcount
    stars = ["*"] * bool(code.co_flags & 0x04) + ["**"] * bool(code.co_flags & 0x08)
    return [*names[:n_named], *map("".join, zip(stars, names[n_named:]))]


def shown_path(path):
    return path[len(folder_at_start) :] if path.startswith(folder_at_start) else path


def qualified_name(code, frame):
    """The name of the code with those of the classes and functions around it."""
    name = getattr(code, "co_qualname", None)
    # what `dataclasses` makes is named after its own function
    if name is None or name.startswith("__create_fn__."):
        return found_name(code, frame)
    return name


def found_name(code, frame):
    """The name of the method that has this code, in the class of the first argument or in a class of the module; else
    the plain name."""
    owners = [frame.f_locals.get(code.co_varnames[0])] if code.co_argcount else []
    kinds = [kind for owner in owners for kind in (owner, type(owner)) if is_class(kind)]
    kinds += [kind for kind in list(dict.values(frame.f_globals)) if is_class(kind)]
    for kind in (one for kind in kinds for one in mro_of(kind)):
        of = dict_of(kind).get(code.co_name)
        if type(of) in (staticmethod, classmethod):
            of = of.__func__
        elif type(of) is property:
            of = of.fget
        if type(of) is types.FunctionType and of.__code__ is code:
            return of.__qualname__
    return code.co_name


def is_class(value):
    return any(base is type for base in mro_of(type(value)))


def module_names(spaces):
    """The names of the module with these globals: of the main module also that of its file."""
    name = dict.get(spaces, "__name__")
    name = name if type(name) is str else ""
    if name not in ("__main__", "__mp_main__"):
        return [name]
    file, spec = dict.get(spaces, "__file__"), dict.get(spaces, "__spec__")
    names = ["__main__"]
    if type(file) is str:
        names.append(os.path.splitext(os.path.basename(file))[0])
    if type(getattr(spec, "name", None)) is str:
        names.append(spec.name)
    return names


def is_library_file(path):
    return path.startswith(LIBRARY_FOLDERS) or "/site-packages/" in path or "/dist-packages/" in path


def is_library(code, spaces):
    """Whether a piece of code is of the standard library, of an installed package, or made by one of these."""
    path = code.co_filename
    if not path.startswith("<"):
        return is_library_file(path)
    if path.startswith("<frozen "):
        return True
    file, name = dict.get(spaces, "__file__"), dict.get(spaces, "__name__")
    if type(file) is str:
        return is_library_file(file)
    return name != "__main__"


def meet(code, frame):
    """The procedure of a piece of code that runs for the first time; None if it is not recorded."""
    if code.co_filename == THIS_FILE or (options.family is not None and code.co_filename == "<string>"):
        return None
    spaces, names = frame.f_globals, argument_names(code)
    modules, name = module_names(spaces), qualified_name(code, frame)
    if options.only:
        if not matches(options.only, modules, name, len(names)):
            left_out["only"] = True
            return None
    elif is_library(code, spaces):
        left_out["library"] = True
        return None
    if matches(options.skip, modules, name, len(names)):
        left_out["skip"] = True
        return None
    if len(procedures) > 100_000:
        procedures.clear()
    procedure = procedures[id(code)] = Procedure(code, name, modules[0], names)
    return procedure


# ---------------------------------------------------------------------------------------------------------------------
# Events. A box is a call that has not ended: (procedure, call, depth, end of its lines, arguments, arguments to read
# again). A call that a limit leaves out has a box too, with the call and the depth of the box around it, None for
# arguments, and the limit in the last place. Boxes are found by the address of their frame; no frame is held, since a
# generator lives as long as its frame. The line that an event adds is complete before anything else is changed, so
# that an exception that a signal throws into these functions leaves boxes and lines as they were.

procedures = {}
boxes = {}
lines = []
left_out = {}
most_lines = 0
n_hook_errors = 0
has_leaked = False
leaked = None
ending = None

find_box = boxes.get
find_procedure = procedures.get
append = lines.append
getframe = sys._getframe
now = time.perf_counter_ns
new_call = itertools.count(1).__next__
DISABLE = sys.monitoring.DISABLE if IS_MONITORED else None


def started(code, offset, frame=None):
    """A call begins."""
    try:
        frame = frame or getframe(1)
        procedure = find_procedure(id(code))
        if procedure is None:
            procedure = meet(code, frame)
            if procedure is None:
                return DISABLE
            if IS_MONITORED:
                sys.monitoring.set_local_events(tool, code, LOCAL_EVENTS)
        back = frame.f_back
        box = find_box(id(back))
        if box is not None and box[0].code is back.f_code:
            place = back.f_lasti
            numbers = box[0].lines
            line = numbers.get(place)
            if line is None:
                line = numbers[place] = back.f_lineno or 0
            parent, depth, tail = box[1], box[2] + 1, box[3]
        else:
            parent, depth, tail, line = around(back)
        if has_limits and is_left_out(procedure, frame, parent, depth, tail):
            return
        again = None
        names = procedure.names
        if not has_args:
            args = ""
        elif names:
            args, again = arguments(procedure, names, frame)
        else:
            args = '"args":[],'
        if slot is not None:
            has_room()
        call = new_call()
        if line and parent:
            text = f'{procedure.call}{call},"parent":{parent},"depth":{depth},"line_number":{line},{args}"time":{now() - origin}{tail}'
        else:
            text = first(procedure, call, parent, depth, line, args, tail)
        boxes[id(frame)] = (procedure, call, depth, tail, args, again)
        append(text)
        if len(lines) >= most_lines:
            full()
    except BaseException as error:
        escape(error)


def first(procedure, call, parent, depth, line, args, tail):
    """The line of a call without a box around it, or from no line of a recorded procedure."""
    parent = f',"parent":{parent}' if parent else ""
    line = f',"line_number":{line}' if line else ""
    return f'{procedure.call}{call}{parent},"depth":{depth}{line},{args}"time":{now() - origin}{tail}'


def arguments(procedure, names, frame):
    """The arguments of a call as a part of its line, and those that may change until it ends."""
    again = None
    try:
        values = frame.f_locals
        texts = []
        for name in names:
            value = values[name]
            kind = type(value)
            if kind is int and -BIG < value < BIG:
                texts.append(repr(value))
                continue
            if kind is list or kind is tuple:
                numbers = integers(value, most_text)
                if numbers is not None:
                    texts.append(f'"[{numbers}]"')
                    if kind is list:
                        if again is None:
                            again = []
                        again.append((len(texts) - 1, name, id(value), value[:MOST_KEPT]))
                    continue
            texts.append(argument(value))
            if kind is not str and kind is not int and value is not None and kind is not bool and kind is not float:
                if again is None:
                    again = []
                again.append((len(texts) - 1, name, id(value), None))
        if CLEARS_LOCALS:
            values.clear()
    except Exception as error:
        if is_foreign(error):
            raise
        again, texts = None, [f'"{MARK}"' for name in names]
        count_error()
    args = f'"args":[{",".join(texts)}],'
    return args, (texts, again) if again and procedure.rereads else None


def is_same(value, before):
    """Whether a value is a list with these members, which are integers."""
    return type(value) is list and len(value) == len(before) and all(map(is_, value, before))


def reread(again, args, frame):
    """The arguments of a call at a later event, where those that can change are written as they are then, unless
    their names stand for something else by now."""
    try:
        values = frame.f_locals
        texts = list(again[0])
        for place, name, identity, before in again[1]:
            value = values.get(name)
            if id(value) == identity and not (before and is_same(value, before)):
                texts[place] = argument(value)
        if CLEARS_LOCALS:
            values.clear()
        return f'"args":[{",".join(texts)}],'
    except Exception as error:
        if is_foreign(error):
            raise
        count_error()
        return args


def result(value):
    """The result as a part of a line."""
    if not has_args:
        return ""
    try:
        return f'"result":{argument(value)},'
    except Exception as error:
        if is_foreign(error):
            raise
        count_error()
        return f'"result":"{MARK}",'


def returned(code, offset, value, frame=None):
    """A call ends with a result."""
    try:
        frame = frame or getframe(1)
        box = find_box(id(frame))
        if box is None:
            return
        procedure, call, depth, tail, args, again = box
        if procedure.code is not code:
            return
        if args is None:
            del boxes[id(frame)]
            return
        line = procedure.lines.get(offset)
        if line is None:
            line = procedure.lines[offset] = frame.f_lineno or 0
        try:
            if again is not None:
                args = reread(again, args, frame)
            if type(value) is int and -BIG < value < BIG and has_args:
                value = f'"result":{value!r},'
            else:
                value = result(value)
        except RecursionError:
            value = ""
        if procedure.kind:
            value += '"why":"return",'
        text = f'{procedure.exit}{call},"depth":{depth},"line_number":{line},{args}{value}"time":{now() - origin}{tail}'
        del boxes[id(frame)]
        append(text)
        if depth == 1:
            note_end(frame, None)
        if len(lines) >= most_lines:
            full()
    except BaseException as error:
        escape(error)


def yielded(code, offset, value, frame=None):
    """A generator or a coroutine is left, to be entered again."""
    try:
        frame = frame or getframe(1)
        box = find_box(id(frame))
        if box is None or box[0].code is not code:
            return
        procedure, call, depth, tail, args, again = box
        if args is None:
            return
        is_pause = procedure.kind != GENERATOR
        if procedure.kind == ASYNC_GENERATOR and name_of(type(value)) == "async_generator_wrapped_value":
            is_pause, value = False, gc.get_referents(value)[0]
        why = '"why":"await",' if is_pause else '"why":"yield",'
        try:
            why = why if is_pause else result(value) + why
            if again is not None:
                args = reread(again, args, frame)
        except RecursionError:
            pass
        line = frame.f_lineno or 0
        append(f'{procedure.exit}{call},"depth":{depth},"line_number":{line},{args}{why}"time":{now() - origin}{tail}')
        if len(lines) >= most_lines:
            full()
    except BaseException as error:
        escape(error)


def resumed(code, offset, thrown=None, frame=None):
    """A generator or a coroutine is entered again, perhaps by an exception that is thrown into it."""
    try:
        frame = frame or getframe(1)
        box = find_box(id(frame))
        if box is None or box[0].code is not code:
            return
        procedure, call, depth, tail, args, again = box
        if args is None:
            return
        if slot is not None:
            has_room()
        caller = find_box(id(frame.f_back))
        try:
            is_inside = caller is not None and caller[0].code is frame.f_back.f_code
            tail = caller[3] if is_inside else around(frame.f_back)[2]
            if again is not None:
                args = reread(again, args, frame)
        except RecursionError:
            pass
        line = frame.f_lineno or 0
        text = f'{procedure.redo}{call},"depth":{depth},"line_number":{line},{args}"time":{now() - origin}{tail}'
        boxes[id(frame)] = (procedure, call, depth, tail, args, again)
        append(text)
        if len(lines) >= most_lines:
            full()
    except BaseException as error:
        escape(error)


def unwound(code, offset, error, frame=None):
    """An exception leaves a call."""
    try:
        trace = None if error is None else error.__traceback__
        called = None if trace is None else trace.tb_next
        # a signal may come before the first statement of a function here; the limit of recursion leaves no room to mend
        is_ours = called is not None and called.tb_frame.f_code.co_filename == THIS_FILE
        if has_leaked or is_ours and type(error) is not RecursionError:
            mend(error)
        frame = frame or getframe(1)
        box = find_box(id(frame))
        if box is None or box[0].code is not code:
            if frame.f_back is None and type(error) in (SystemExit, KeyboardInterrupt):
                note_end(frame, error)
            return
        procedure, call, depth, tail, args, again = box
        if args is None:
            del boxes[id(frame)]
            return
        what = ""
        try:
            what = raised(error)
            if again is not None:
                args = reread(again, args, frame)
        except RecursionError:
            pass
        line = frame.f_lineno or 0
        text = f'{procedure.raised}{call},"depth":{depth},"line_number":{line},{args}{what}"time":{now() - origin}{tail}'
        del boxes[id(frame)]
        append(text)
        if depth == 1:
            note_end(frame, error)
        if len(lines) >= most_lines:
            full()
    except BaseException as error:
        escape(error)


def has_room():
    """Raises RecursionError if calls are too deep for a function that keeps a line: before anything is changed."""


def at_line(code, line, frame=None):
    """A line is about to run."""
    try:
        frame = frame or getframe(1)
        box = find_box(id(frame))
        if box is None or box[0].code is not code or box[4] is None:
            return
        append(f'{box[0].line}{box[1]},"depth":{box[2]},"line_number":{line},"time":{now() - origin}{box[3]}')
        if len(lines) >= most_lines:
            full()
    except BaseException as error:
        escape(error)


def around(frame):
    """The nearest recorded box from a frame outwards: (call, depth inside, end of lines, line in it)."""
    task = current_task()
    while frame is not None:
        box = find_box(id(frame))
        if box is not None and box[0].code is frame.f_code:
            return box[1], box[2] + 1, tail_of(task) if task else box[3], frame.f_lineno
        frame = frame.f_back
    return None, 1, tail_of(task), 0


def is_left_out(procedure, frame, parent, depth, tail):
    """Whether a limit leaves a call out."""
    procedure.n_calls += 1
    if options.depth is not None and depth > options.depth:
        limit = "depth"
    elif options.sample and (procedure.n_calls - 1) % options.sample:
        limit = "sample"
    else:
        return False
    left_out[limit] += 1
    boxes[id(frame)] = (procedure, parent, depth - 1, tail, None, limit)
    return True


def raised(error):
    """An exception as a part of a line."""
    if error is None:
        return ""
    try:
        return f'"exception":{quoted(qualname_of_class(type(error)))},"message":{quoted(message_of(error))},'
    except Exception as failure:
        if is_foreign(failure):
            raise
        count_error()
        return '"exception":"…",'


def message_of(error):
    """The text of an exception, without running its class's `__str__`."""
    args = args_of_exception(error)
    if len(args) == 1 and type(args[0]) is str:
        return text_cut(whole(args[0]))
    if len(args) > 1 and OSError in mro_of(type(error)) and type(args[0]) is int and type(args[1]) is str:
        name = OSError.__dict__["filename"].__get__(error)
        return text_cut(f"[Errno {args[0]}] {args[1]}" + ("" if name is None else f": {term(name, 0, most_text)}"))
    return text_cut(", ".join(term(value, 1, most_text) for value in args))


def text_cut(text):
    if len(text) <= most_text:
        return text
    cut()
    return text[: most_text - 1] + "…"


def note_end(frame, error):
    """Keeps how the main thread's outermost frame ended."""
    global ending
    if _thread.get_ident() != main_thread:
        return
    if error is None:
        ending = ("ok", 0)
    elif SystemExit in mro_of(type(error)):
        ending = ("halted", status_of(SystemExit.__dict__["code"].__get__(error)))
    elif KeyboardInterrupt in mro_of(type(error)):
        ending = ("interrupted", 130)
    else:
        ending = (f"{qualname_of_class(type(error))}: {message_of(error)}", 1)


def status_of(code):
    """The exit status that a value of `sys.exit` gives."""
    if code is None:
        return 0
    if type(code) is bool or type(code) is int:
        return code & 0xFF
    return 1


# ---------------------------------------------------------------------------------------------------------------------
# Errors


def is_thrown(error):
    """Whether an exception was thrown in here by the program: by a handler of a signal."""
    if not isinstance(error, Exception):
        return True
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename != THIS_FILE


def is_foreign(error):
    """Whether an exception is the program's: so is one that says that its calls are too deep."""
    return isinstance(error, RecursionError) or is_thrown(error)


def escape(error, frame=None):
    """Counts an error of the recorder; hands one of the program on to it."""
    global has_leaked, leaked
    # the limit of recursion leaves no room for a question about an exception that says it
    if type(error) is not RecursionError and not is_foreign(error):
        count_error()
        return
    has_leaked = True
    if not IS_MONITORED:
        leaked = (error, frame)
        sys.setprofile(trace_again)
    raise error


def count_error():
    global n_hook_errors
    n_hook_errors += 1


def mend(error):
    """Takes the recorder's frames from the trace of an exception that a handler of a signal threw into them."""
    global has_leaked
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        if trace.tb_next.tb_frame.f_code.co_filename == THIS_FILE:
            trace.tb_next = trace.tb_next.tb_next
            has_leaked = False
        else:
            trace = trace.tb_next


# ---------------------------------------------------------------------------------------------------------------------
# Threads, tasks and processes

names_of_threads = {}
of_thread = _thread._local()
main_thread = _thread.get_ident()


def thread_name():
    """The name of this thread, told apart from those of other threads."""
    try:
        return of_thread.name
    except AttributeError:
        pass
    name = "MainThread" if _thread.get_ident() == main_thread else "thread"
    threading = sys.modules.get("threading")
    thread = getattr(threading, "_active", {}).get(_thread.get_ident())
    if thread is not None:
        given = object.__getattribute__(thread, "_name")
        name = given if type(given) is str else name
    n = names_of_threads[name] = names_of_threads.get(name, 0) + 1
    of_thread.name = name if n == 1 else f"{name}#{n}"
    return of_thread.name


def tail_of(task):
    """The end of the lines of this thread and task."""
    task = f',"task":{quoted(task)}' if task else ""
    return f',"pid":{pid},"thread":{quoted(thread_name())}{task}}}\n'


def current_task():
    """The name of the task of asyncio that runs in this thread; None if none does."""
    tasks, c_part = sys.modules.get("asyncio.tasks"), sys.modules.get("_asyncio")
    if tasks is None or c_part is None:
        return None
    loop = c_part._get_running_loop()
    task = None if loop is None else tasks.current_task(loop)
    if task is None:
        return None
    try:
        name = c_part.Task.get_name(task)
    except TypeError:
        name = "task"
    return name if type(name) is str else "task"


class Family:
    """What the processes of one trace share, in a file: a lock, the number of events written, whether the first
    process has ended, the number of processes, when the clock began, and what the processes left out; from SLOT on a
    slot for each process but the first."""

    def __init__(self, fd):
        import fcntl

        self.lockf, self.fd = fcntl.lockf, high(fd)
        self.lock()
        self.is_new = os.fstat(self.fd).st_size == 0
        if self.is_new:
            os.pwrite(self.fd, b"%020d-%020d%020d" % (n_written, 0, origin), 0)
        self.unlock()

    def lock(self):
        self.lockf(self.fd, 2)

    def unlock(self):
        self.lockf(self.fd, 8)

    def total(self):
        return int(os.pread(self.fd, 20, 0))

    def set_total(self, n):
        os.pwrite(self.fd, b"%020d" % n, 0)

    def new_process(self):
        """The number of one more process."""
        self.lock()
        number = int(os.pread(self.fd, 20, 21)) + 1
        os.pwrite(self.fd, b"%020d" % number, 21)
        self.unlock()
        return number

    def origin(self):
        return int(os.pread(self.fd, 20, 41))

    def has_ended(self):
        return os.pread(self.fd, 1, 20) == b"E"

    def begin(self):
        os.pwrite(self.fd, b"-", 20)

    def end(self):
        os.pwrite(self.fd, b"E", 20)

    def tell(self, facts):
        """Adds what a process left out."""
        told = self.told()
        for key, value in facts.items():
            told[key] = told.get(key, 0) + int(value)
        os.pwrite(self.fd, text_of_facts(told), 61)

    def told(self):
        """What all processes left out, summed up."""
        return facts_of_text(os.pread(self.fd, FACTS, 61))

    def slots(self):
        """The places of all slots."""
        return range(SLOT, os.fstat(self.fd).st_size, SLOT)

    def collect(self, place):
        """Writes what a process left in its slot if it was killed, and counts what it left out; whether the slot is
        free."""
        number, is_open, is_written = os.pread(self.fd, 20, place), *os.pread(self.fd, 2, place + 20)
        if not int(number):
            return True
        if is_alive(int(number)):
            return False
        facts = facts_of_text(os.pread(self.fd, FACTS, place + 22))
        kept = os.pread(self.fd, SLOT - LINES, place + LINES).partition(b"\0")[0].splitlines(keepends=True)
        if kept and is_written == OPEN:
            # it was killed while it wrote them: they may be in the trace
            facts["lost"] = facts.get("lost", 0) + 1
        elif kept:
            room = len(kept) if options.max_events is None else max(options.max_events - self.total(), 0)
            kept = [line for line in kept if line.endswith(b"\n")][:room]
            if put(b"".join(kept)):
                self.set_total(self.total() + len(kept))
        self.tell({**facts, "stopped": is_open == OPEN})
        os.pwrite(self.fd, bytes(SLOT), place)
        os.pwrite(self.fd, b"%020d" % 0, place)
        return True


# a slot: the process, whether it has open calls, whether its lines are being written; what it left out; its lines
SLOT, FACTS, LINES = 1 << 17, 1000, 1024
OPEN = ord("+")


def text_of_facts(facts):
    return "".join(f"{key}={int(value)}\n" for key, value in facts.items()).encode().ljust(FACTS, b"\0")


def facts_of_text(text):
    return {key: int(value) for key, value in (line.split("=") for line in text.rstrip(b"\0").decode().split())}


def is_alive(number):
    """Whether a process runs; one that has ended, but was not waited for yet, does not."""
    try:
        with open(f"/proc/{number}/stat", "rb") as told:
            return told.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        pass
    try:
        os.kill(number, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return not os.path.exists("/proc/self/stat")


class Slot:
    """The part of the family's file that keeps the lines of this process until they are written. So a process but the
    first may be killed at any time, by signals that the recorder does not handle: a handler in Python does not run
    while the process waits for a semaphore of `multiprocessing`, whose owner may be gone."""

    def __init__(self):
        self.keeping = _thread.allocate_lock()
        self.n_bytes, self.was_open, self.counted = 0, None, None
        family.lock()
        self.place = next(filter(family.collect, family.slots()), None)
        if self.place is None:
            self.place = -(-max(os.fstat(family.fd).st_size, 1) // SLOT) * SLOT
            os.pwrite(family.fd, b"\0", self.place + SLOT - 1)
        os.pwrite(family.fd, b"%020d--" % os.getpid(), self.place)
        family.unlock()

    def keep(self, text):
        """Adds a line."""
        with self.keeping:
            lines.append(text)
            data = text.encode("utf-8", "backslashreplace")
            is_full = LINES + self.n_bytes + len(data) >= SLOT
            if not is_full:
                os.pwrite(family.fd, data, self.place + LINES + self.n_bytes)
                self.n_bytes += len(data)
            is_open = bool(boxes)
            if is_open is not self.was_open:
                os.pwrite(family.fd, b"+" if is_open else b"-", self.place + 20)
                self.was_open = is_open
            counted = n_cut + n_hook_errors + left_out["depth"] + left_out["sample"]
            if counted != self.counted:
                os.pwrite(family.fd, text_of_facts(own_facts()), self.place + 22)
                self.counted = counted
        if is_full:
            flush()

    def write(self):
        """Says that the lines are being written."""
        os.pwrite(family.fd, b"+", self.place + 21)

    def drop(self):
        """Forgets the lines that were written."""
        with self.keeping:
            data = "".join(lines).encode("utf-8", "backslashreplace")[: SLOT - LINES - 1]
            os.pwrite(family.fd, data.ljust(self.n_bytes, b"\0"), self.place + LINES)
            self.n_bytes = len(data)
            os.pwrite(family.fd, b"-", self.place + 21)

    def leave(self):
        os.pwrite(family.fd, b"%020d" % 0, self.place)


def unnamed_file():
    if hasattr(os, "memfd_create"):
        return os.memfd_create("papaver")
    import tempfile

    fd, path = tempfile.mkstemp()
    os.unlink(path)
    return fd


def meeting_point(path):
    """The file where all Python programs of one command meet, if `papaver record` started it: it has put the pipe
    beside this file."""
    if stat.S_ISFIFO(identity.st_mode) and os.path.realpath(os.path.dirname(path)) == os.path.realpath(HERE):
        return os.open(os.path.join(HERE, "family"), os.O_RDWR | os.O_CREAT, 0o600)
    return None


family = None
slot = None
next_process = 0
is_replaced_soon = False
mask_before_fork = None


def before_fork():
    """Signals that the recorder handles wait until the child is ready: it would forget them."""
    global family, next_process, mask_before_fork
    stop_ticking()
    if fd is None:
        return
    flush()
    family = family or Family(unnamed_file())
    mask = _signal.pthread_sigmask(_signal.SIG_BLOCK, handled())
    writers.add(_thread.get_ident())
    writing.acquire()
    mask_before_fork, next_process = mask, family.new_process()


def after_fork_in_parent():
    global most_lines, mask_before_fork
    most_lines = min(most_lines, 1)
    if mask_before_fork is not None:
        mask, mask_before_fork = mask_before_fork, None
        writing.release()
        writers.discard(_thread.get_ident())
        _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)
        die_of_pending()


def after_fork_in_child():
    """A child goes on in the same trace: with its own numbers of calls, outside of the boxes of its parent."""
    global writing, pid, is_first, main_thread, new_call, n_cut, n_hook_errors, n_lost, mask_before_fork
    parent_pid, pid, is_first = pid, os.getpid(), False
    writing, main_thread = _thread.allocate_lock(), _thread.get_ident()
    writers.clear()
    n_cut = n_hook_errors = n_lost = 0
    lines.clear()
    left_out.update((key, 0) for key in ("depth", "sample"))
    around_fork = around(getframe(1))[0]
    boxes.clear()
    new_call = numbers_of(next_process)
    begin_process(parent_pid, around_fork)
    for number in handled():
        original_signal(number, _signal.SIG_DFL)
    if mask_before_fork is not None:
        mask, mask_before_fork = mask_before_fork, None
        _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)


def handled():
    """The signals that the recorder handles."""
    return [number for number in (_signal.SIGTERM, _signal.SIGHUP) if original_getsignal(number) is die_of]


def numbers_of(process):
    """The numbers of the calls of a process: far from those of the others."""
    return itertools.count(process * 10**12 + 1).__next__


def begin_process(parent_pid, call):
    global most_lines, slot, append
    slot = append = None
    if fd is not None and not is_first and not is_replaced_soon:
        slot = Slot()
    append = lines.append if slot is None else slot.keep
    forked_in = f',"forked_in":{call}' if call else ""
    append(f'{{"port":"process","parent_pid":{parent_pid}{forked_in},"time":{now() - origin}{tail_of(None)}')
    most_lines = 1


def spawning(fork_exec):
    """Programs that `multiprocessing` starts with `spawn` and `forkserver` go on in the same trace."""

    def fork_exec_of_papaver(args, executables, close_fds, keep, cwd, env, *rest):
        global is_replaced_soon
        if is_of_multiprocessing(args) and fd is not None:
            keep, env = child_of_spawn(keep, env)
        is_replaced_soon = True
        try:
            return fork_exec(args, executables, close_fds, keep, cwd, env, *rest)
        finally:
            is_replaced_soon = False

    return fork_exec_of_papaver


def is_of_multiprocessing(args):
    texts = [os.fsdecode(arg) for arg in args if isinstance(arg, (str, bytes))]
    return "--multiprocessing-fork" in texts or any(
        text.startswith("from multiprocessing.forkserver import main") for text in texts
    )


def child_of_spawn(keep, env):
    """The files and the environment of a process that is to go on in this trace."""
    global family
    family = family or Family(unnamed_file())
    of_child = dict(os.environb)
    if env is not None:
        of_child = dict(entry.split(b"=", 1) for entry in env)
    asked = f"{options_text}\nprocess={family.new_process()}\nfamily={family.fd}"
    of_child[b"PAPAVER_OUT"] = b"/dev/fd/%d" % fd
    of_child[b"PAPAVER_OPTIONS"] = asked.encode()
    path = [os.fsencode(HERE), of_child.get(b"PYTHONPATH")]
    of_child[b"PYTHONPATH"] = os.fsencode(os.pathsep).join(filter(None, path))
    return tuple(sorted({*keep, fd, family.fd})), [name + b"=" + value for name, value in of_child.items()]


# ---------------------------------------------------------------------------------------------------------------------
# Writing

fd = None
n_written = 0
n_lost = 0
SIGNALS = _signal.valid_signals()
writing = _thread.allocate_lock()
# the threads that write, or are about to
writers = set()
pending_signal = None
is_over = False


def high(low):
    """The same file under a high number, out of the way of the program."""
    for number in (1000, 900, 250, 240):
        try:
            os.fstat(number)
        except OSError:
            try:
                os.dup2(low, number, inheritable=False)
            except OSError:
                continue
            os.close(low)
            return number
    return low


def open_out(path):
    global fd, identity, out_path
    flags = os.O_WRONLY | os.O_APPEND | (0 if options.family is not None else os.O_CREAT | os.O_TRUNC)
    try:
        low = os.open(path, flags, 0o600)
        if options.family is not None:
            os.close(int(path.rpartition("/")[2]))
    except OSError as error:
        refuse(f"cannot write {path}: {error.strerror}")
    fd, out_path = high(low), path
    identity = os.fstat(fd)


def full():
    """There are as many lines as are written at once; the thread that writes them in time runs from the first on."""
    start_ticking()
    flush()


def flush():
    """Writes all lines."""
    alone(write_lines)


def write_lines():
    while lines and fd is not None:
        write_batch()


def signal_mask():
    """The signals that wait. Whoever blocks more begins to restore them before: a handler of a signal that came just
    before runs when signals are blocked, and may throw."""
    return _signal.pthread_sigmask(_signal.SIG_BLOCK, ())


def alone(write, *args):
    """Writes to the trace while no other thread does. Signals wait meanwhile: an exception of a handler would leave it
    open what was written."""
    this = _thread.get_ident()
    if this in writers:
        return
    mask = signal_mask()
    try:
        _signal.pthread_sigmask(_signal.SIG_BLOCK, SIGNALS)
        writers.add(this)
        try:
            with writing:
                write(*args)
        finally:
            writers.discard(this)
        die_of_pending()
    finally:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)


def write_batch():
    global n_written, most_lines
    batch = lines[:]
    if family is not None:
        family.lock()
    try:
        if family is not None and family.has_ended():
            return stop()
        total = n_written if family is None else family.total()
        if options.max_events is not None:
            batch = batch[: max(options.max_events - total, 0)]
        if slot is not None:
            slot.write()
        if not put("".join(batch).encode("utf-8", "backslashreplace")):
            return stop()
        del lines[: len(batch)]
        n_written += len(batch)
        if family is not None:
            family.set_total(total + len(batch))
        if slot is not None:
            slot.drop()
    finally:
        if family is not None and fd is not None:
            family.unlock()
    room_for_more(total + len(batch))


def room_for_more(total):
    """Says how many lines are written next, and ends the recording after the last event that is asked for."""
    global most_lines, is_over
    # a process that becomes another program does so without a word
    most_lines = 1 if is_replaced_soon else 1000
    if options.max_events is not None:
        most_lines = min(most_lines, options.max_events - total)
        if most_lines <= 0:
            is_over = True
            unhook()
            lines.clear()


def put(data):
    """Writes bytes to the trace; whether that worked. Never to a file that the program opened under the number of a
    trace that it closed."""
    global fd
    try:
        if not is_ours():
            fd = high(os.open(out_path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK))
            os.set_blocking(fd, True)
            if not is_ours():
                os.close(fd)
                return False
        while data:
            data = data[os.write(fd, data) :]
        return True
    except OSError:
        return False


def is_ours():
    try:
        found = os.fstat(fd)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (identity.st_dev, identity.st_ino)


def stop():
    """Ends the recording: nobody reads it."""
    global fd
    unhook()
    fd = None
    lines.clear()


ticker = None


def start_ticking():
    """Starts the thread that writes the lines of each second, if it does not run."""
    global ticker
    if ticker is None and not is_over:
        ticker = (_thread.allocate_lock(), _thread.allocate_lock(), [])
        ticker[0].acquire()
        ticker[1].acquire()
        # the thread begins without signals: one that it took would not wake the thread whose handlers they are
        mask = signal_mask()
        try:
            _signal.pthread_sigmask(_signal.SIG_BLOCK, SIGNALS)
            _thread.start_new_thread(tick, ticker)
        except RuntimeError:
            ticker = None
        finally:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)


def tick(asked_to_end, has_ended, native_id):
    native_id.append(_thread.get_native_id())
    try:
        while not asked_to_end.acquire(timeout=1.0):
            flush()
    finally:
        has_ended.release()


def stop_ticking():
    """Ends the thread, and waits until the system has forgotten it: a fork warns of threads."""
    global ticker
    if ticker is None:
        return
    asked_to_end, has_ended, native_id = ticker
    ticker = None
    asked_to_end.release()
    if has_ended.acquire(timeout=2.0):
        path = f"/proc/self/task/{native_id[0]}"
        for _ in range(200):
            if not os.path.exists(path):
                break
            time.sleep(0.0001)


def json(value):
    """A fact of the header or the trailer."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(key)}:{json(value)}" for key, value in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


def write_header():
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    facts = {
        "papaver": 1,
        "port": "header",
        "source": "python " + sys.version.split()[0],
        "recorder": f"papaver {VERSION} python",
        "args": "terms",
        "start": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{nanoseconds:09}Z",
        "time": "ns",
        "pid": pid,
        "distorts": ["the limit of recursion is reached a few calls earlier"]
        + ([] if IS_MONITORED else ["values of local variables live until their call ends", "locals() follows them"]),
        "limits": options.told(),
    }
    if not put((json(facts) + "\n").encode("utf-8", "backslashreplace")):
        refuse("cannot write the trace")


def finish(end=None, status=None):
    """Writes what is left, and the trailer if this is the first process."""
    global n_lost
    stop_ticking()
    if fd is None:
        return
    if not is_over:
        # the program has traced itself since: nobody knows what was not recorded
        n_lost += not IS_MONITORED and _thread.get_ident() == main_thread and sys.gettrace() is not trace
        unhook()
        flush()
    if fd is None:
        return
    alone(close_trace, end, status)
    if is_first and options.folder:
        remove(options.folder)


def close_trace(end, status):
    global fd
    if fd is not None:
        write_trailer(end, status)
        os.close(fd)
        fd = None


def remove(folder):
    """Removes a folder. No module is imported for it: that could make the interpreter forget an interrupt."""
    try:
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            remove(path) if os.path.isdir(path) else os.unlink(path)
        os.rmdir(folder)
    except OSError:
        pass


TOLD_AS_TRUE = ("only", "skip", "library", "max_events")


def write_trailer(end, status):
    facts = own_facts()
    if family is not None:
        family.lock()
        facts["stopped"] = not is_first and end is not None and has_open_boxes(_thread.get_ident())
        family.tell(facts)
        if slot is not None:
            slot.leave()
        if not is_first:
            return family.unlock()
        # a process that goes on leaves its open calls behind
        goes_on = [place for place in family.slots() if not family.collect(place)]
        facts = family.told()
        facts["stopped"] += any(os.pread(family.fd, 1, place + 20) == b"+" for place in goes_on)
    errors, lost, is_stopped = (facts.pop(key, 0) for key in ("hook_errors", "lost", "stopped"))
    facts = {key: True if key in TOLD_AS_TRUE else value for key, value in facts.items() if value}
    if end is None:
        end, status = known_end()
        end = "halted" if end == "ok" and (is_stopped or has_open_boxes(None)) else end
    trailer = {"papaver": 1, "port": "trailer", "events": family.total() if family else n_written, "lost": lost}
    trailer["end"] = "limit" if "max_events" in facts else end
    trailer.update({} if status is None else {"status": status})
    facts.update({"no_args": True} if options.no_args else {})
    trailer.update({"hook_errors": errors, "left_out": facts})
    put((json(trailer) + "\n").encode("utf-8", "backslashreplace"))
    if family is not None:
        family.end()
        family.unlock()


def own_facts():
    """What this process left out."""
    return {**left_out, "text": n_cut, "max_events": is_over, "hook_errors": n_hook_errors, "lost": n_lost}


def known_end():
    """How the program ended, and its exit status if it is known."""
    if ending is not None:
        return ending
    error = getattr(sys, "last_value", None)
    if error is None:
        return "ok", None
    return f"{qualname_of_class(type(error))}: {message_of(error)}", 1


def has_open_boxes(this):
    """Whether threads besides this one, or this one too if its number is given, are inside of recorded calls: the
    end of the program stops them."""
    for thread, frame in sys._current_frames().items():
        while frame is not None and (thread == this or thread != _thread.get_ident()):
            box = find_box(id(frame))
            if box is not None and box[0].code is frame.f_code:
                return True
            frame = frame.f_back
    return False


# ---------------------------------------------------------------------------------------------------------------------
# Ends that no `atexit` function sees


def exiting(exit_now):
    def _exit(status):
        if type(status) is int:
            finish("halted", status & 0xFF)
        exit_now(status)

    return _exit


def replacing(execute):
    def exec_of_papaver(path, *rest, **keys):
        try:
            is_program = os.access(path, os.X_OK) and os.path.isfile(path)
        except (TypeError, ValueError):
            is_program = False
        if is_program:
            finish("halted")
        return execute(path, *rest, **keys)

    return exec_of_papaver


def die_of(number, frame=None):
    """Handles a signal that ends the program: writes everything, then dies of it."""
    global pending_signal
    if _thread.get_ident() in writers:
        pending_signal = number
        return
    finish("interrupted", 128 + number)
    original_signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), number)


def die_of_pending():
    """Dies of a signal that came while this thread wrote."""
    if pending_signal is not None and _thread.get_ident() == main_thread:
        die_of(pending_signal)


original_signal = _signal.signal
original_getsignal = _signal.getsignal


def getsignal(number):
    """The program sees the handler that it would have without the recorder."""
    handler = original_getsignal(number)
    return _signal.SIG_DFL if handler is die_of else handler


def watch_ends():
    atexit.register(finish)
    posix = sys.modules["posix"]
    for name, wrapped in (("_exit", exiting), ("execv", replacing), ("execve", replacing)):
        function = wrapped(getattr(posix, name))
        setattr(posix, name, function)
        setattr(os, name, function)
    for number in (_signal.SIGTERM, _signal.SIGHUP):
        if is_first and original_getsignal(number) == _signal.SIG_DFL:
            original_signal(number, die_of)
    _signal.getsignal = getsignal
    os.register_at_fork(
        before=before_fork, after_in_parent=after_fork_in_parent, after_in_child=after_fork_in_child
    )
    import _posixsubprocess

    _posixsubprocess.fork_exec = spawning(_posixsubprocess.fork_exec)


# ---------------------------------------------------------------------------------------------------------------------
# Hooks: from 3.12 on `sys.monitoring`. Before that `sys.settrace` without lines, which says what `sys.setprofile` does
# not: which exception leaves a call, and which one enters a generator; and which calls no function for those in C.


def hook():
    global tool, LOCAL_EVENTS
    if not IS_MONITORED:
        import threading

        threading.settrace(trace)
        return sys.settrace(trace)
    monitoring = sys.monitoring
    free = [number for number in (4, 3, 1, 2, 0) if monitoring.get_tool(number) is None]
    if not free:
        refuse("no tool number of sys.monitoring is free")
    tool, of = free[0], monitoring.events
    monitoring.use_tool_id(tool, "papaver")
    LOCAL_EVENTS = of.PY_RETURN | of.PY_YIELD | of.PY_RESUME | (of.LINE if options.lines else 0)
    callbacks = {
        of.PY_START: started,
        of.PY_RESUME: resumed,
        of.PY_RETURN: returned,
        of.PY_YIELD: yielded,
        of.PY_UNWIND: unwound,
        of.PY_THROW: resumed,
        of.LINE: at_line,
    }
    for event, callback in callbacks.items():
        monitoring.register_callback(tool, event, callback)
    monitoring.set_events(tool, of.PY_START | of.PY_UNWIND | of.PY_THROW)


def unhook():
    """Ends the hooks; the program goes on at its own speed."""
    global is_hooked
    is_hooked = False
    if not IS_MONITORED:
        return sys.settrace(None)
    monitoring = sys.monitoring
    if monitoring.get_tool(tool) != "papaver":
        return
    monitoring.set_events(tool, 0)
    for procedure in list(procedures.values()):
        monitoring.set_local_events(tool, procedure.code, 0)
    for event in range(17):
        monitoring.register_callback(tool, 1 << event, None)
    monitoring.free_tool_id(tool)


is_hooked = True
# for each frame that an exception was raised in, or passed: the exception, and whether a line ran since
passing = {}
hidden = {}
# a question that goes some calls deep
ROOM = ((((((int,),),),),),)
YIELD_FROM, RETURN_VALUE, YIELD_VALUE, RESUME = b"H", 83, 86, 151


def trace(frame, event, arg):
    """A frame is entered, or entered again."""
    try:
        code = frame.f_code
        # calls that are too deep fail here, from where tracing goes on: this leaves room for what follows
        isinstance(None, ROOM)
        if id(code) in hidden or not is_hooked:
            return None
        enter(code, frame)
        if find_procedure(id(code)) is not None:
            frame.f_trace_lines = bool(options.lines)
            return trace_inside
        if len(hidden) > 100_000:
            hidden.clear()
        hidden[id(code)] = code
    except BaseException as error:
        escape(error, frame)
    return None


def enter(code, frame):
    box = find_box(id(frame))
    is_known = box is not None and box[0].code is code
    if not code.co_flags & 0x2A0 or is_fresh(frame, box[0] if is_known else None):
        started(code, 0, frame)
    elif is_known:
        resumed(code, 0, None, frame)


def is_fresh(frame, procedure):
    """Whether a frame of a generator is entered for the first time."""
    if sys.version_info < (3, 11):
        return frame.f_lasti < 0
    code = bytecode_of(frame.f_code, procedure)
    return code[frame.f_lasti] == RESUME and code[frame.f_lasti + 1] & 3 == 0


def bytecode_of(code, procedure):
    if procedure is None:
        return code.co_code
    if procedure.bytecode is None:
        procedure.bytecode = code.co_code
    return procedure.bytecode


def trace_inside(frame, event, arg):
    """What happens in a frame that is recorded."""
    try:
        if not is_hooked:
            return None
        if event == "return":
            trace_end(frame, arg)
        elif event == "exception":
            passing[id(frame)] = (arg[1], False)
            if frame.f_code.co_flags & 0x2A0:
                # a line that runs after an exception was thrown in shows that a later `yield` is one
                frame.f_trace_lines = True
        elif event == "line":
            if id(frame) in passing:
                passing[id(frame)] = (passing[id(frame)][0], True)
            if options.lines:
                at_line(frame.f_code, frame.f_lineno, frame)
            else:
                frame.f_trace_lines = False
    except BaseException as error:
        escape(error, frame)
    return trace_inside


def trace_end(frame, value):
    """A frame is left, by a result or by an exception."""
    code = frame.f_code
    error, is_handled = passing.pop(id(frame), (None, True))
    box = find_box(id(frame))
    if box is None or box[0].code is not code:
        return
    text, place = bytecode_of(code, box[0]), frame.f_lasti
    if text[place] == RETURN_VALUE:
        returned(code, place, value, frame)
    elif is_handled and (text[place] == YIELD_VALUE or text[place + 2 : place + 3] == YIELD_FROM):
        yielded(code, place, value, frame)
    else:
        unwound(code, place, error, frame)


def trace_again(frame, event, arg):
    """Goes on after an exception of a signal's handler, which ends tracing if it is thrown into a hook."""
    global leaked
    sys.setprofile(None)
    if not is_hooked or leaked is None:
        return
    (error, inner), leaked = leaked, None
    left = [frame] if event == "return" else []
    open_frames = []
    while frame is not None:
        open_frames.append(frame)
        frame = frame.f_back
    if inner is not None and inner not in open_frames:
        left.insert(0, inner)
    for frame in left:
        if id(frame) in boxes:
            unwound(frame.f_code, 0, error, frame)
    sys.settrace(trace)
    for frame in open_frames:
        if id(frame) in boxes:
            frame.f_trace = trace_inside


# ---------------------------------------------------------------------------------------------------------------------
# Start


def leave_no_marks():
    """The program finds its environment, its path and its own `sitecustomize` as they are without the recorder."""
    for name in ("PAPAVER_OUT", "PAPAVER_OPTIONS"):
        os.environ.pop(name, None)
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if folders[0] and os.path.realpath(folders[0]) == os.path.realpath(HERE):
        del folders[0]
        os.environ.pop("PYTHONPATH", None)
        if folders:
            os.environ["PYTHONPATH"] = os.pathsep.join(folders)
        sys.path[:] = (path for path in sys.path if os.path.realpath(path or ".") != os.path.realpath(HERE))
    sys.path_importer_cache.pop(HERE, None)


def start():
    global options, options_text, most_text, most_levels, has_args, has_limits, CLEARS_LOCALS
    global pid, is_first, origin, folder_at_start, new_call, family
    options_text = os.environ.get("PAPAVER_OPTIONS", "")
    options = Options(options_text)
    most_text, most_levels, has_args = options.text, 2 * options.levels + 2, not options.no_args
    has_limits = options.depth is not None or options.sample is not None
    left_out.update(depth=0, sample=0)
    # until 3.12 a frame keeps the dictionary of its variables, and with it their values
    CLEARS_LOCALS = sys.version_info[:2] == (3, 12)
    folder_at_start = os.path.join(os.getcwd(), "")
    pid, is_first = os.getpid(), options.family is None
    origin = now()
    open_out(os.environ.get("PAPAVER_OUT", "trace.jsonl"))
    leave_no_marks()
    meeting = meeting_point(out_path) if is_first else high(options.family)
    family = None if meeting is None else Family(meeting)
    if family is None or family.is_new:
        write_header()
    else:
        origin, number = family.origin(), options.process or family.new_process()
        new_call = numbers_of(number)
        if is_first:
            family.begin()
        begin_process(os.getppid(), None)
    watch_ends()
    hook()


start()
del sys.modules["sitecustomize"]
import sitecustomize
