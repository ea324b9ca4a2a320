void g(void) { int *p = 3.0; *undefined = *p; }
