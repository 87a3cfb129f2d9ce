"""Bills of a shop: python3 bill.py, or with --fast, which should change nothing but the time it takes."""
import sys
from dataclasses import dataclass

PRICES = {"tea": 400, "jam": 350, "bread": 280}
FAST = "--fast" in sys.argv


@dataclass
class Customer:
    name: str
    discount: int


def computed(item, customer):
    return PRICES[item] * (100 - customer.discount) // 100


known = {}


def price(item, customer):
    key = item if FAST else (item, customer.name)
    if key not in known:
        known[key] = computed(item, customer)
    return known[key]


def bill(customer, items):
    total = 0
    for item in items:
        total += price(item, customer)
    return total


def main():
    ann, bob = Customer("ann", 10), Customer("bob", 0)
    for customer, items in [(ann, ["tea", "jam"]), (bob, ["jam", "bread"]), (ann, ["bread"])]:
        print(customer.name, bill(customer, items))


main()
