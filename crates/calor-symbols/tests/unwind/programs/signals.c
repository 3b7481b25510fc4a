/* Signal handlers: on the thread's stack, on one of their own, within each other, and in the middle of a function
   that has not called anything. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define APART __attribute__((noipa))

volatile long sink;

APART static long leaf(long n) { return n * 5 + sink; }

APART static void inner(int number) { sink += leaf(number); }

APART static void outer(int number) {
    sink += leaf(number);
    raise(SIGUSR2);
    sink += leaf(number);
}

/* In the middle of a function that calls nothing there and has not saved anything. */
APART static long interrupted(long n, long self) {
    long result, sum = n * 7;
    __asm__ volatile("syscall" : "=a"(result) : "a"(62), "D"(self), "S"(SIGURG) : "rcx", "r11", "memory");
    return sum + result + n;
}

APART static long deep(long n) {
    if (n == 0) {
        raise(SIGUSR1);
        return leaf(n);
    }
    return deep(n - 1) + leaf(n);
}

int main(void) {
    stack_t own = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&own, NULL);
    struct sigaction action = {.sa_handler = outer, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    struct sigaction second = {.sa_handler = inner};
    sigaction(SIGUSR2, &second, NULL);
    struct sigaction third = {.sa_handler = inner, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGURG, &third, NULL);
    sink += deep(3);
    sink += interrupted(2, getpid());
    return sink == 0;
}
