"""Calls, generators, coroutines, exceptions, classes: what an independent count is compared with."""
import asyncio
import functools


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def count(n):
    i = 0
    while i < n:
        yield i
        i += 1


def evens(numbers):
    for number in numbers:
        if number % 2 == 0:
            yield number


def both(n):
    yield from count(n)
    return "done"


def silent():
    while True:
        yield


def catching():
    while True:
        try:
            yield
        except KeyError:
            pass


def bad(k):
    if k == 0:
        raise ValueError("zero", k)
    return bad(k - 1)


def guarded(k):
    try:
        return bad(k)
    except ValueError as error:
        return str(error)
    finally:
        fib(1)


def none_after_catch(k):
    try:
        bad(k)
    except ValueError:
        pass


class Missing(LookupError):
    def __init__(self, key):
        super().__init__(f"no {key!r}")


class Shop:
    total = 0

    def __init__(self, stock):
        self.stock = stock

    @property
    def size(self):
        return len(self.stock)

    @classmethod
    def of(cls, *names, **prices):
        return cls({name: 1 for name in names})

    @staticmethod
    def price(name, *, rate=2):
        return len(name) * rate

    def take(self, name):
        def gone():
            return self.stock.pop(name)

        if name not in self.stock:
            raise Missing(name)
        return gone()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


async def worker(name, n):
    total = 0
    for i in range(n):
        await asyncio.sleep(0)
        total += fib(i)
    return total


async def numbers(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)


async def broken():
    await asyncio.sleep(0)
    raise OSError(2, "No such file", "here")


async def main():
    found = await asyncio.gather(worker("a", 3), worker("b", 2), broken(), return_exceptions=True)
    return found[:2], [i async for i in numbers(3)]


@functools.lru_cache(maxsize=None)
def cached(n):
    return n + 1


def run():
    print(fib(7), list(evens(count(5))), list(both(2)))
    print(guarded(3), none_after_catch(2))
    shop = Shop.of("tea", "jam", milk=3)
    print(shop.size, shop.price("tea", rate=3), shop.take("tea"))
    with shop:
        shop.take("tea")
    print(asyncio.run(main()))
    print(sorted(["bb", "a"], key=lambda word: len(word)), cached(1), cached(1))
    still = silent()
    next(still), next(still)
    try:
        still.throw(ZeroDivisionError("thrown"))
    except ZeroDivisionError:
        pass
    keeps = catching()
    next(keeps)
    print(keeps.throw(KeyError("kept")), keeps.send(1))
    dropped = count(3)
    print(next(dropped))


run()
late = count(4)


def first_of(numbers):
    return next(numbers)


print(first_of(late), list(late))
