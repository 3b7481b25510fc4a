/* Stands in for NVIDIA's driver, as far as it is asked whether it is there. */

int cuDriverGetVersion(int *version) { *version = 12080; return 0; }
