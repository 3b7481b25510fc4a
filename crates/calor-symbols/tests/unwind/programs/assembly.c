/* Calls hand-written code that says nothing about its caller. */
#define APART __attribute__((noipa))

long bare_leaf(long n);
long bare_frame(long n, long (*then)(long));
long bare_thin(long n, long (*then)(long));

volatile long sink;

APART static long last(long n) { return n * 5 + sink; }

APART static long middle(long n) {
    long sum = bare_frame(n, last);
    return sum + last(n);
}

APART static long through_thin(long n) { return bare_thin(n, middle) + sink; }

int main(void) {
    sink += bare_leaf(3);
    sink += bare_frame(4, middle);
    sink += through_thin(5);
    return sink == 0;
}
