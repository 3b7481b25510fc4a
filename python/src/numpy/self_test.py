# Runs expressions on small arrays and says what each gives, so that it can be told whether hooks change anything.
# Names of what has to be seen stand before the expressions.
EXPRESSIONS = [
    ("add", "a + b"),
    ("multiply", "np.multiply(a, 2.0)"),
    ("subtract", "a - b[0]"),
    ("matmul", "a @ b"),
    ("less", "a < b"),
    ("negative", "-a"),
    ("add", "c.__iadd__(1.0)"),
    ("exp", "np.exp(a, where=a > 2, out=np.zeros_like(a))"),
    ("dot", "np.dot(a, b)"),
    ("sum", "np.sum(a, axis=1)"),
    ("concatenate", "np.concatenate([a, b])"),
    ("where", "np.where(a > 2, a, b)"),
    ("add.reduce", "np.add.reduce(a)"),
    ("maximum.accumulate", "np.maximum.accumulate(a)"),
    ("ndarray.copy", "a.copy()"),
    ("ndarray.astype", "a.astype(np.float32)"),
    ("ndarray.mean", "a.mean(axis=0)"),
    ("ndarray.reshape", "a.reshape(-1)"),
    ("ndarray.argsort", "a.ravel().argsort()"),
    ("zeros", "np.zeros((2, 3))"),
    ("array", "np.array([1, 2, 3])"),
    ("getitem", "a[np.array([0, 2])]"),
    ("getitem", "a[1:, 0]"),
    ("", "list(a[0]), [row.tolist() for row in a], [*a[:0]]"),
    ("setitem", "operator.setitem(c, (slice(None), 1), 7.0), c.copy()"),
]

#: Those that raise: an error comes out as it went in.
ERRORS = ("a + np.ones(4)", "a[7]", "np.dot(a, 'x')", "list(a[0, 0:1].reshape(()))")


def compiled(expression):
    return compile(expression, "<calor self-test>", "eval")


EXPRESSIONS = [(name, compiled(expression)) for name, expression in EXPRESSIONS]
ERRORS = [compiled(expression) for expression in ERRORS]


def outcomes(np):
    import operator

    arrays = {
        "operator": operator,
        "np": np,
        "a": np.arange(9.0).reshape(3, 3),
        "b": np.arange(9.0, 18.0).reshape(3, 3),
        "c": np.ones((3, 3)),
    }
    found = []
    for name, code in EXPRESSIONS:
        value = eval(code, dict(arrays))
        found.append((name, repr(value)))
    for code in ERRORS:
        try:
            eval(code, dict(arrays))
            found.append(("", "no error"))
        except Exception as error:
            found.append(("", repr(error)))
    return found


def apart(probe):
    def calls():
        same = []
        for _ in range(2):
            same.append(probe())
        return probe(), probe(), same

    def another():
        return probe()

    first, second = calls(), calls()
    one, other, same = first
    return bool(one) and one != other and same[0] == same[1] and one not in same and first == second and another() != one
