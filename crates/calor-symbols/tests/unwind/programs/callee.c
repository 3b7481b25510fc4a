/* A library to be called through a linkage table. */
long callee_leaf(long n) { return n * 3 + 1; }

long callee(long n) {
    long sum = callee_leaf(n);
    return sum + callee_leaf(sum);
}
