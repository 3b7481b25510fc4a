/* Calls into a library that are bound when they are first made, and then not. */
long callee(long n);
long callee_leaf(long n);

volatile long sink;

__attribute__((noipa)) static long twice(long n) {
    long first = callee(n);
    return first + callee(n) + callee_leaf(first) + sink;
}

int main(void) {
    sink += twice(4);
    return sink == 0;
}
