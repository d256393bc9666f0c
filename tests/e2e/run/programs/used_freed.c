// expect: use-after-free:observed
// A use after free that simply happens, in one thread.
// TSAN: heap-use-after-free
#include "turns.h"
int main(void) { int *volatile p = malloc(64); *p = 1; free(p); return *p == 12345; }
