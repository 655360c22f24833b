// How programs start, for C libraries before 2.34: those do not run a program's initializers themselves, but a function
// that the program hands them. Newer ones do so where there is such a function. Portable programs are linked with
// --wrap=__libc_start_main.
#define HIDDEN __attribute__((visibility("hidden")))

typedef int (*Main)(int, char **, char **);
typedef void (*Initializer)(int, char **, char **);

extern Initializer __init_array_start[] HIDDEN, __init_array_end[] HIDDEN;
extern void _init(void);
extern int __real___libc_start_main(Main, int, char **, Initializer, void (*)(void), void (*)(void), void *);

static void initialize(int count, char **arguments, char **environment) {
  _init();
  for (Initializer *each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, arguments, environment);
}

// What is to be done at the end, the loader does.
HIDDEN int __wrap___libc_start_main(Main main, int count, char **arguments, Initializer none, void (*atExit)(void),
                                    void (*loaderAtExit)(void), void *stackEnd) {
  (void)none;
  return __real___libc_start_main(main, count, arguments, initialize, atExit, loaderAtExit, stackEnd);
}
