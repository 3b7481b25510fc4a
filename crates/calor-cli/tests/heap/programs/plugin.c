// A library that is loaded and unloaded; NAME is that of its function.
#include <stdlib.h>

__attribute__((noinline)) void *NAME(unsigned long size) {
    void *block = malloc(size);
    __asm__ volatile("" : "+r"(block));
    return block;
}
