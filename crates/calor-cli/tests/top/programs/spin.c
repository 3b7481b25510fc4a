// Says a line, works until it is told to end or has had its share of CPU, and ends with the code it was given.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

__attribute__((noinline)) void heavy(int rounds) {
    for (int i = 0; i < rounds; i++) sink += i * sink;
}

__attribute__((noinline)) void light(int rounds) {
    for (int i = 0; i < rounds; i++) sink += i * sink;
}

int main(int count, char **words) {
    double end = count > 1 ? atof(words[1]) : 60;
    printf("ready: spinning\n");
    fflush(stdout);
    pthread_setname_np(pthread_self(), "spinner");
    while (seconds() < end) {
        heavy(90000);
        light(10000);
    }
    return count > 2 ? atoi(words[2]) : 0;
}
