"""Calls with lists of numbers."""


def ordered(numbers):
    if not numbers:
        return []
    head, *tail = numbers
    return insert(head, ordered(tail))


def insert(number, numbers):
    if not numbers or number <= numbers[0]:
        return [number] + numbers
    return [numbers[0]] + insert(number, numbers[1:])


for k in range(200):
    ordered([(i * 7919 + k) % 101 for i in range(30)])
