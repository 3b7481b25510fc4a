/* A program without a C library, whose signals return through code without call frame information: as in C libraries
   that are built without it. */
#define APART __attribute__((noipa))

volatile long sink;

APART static long system_call(long number, long a, long b, long c, long d) {
    long result;
    register long fourth __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

void give_back(void);
__asm__(".text\n.globl give_back\n.type give_back, @function\ngive_back:\n"
        "  movl $15, %eax\n  syscall\n.size give_back, .-give_back\n");

APART static long leaf(long n) { return n * 5 + sink; }

APART static void handler(int number) { sink += leaf(number); }

struct action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

APART static long deep(long n) {
    if (n == 0) {
        system_call(62, system_call(39, 0, 0, 0, 0), 10, 0, 0);
        return leaf(n);
    }
    return deep(n - 1) + leaf(n);
}

APART static long begin(void) {
    struct action action = {handler, 0x04000000, give_back, 0};
    system_call(13, 10, (long)&action, 0, 8);
    sink += deep(2);
    return sink == 0;
}

void finish(void) { system_call(231, begin(), 0, 0, 0); }

__asm__(".text\n.globl _start\n.type _start, @function\n_start:\n"
        "  xorl %ebp, %ebp\n  andq $-16, %rsp\n  call finish\n  hlt\n.size _start, .-_start\n");
