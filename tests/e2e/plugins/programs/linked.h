/* A library that the program is linked with. */
extern int linked_calls;
int linked_twice(int n);
