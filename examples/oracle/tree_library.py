"""Facts for tree_library.cot."""

from differences import derivative, fact, gradient, second

NUMBERS = [3.0, 1.5, 4.2, 2.1, 0.7, 5.5]


def levels(xs):
    """The level of each number in the search tree"""
    tree, level = None, []
    for x in xs:
        node, k = [x, None, None], 0
        if tree is None:
            tree = node
        else:
            at = tree
            while True:
                k, side = k + 1, 1 if x < at[0] else 2
                if at[side] is None:
                    at[side] = node
                    break
                at = at[side]
        level.append(k)
    return level


def discounted(rate, xs):
    return sum(rate**k * x * x for k, x in zip(levels(xs), xs))


fact("depth and total", (max(levels(NUMBERS)) + 1, sum(NUMBERS), discounted(0.8, NUMBERS)))
fact("gradient in the numbers", gradient(lambda xs: discounted(0.8, xs), NUMBERS))
f = lambda rate: discounted(rate, NUMBERS)
fact("gradient in the rate and its derivative", (derivative(f, 0.8), second(f, 0.8)))
