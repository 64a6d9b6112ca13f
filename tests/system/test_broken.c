/*
 * test_broken.c: no input, however broken, may crash, hang, or take more memory than its size
 * justifies. Good models are cut off, and one character is taken out or changed; then there are
 * inputs made to hurt. Each is compiled under a budget of memory; what comes out may be
 * anything that is said: an error has a message, and nothing stays allocated.
 */
#include "loaded.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { BUDGET = 256 << 20, STEPS = 20000000, SECONDS = 20 };

/* Compiles `length` bytes and, if that is possible, starts and evaluates. NULL, or what is wrong.
 */
static const char *endure(const char *text, size_t length)
{
    zw_context *context;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    if (zw_context_create(NULL, &context) != ZW_OK) return "has no context";
    zw_context_set_budget(context, BUDGET);
    zw_model_source source = {
        .file = "broken.zw", .text = text, .length = length, .step_limit = STEPS};
    zw_status status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_sim_start(sim, false);
    if (status == ZW_OK) zw_sim_instant(sim, &(zw_instant){0});
    bool silent = status == ZW_ERR_MODEL && zw_context_diagnostic_count(context) == 0;
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    return silent ? "is an error without a message" : NULL;
}

/* The same in a process of its own, which may not take longer than SECONDS of its own time. */
static const char *endure_apart(const char *text, size_t length)
{
    int state = 0;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {SECONDS, SECONDS};
        setrlimit(RLIMIT_CPU, &limit);
        _exit(endure(text, length) != NULL);
    }
    if (child < 0 || waitpid(child, &state, 0) != child) return "could not be tried";
    if (WIFSIGNALED(state)) {
        bool hung = WTERMSIG(state) == SIGXCPU || WTERMSIG(state) == SIGKILL;
        return hung ? "takes too long" : "crashes";
    }
    return WEXITSTATUS(state) != 0 ? "is an error without a message" : NULL;
}

static int failures;

static void judge(const char *what, const char *wrong)
{
    if (wrong == NULL) return;
    print_error("%.200s: %s\n", what, wrong);
    failures++;
}

static void finish(void)
{
    int count = failures;
    failures = 0;
    if (count > 0) fail_msg("%d inputs", count);
}

/* ---------------------------------------------------------------- good models */

/* Every `step`-th place of the text: cut off there, without the byte, with another byte. */
static void damage(const char *name, const char *text, size_t step)
{
    static const char others[] = "(){}[]'\"+*^,;:=.#\n0x\xff";
    size_t length = strlen(text);
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    for (size_t i = 1; i < length; i += step) {
        judge(name, endure(text, i));
        memcpy(copy, text, i);
        memcpy(copy + i, text + i + 1, length - i);
        judge(name, endure(copy, length - 1));
        memcpy(copy, text, length + 1);
        copy[i] = others[(i / step) % (sizeof others - 1)];
        judge(name, endure(copy, length));
    }
    free(copy);
}

static void test_damaged(void **state)
{
    (void)state;
    DIR *folder = opendir(ZW_TEST_MODELS);
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[1024];
        if (dot == NULL || strcmp(dot, ".zw") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", ZW_TEST_MODELS, entry->d_name);
        char *text = read_text(path);
        damage(entry->d_name, text, 37);
        free(text);
        count++;
    }
    closedir(folder);
    assert_true(count >= 20);
    finish();
}

/* --------------------------------------------------------------- made to hurt */

/* head + count times piece + tail */
static void endure_repeated(const char *head, const char *piece, int count, const char *tail)
{
    size_t size = strlen(head) + strlen(piece) * (size_t)count + strlen(tail) + 1;
    char *text = malloc(size), *to = text;
    assert_non_null(text);
    to += sprintf(to, "%s", head);
    for (int i = 0; i < count; i++) to += sprintf(to, "%s", piece);
    sprintf(to, "%s", tail);
    judge(piece, endure_apart(text, strlen(text)));
    free(text);
}

static void test_deep(void **state)
{
    (void)state;
    const int deep = 100000;
    const char *head = "coord x\nkinetic x'^2/2\nforce x: ";
    endure_repeated(head, "(", deep, "");
    endure_repeated(head, "[", deep, "");
    endure_repeated(head, "-", deep, "x");
    endure_repeated(head, "sin(", deep, "x");
    endure_repeated(head, "2^", deep, "x");
    endure_repeated(head, "if(x > 0, ", deep, "x");
    endure_repeated(head, "not ", deep, "x");
    endure_repeated(head, "x + ", deep, "x");
    endure_repeated(head, "x*", deep, "x");
    endure_repeated("coord x\nkinetic x'^2/2\nforce x: x", "'", deep, "");
    endure_repeated("coord x\nkinetic x'^2/2\nforce x: x", "[1]", deep, "");
    endure_repeated("coord x\nkinetic x'^2/2\nforce x: x", ".a", deep, "");
    endure_repeated("coord x\n", "if 1 > 0 {\n", deep, "");
    endure_repeated("coord x\n", "for i in 1..1 {\n", deep, "");
    endure_repeated("coord x\n", "component A() {\n", deep, "");
    endure_repeated("", "}\n", deep, "");
    endure_repeated("", "\xce", deep, "");
    endure_repeated("", "?\n", deep, "");
    finish();
}

/* Small texts that ask for much. */
static void test_greedy(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "coord x[1000000000000]\nkinetic dot(x', x')",
        "coord x[100000, 100000]\nkinetic x[1, 1]'^2",
        "coord x\nkinetic x'^2\nfor i in 1..1000000000000 { force x: i }",
        "coord x\nkinetic x'^2\nforce x: sum(i in 1..1000000000000, i)",
        "coord x\nkinetic x'^2\nforce x: sum(i in 1..1000000, sum(j in 1..1000000, x^i*j))",
        "coord x\nkinetic x'^2\nforce x: x^1000000000",
        "coord x\nkinetic x'^2\nforce x: 2^2^2^2^2^2^2^2",
        "param a = 1e400\ncoord x\nkinetic x'^2",
        "coord x\nkinetic x'^2\nfor i in -9223372036854775808..9223372036854775807 { force x: i }",
        "coord x\nkinetic x'^2\nlet f(u) = u*u\nforce x: "
        "f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(x)))))))))))))))))))))))))"
        ")))))))",
        "coord x\nkinetic x'^2\nlet f(u) = [u, u]\nforce x: "
        "f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(x)))))))))))))))))))))))))"
        ")))))))",
        "component A(n) { part a = A(n + 1)\npart b = A(n + 1) }\npart a = A(1)",
        "let f(u) = f(u)\ncoord x\nkinetic x'^2 + f(x)",
        "use self",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        judge(texts[i], endure_apart(texts[i], strlen(texts[i])));
    }
    finish();
}

static void test_bytes(void **state)
{
    (void)state;
    static const char nul[] = "coord x\0y\nkinetic x'^2";
    static const char *const texts[] = {
        ("\xef\xbb\xbf"
         "coord x\nkinetic x'^2/2"),
        "\xff\xfe",
        "\xed\xa0\x80",
        "\xf4\x90\x80\x80",
        "coord \xc0\x80\n",
        "coord x\r\nkinetic x'^2/2\r\n",
        "\r\r\r",
        "\x1b[31m",
        "#",
        "\"",
        "'",
        "..",
        "1..",
        "=",
        "coord",
        "coord x[",
        "constraint",
        "constraint c",
        "constraint c:",
        "constraint c: =",
        "when",
        "draw",
        "simulate",
        "simulate t",
        "simulate t =",
        "start",
        "if",
        "for",
        "for i",
        "for i in",
        "component",
        "part",
        "use",
        "model",
        "weight",
        "mass",
        "param a =",
    };
    judge("NUL", endure(nul, sizeof nul - 1));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        judge(texts[i], endure_apart(texts[i], strlen(texts[i])));
    }
    judge("nothing", endure("", 0));
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_greedy),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
