"""Calls of methods of small objects."""


class Node:
    def __init__(self, key):
        self.key = key
        self.left = self.right = None

    def add(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Node(key)
            else:
                self.left.add(key)
        elif self.right is None:
            self.right = Node(key)
        else:
            self.right.add(key)


root = Node(500)
for i in range(8000):
    root.add(i * 7919 % 1009 + i // 1009)
