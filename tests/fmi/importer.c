/*
 * Unpacking, loading and calling (importer.h). The archive is stored: members follow each other.
 */
#include "importer.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

char said[4096];

static void listen_2(void *environment, const char *name, int status, const char *category,
                     const char *format, ...)
{
    va_list list;
    (void)environment, (void)name, (void)status, (void)category;
    va_start(list, format);
    (void)vsnprintf(said, sizeof said, format, list);
    va_end(list);
}

static void listen_3(void *environment, int status, const char *category, const char *message)
{
    (void)environment, (void)status, (void)category;
    (void)snprintf(said, sizeof said, "%s", message);
}

/* ------------------------------------------------------------------------ unpacking */

static unsigned long little(const unsigned char *at, int bytes)
{
    unsigned long value = 0;
    for (int k = bytes - 1; k >= 0; k--) value = value << 8 | at[k];
    return value;
}

static unsigned char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = 0;
    assert_int_equal(fclose(file), 0);
    return bytes;
}

/* Makes the folders on the way, then the file. */
static void write_member(const char *folder, const char *name, const unsigned char *bytes,
                         size_t size)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void unpack(const char *archive, const char *folder)
{
    size_t size = 0;
    unsigned char *bytes = read_all(archive, &size), *at = bytes;
    while (little(at, 4) == 0x04034b50) {
        size_t length = little(at + 26, 2), extra = little(at + 28, 2), data = little(at + 18, 4);
        char name[300] = {0};
        assert_int_equal(little(at + 8, 2), 0); /* stored */
        assert_true(length < sizeof name && at + 30 + length + extra + data <= bytes + size);
        memcpy(name, at + 30, length);
        write_member(folder, name, at + 30 + length + extra, data);
        at += 30 + length + extra + data;
    }
    assert_int_equal(little(at, 4), 0x02014b50); /* the directory */
    free(bytes);
}

/* -------------------------------------------------------------------------- loading */

/* dlsym gives an object's address; POSIX says that it is a function's. */
static void find(fmu *f, const char *name, void *function)
{
    char full[80];
    (void)snprintf(full, sizeof full, "fmi%d%s", f->version, name);
    void *found = dlsym(f->library, full);
    if (!found) fail_msg("%s is not there", full);
    memcpy(function, &found, sizeof found);
}

static void find_both(fmu *f)
{
    bool two = f->version == 2;
    find(f, "FreeInstance", &f->release);
    find(f, "ExitInitializationMode", &f->exit_init);
    find(f, "Terminate", &f->terminate);
    find(f, "Reset", &f->reset);
    find(f, "EnterEventMode", &f->enter_event);
    find(f, "EnterContinuousTimeMode", &f->enter_continuous);
    find(f, "SetTime", &f->set_time);
    find(f, "SetContinuousStates", &f->set_states);
    find(f, "GetContinuousStates", &f->get_states);
    find(f, two ? "GetDerivatives" : "GetContinuousStateDerivatives", &f->get_rates);
    find(f, two ? "GetFMUstate" : "GetFMUState", &f->get_state);
    find(f, two ? "SetFMUstate" : "SetFMUState", &f->set_state);
    find(f, two ? "FreeFMUstate" : "FreeFMUState", &f->free_state);
    find(f, two ? "SerializedFMUstateSize" : "SerializedFMUStateSize", &f->state_size);
    find(f, two ? "SerializeFMUstate" : "SerializeFMUState", &f->write_state);
    find(f, two ? "DeSerializeFMUstate" : "DeserializeFMUState", &f->read_state);
}

static void find_2(fmu *f)
{
    find(f, "Instantiate", &f->instantiate2);
    find(f, "SetupExperiment", &f->setup);
    find(f, "NewDiscreteStates", &f->new_states);
    find(f, "CompletedIntegratorStep", &f->completed2);
    find(f, "GetReal", &f->get2);
    find(f, "SetReal", &f->set2);
    find(f, "DoStep", &f->step2);
    find(f, "GetRealStatus", &f->real_status);
    find(f, "GetBooleanStatus", &f->boolean_status);
    find(f, "EnterInitializationMode", &f->enter_init2);
    find(f, "GetDirectionalDerivative", &f->derive2);
}

static void find_3(fmu *f)
{
    find(f, "InstantiateModelExchange", &f->exchange3);
    find(f, "InstantiateCoSimulation", &f->cosim3);
    find(f, "EnterInitializationMode", &f->enter_init3);
    find(f, "UpdateDiscreteStates", &f->update3);
    find(f, "CompletedIntegratorStep", &f->completed3);
    find(f, "GetFloat64", &f->get3);
    find(f, "SetFloat64", &f->set3);
    find(f, "DoStep", &f->step3);
    find(f, "EnterStepMode", &f->step_mode);
    find(f, "GetDirectionalDerivative", &f->derive3);
}

/* The value of an attribute of the description. */
static void read_attribute(const char *text, const char *attribute, char *value, size_t size)
{
    const char *at = strstr(text, attribute);
    assert_non_null(at);
    at += strlen(attribute);
    size_t length = strcspn(at, "\"");
    assert_true(length < size);
    memcpy(value, at, length);
    value[length] = 0;
}

void fmu_open_model(fmu *f, const char *model, int version)
{
    char command[1200], path[600];
    size_t size = 0;
    memset(f, 0, sizeof *f);
    f->version = version;
    (void)snprintf(f->folder, sizeof f->folder, "fmu_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(command, sizeof command,
                   "%s export fmu %s -o %s/unit.fmu --fmi %d --name unit -q", TEST_COMMAND, model,
                   f->folder, version);
    assert_int_equal(system(command), 0); // NOLINT: the command under test
    (void)snprintf(path, sizeof path, "%s/unit.fmu", f->folder);
    unpack(path, f->folder);
    (void)snprintf(path, sizeof path, "%s/modelDescription.xml", f->folder);
    f->description = (char *)read_all(path, &size);
    read_attribute(f->description, version == 2 ? "guid=\"" : "instantiationToken=\"", f->token,
                   sizeof f->token);
    assert_non_null(getcwd(path, sizeof path));
    (void)snprintf(f->resources, sizeof f->resources, "%s%s/%s/resources%s",
                   version == 2 ? "file://" : "", path, f->folder, version == 2 ? "" : "/");
    (void)snprintf(path, sizeof path, "./%s/binaries/%s/unit.so", f->folder,
                   version == 2 ? TEST_PLATFORM_2 : TEST_PLATFORM_3);
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) fail_msg("%s", dlerror());
    find_both(f);
    (version == 2 ? find_2 : find_3)(f);
}

void fmu_open(fmu *f, const char *text, int version)
{
    char path[] = "model_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(file), 0);
    fmu_open_model(f, path, version);
    assert_int_equal(unlink(path), 0);
}

void fmu_close(fmu *f)
{
    char command[400];
    free(f->description);
    assert_int_equal(dlclose(f->library), 0);
    (void)snprintf(command, sizeof command, "rm -r ./%s", f->folder);
    assert_int_equal(system(command), 0); // NOLINT
}

/* -------------------------------------------------------------------------- calling */

void *fmu_instantiate(fmu *f, bool exchange)
{
    static const fmi2_callbacks callbacks = {.logger = listen_2};
    if (f->version == 2)
        return f->instantiate2("unit", exchange ? 0 : 1, f->token, f->resources, &callbacks, 0, 0);
    return exchange ? f->exchange3("unit", f->token, f->resources, false, false, NULL, listen_3)
                    : f->cosim3("unit", f->token, f->resources, false, false, false, false, NULL, 0,
                                NULL, listen_3, NULL);
}

void *fmu_begin(fmu *f, bool exchange, double tol)
{
    void *c = fmu_instantiate(f, exchange);
    if (!c) fail_msg("%s", said);
    if (f->version == 2) {
        assert_int_equal(f->setup(c, tol > 0.0, tol, 0.0, 0, 0.0), FMU_OK);
        assert_int_equal(f->enter_init2(c), FMU_OK);
    } else {
        assert_int_equal(f->enter_init3(c, tol > 0.0, tol, 0.0, false, 0.0), FMU_OK);
    }
    assert_int_equal(f->exit_init(c), FMU_OK);
    return c;
}

int fmu_get(fmu *f, void *c, uint32_t reference, double *value)
{
    return f->version == 2 ? f->get2(c, &reference, 1, value) : f->get3(c, &reference, 1, value, 1);
}

int fmu_set(fmu *f, void *c, uint32_t reference, double value)
{
    return f->version == 2 ? f->set2(c, &reference, 1, &value)
                           : f->set3(c, &reference, 1, &value, 1);
}

int fmu_step(fmu *f, void *c, double t, double h)
{
    bool event, terminate, early;
    double last;
    return f->version == 2 ? f->step2(c, t, h, 1)
                           : f->step3(c, t, h, true, &event, &terminate, &early, &last);
}

uint32_t fmu_reference(const fmu *f, const char *name)
{
    char pattern[200], value[20];
    (void)snprintf(pattern, sizeof pattern, " name=\"%s\" valueReference=\"", name);
    read_attribute(f->description, pattern, value, sizeof value);
    return (uint32_t)strtoul(value, NULL, 10);
}

double fmu_value(fmu *f, void *c, const char *name)
{
    double value = 0.0;
    if (fmu_get(f, c, fmu_reference(f, name), &value) != FMU_OK) fail_msg("%s: %s", name, said);
    return value;
}
