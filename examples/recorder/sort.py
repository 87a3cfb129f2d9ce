def insert(x, sorted):
    if not sorted or x <= sorted[0]:
        return [x] + sorted
    return [sorted[0]] + insert(x, sorted[1:])

def sort(numbers):
    return insert(numbers[0], sort(numbers[1:])) if numbers else []

print(sort([3, 1, 2]))
