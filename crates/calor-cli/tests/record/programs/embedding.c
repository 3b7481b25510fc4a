// A program of its own that runs Python inside.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!python) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    void (*initialize)(int) = (void (*)(int))dlsym(python, "Py_InitializeEx");
    int (*run)(const char *) = (int (*)(const char *))dlsym(python, "PyRun_SimpleString");
    initialize(0);
    // Kept on the stack: a call that is the last thing of a function may take its place.
    volatile int outcome = run("def spin(n):\n"
               "    t = 0\n"
               "    for i in range(n): t += i * i\n"
               "    return t\n"
               "def outer():\n"
               "    for _ in range(60): spin(100000)\n"
               "outer()\n");
    return outcome;
}
