"""Two tellers pay into one account, and neither locks it."""
import threading
import time

accounts = {"ann": 100}


def read(name):
    return accounts[name]


def write(name, amount):
    accounts[name] = amount


def deposit(name, amount):
    before = read(name)
    time.sleep(0.001)  # prints the receipt
    write(name, before + amount)


def teller(amounts):
    for amount in amounts:
        deposit("ann", amount)
        time.sleep(0.0012)


def main():
    tellers = [threading.Thread(target=teller, args=(amounts,)) for amounts in ([5, 7], [20, 30])]
    for one in tellers:
        one.start()
    for one in tellers:
        one.join()
    print(read("ann"), "and not", 100 + 5 + 7 + 20 + 30)


main()
