"""Arguments that fight back: none of their code may run because a recorder looks at them."""
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import math
import pathlib
import re
import sys
import types

ran = []


def spy(name, result=None):
    def method(*args):
        ran.append(name)
        if isinstance(result, type):
            raise result(name)
        return result

    return method


class Meta(type):
    __hash__ = spy("Meta.__hash__", 1)
    __eq__ = spy("Meta.__eq__", True)
    __instancecheck__ = spy("Meta.__instancecheck__", True)

    def __getattribute__(cls, name):
        ran.append("Meta.__getattribute__")
        return type.__getattribute__(cls, name)


class Hostile(metaclass=Meta):
    for name in ("__repr__", "__str__", "__len__", "__iter__", "__bool__", "__eq__", "__hash__", "__format__"):
        locals()[name] = spy(name, ValueError)
    __getattribute__ = spy("__getattribute__", KeyError)
    __getattr__ = spy("__getattr__", KeyError)
    __class__ = property(spy("__class__", int))
    __dict__ = property(spy("__dict__", {"no": 1}))
    lazy = property(spy("lazy", 1))


class Endless:
    def __repr__(self):
        while True:
            pass

    def __iter__(self):
        return self

    def __next__(self):
        ran.append("next")
        return 1


class Whole(int):
    __repr__ = __str__ = __index__ = __int__ = __bool__ = __hash__ = __eq__ = __lt__ = spy("Whole", 7)


class Text(str):
    __repr__ = __str__ = __len__ = __getitem__ = __iter__ = __hash__ = __eq__ = spy("Text", "no")


class Row(list):
    __repr__ = __len__ = __iter__ = __getitem__ = __bool__ = spy("Row", 0)


class Table(dict):
    __repr__ = __len__ = __iter__ = __getitem__ = items = keys = values = get = spy("Table", {})


class Bag(set):
    __repr__ = __len__ = __iter__ = __contains__ = copy = spy("Bag", 0)

    def __del__(self):
        ran.append("Bag.__del__")


class Bytes(bytes):
    __repr__ = __len__ = __getitem__ = decode = spy("Bytes", b"no")


class Real(float):
    __repr__ = __float__ = __eq__ = __sub__ = __pos__ = __gt__ = spy("Real", 0.0)


class Slots:
    __slots__ = ("a", "b", "__dict__")

    def __init__(self):
        self.a, self.c = 1, 3


class Narrow:
    __slots__ = ("one", "two")

    def __init__(self, one=1):
        self.one = one


@dataclasses.dataclass
class Point:
    x: int
    y: float = math.inf


Pair = collections.namedtuple("Pair", "left right")


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 3


class Failed(Exception):
    __str__ = __repr__ = spy("Failed.__str__", "no")


class Owner:
    def __init__(self):
        self.inner = Point(1)
        self.list = [Point(2)]


def show(value):
    return value


def fail(value):
    raise Failed(value, 1)


def mutate(values):
    values.append(4)
    return None


def rebind(values):
    values = None
    return values


def keep_locals(values):
    names = locals()
    extra = 1
    return names


def many(a, b=2, *rest, c, d=None, **keys):
    del a
    return len(rest)


def deep(n):
    value = []
    for _ in range(n):
        value = [value]
    return value


cyclic = [1]
cyclic.append(cyclic)
ring = {"a": 1}
ring["ring"] = ring
module = types.ModuleType("made")

for value in (
    0, -5, 10**17, 10**30, 10**5000, True, False, None, 1.5, 1e300, 1e22, -0.0, math.nan, math.inf, -math.inf, 2j,
    "", "it's \"quoted\" \\ \n\t\x00\x7f é 😀", "\ud800", "x" * 1000, "none", b"bytes\x00\xff", bytearray(b"ab"),
    [], [1, 2.5, "a", None, True], (), (1,), (1, (2, 3)), list(range(1000)), ["word"] * 1000, deep(100000),
    {}, {"a": 1, "it's": [2]}, {1: "a", (2, 3): None}, {None: None}, cyclic, ring, {"k" * 1000: "v" * 1000},
    set(), {3, 1, 2}, {"c", "a", "b"}, frozenset({1, "a"}), set(range(5000)), collections.deque([1, 2]),
    collections.OrderedDict(a=1), collections.Counter("aab"), collections.defaultdict(list, a=[1]),
    Hostile(), Endless(), Whole(5), Text("text"), Row([1, 2]), Table(a=1), Bag({1}), Bytes(b"abc"), Real(2.5),
    Slots(), Narrow(), Point(1), Pair(1, "b"), Colour.RED, Level.HIGH, Owner(), [Hostile()], {"h": Hostile()},
    ValueError("v", 2), KeyError("k"), show, len, Point, Hostile, show.__get__(1), [].append, module, re,
    range(5), slice(1, 2), iter([]), (i for i in []), Ellipsis, NotImplemented, object(), type, int,
    datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc),
    datetime.timedelta(1, 2), decimal.Decimal("1.50"), fractions.Fraction(1, 3), re.compile("a+b"),
    pathlib.PurePosixPath("/a/b"), memoryview(b"ab"), types.SimpleNamespace(a=1), {Whole(1): 2}, [Whole(1)],
    {"a": -1, "b": [-2.5]}, {-1: -0.0}, Point(-1, -math.inf), Pair(-0.0, -10**30), Narrow(-1), [complex(-0.0, -2)],
    types.SimpleNamespace(**{"-": -1, "is": -1.5}),
):  # fmt: skip
    show(value)

for function in (fail, mutate, rebind):
    try:
        function([1, 2, 3])
    except Failed:
        pass
many(1, 2, 3, 4, c=5, e=6)
if sys.version_info >= (3, 12):
    print(sorted(keep_locals([1])))
del value
print(ran)
