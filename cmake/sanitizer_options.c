/*
 * Linked into every program of a sanitized build that names GPUDOCTOR_REPORTS. Reports go to files
 * in that folder, so that one is noticed also where a test forks, clears the environment or throws
 * standard error away; scripts/test wants the folder empty. ASAN_OPTIONS adds to these or overrides
 * them (log_path=stderr).
 */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=1:detect_stack_use_after_return=1:check_initialization_order=1:"
           "strict_string_checks=1:log_path='" SANITIZER_REPORTS "'";
}

const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1";
}
