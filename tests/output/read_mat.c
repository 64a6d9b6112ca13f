/*
 * A reader of OpenModelica's result files: the six matrices in their order, and nothing behind
 * them.
 */
#include "output_sample.h"

typedef struct matrix {
    uint32_t type;
    size_t rows, columns;
    const char *data;
} matrix;

static const char *read_matrix(const char *at, const char *end, const char *name, matrix *m)
{
    assert_true(end - at >= 20);
    *m = (matrix){.type = (uint32_t)little(at, 4),
                  .rows = (size_t)little(at + 4, 4),
                  .columns = (size_t)little(at + 8, 4)};
    assert_int_equal(little(at + 12, 4), 0);
    size_t length = (size_t)little(at + 16, 4);
    assert_int_equal(length, strlen(name) + 1);
    assert_memory_equal(at + 20, name, length);
    m->data = at + 20 + length;
    size_t element = m->type == 51 ? 1 : m->type == 20 ? 4 : 8;
    const char *behind = m->data + m->rows * m->columns * element;
    assert_true(behind <= end);
    return behind;
}

static void check_class(const matrix *m)
{
    static const char *const lines[4] = {"Atrajectory", "1.1        ", "           ",
                                         "binTrans   "};
    assert_int_equal(m->type, 51);
    assert_int_equal(m->rows, 4);
    assert_int_equal(m->columns, 11);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 11; j++) assert_int_equal(m->data[4 * j + i], lines[i][j]);
}

static size_t length_of(const matrix *m, size_t column)
{
    const char *text = m->data + column * m->rows, *end = memchr(text, 0, m->rows);
    return end ? (size_t)(end - text) : m->rows;
}

static void check_info(const matrix *m, size_t count)
{
    assert_int_equal(m->type, 20);
    assert_int_equal(m->rows, 4);
    assert_int_equal(m->columns, count);
    for (size_t j = 0; j < count; j++) {
        const char *column = m->data + 16 * j;
        assert_int_equal(little(column, 4), 2);
        assert_int_equal(little(column + 4, 4), j + 1);
        assert_int_equal(little(column + 8, 4), 0);
        assert_int_equal(little(column + 12, 4), UINT32_MAX);
    }
}

static double number(const char *bytes)
{
    uint64_t bits = little(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_ends(const matrix *m, const table *t)
{
    assert_int_equal(m->type, 0);
    assert_int_equal(m->rows, 1);
    assert_int_equal(m->columns, 2);
    if (t->rows == 0) return;
    assert_true(number(m->data) == t->values[0]);
    assert_true(number(m->data + 8) == t->values[(t->rows - 1) * t->columns]);
}

void read_mat(const collected *file, table *t)
{
    matrix class, name, description, info, data_1, data_2;
    const char *at = file->data, *end = file->data + file->size;
    at = read_matrix(at, end, "Aclass", &class);
    at = read_matrix(at, end, "name", &name);
    at = read_matrix(at, end, "description", &description);
    at = read_matrix(at, end, "dataInfo", &info);
    at = read_matrix(at, end, "data_1", &data_1);
    at = read_matrix(at, end, "data_2", &data_2);
    assert_ptr_equal(at, end);
    check_class(&class);
    assert_int_equal(name.type, 51);
    assert_int_equal(description.type, 51);
    assert_int_equal(data_2.type, 0);
    size_t count = name.columns;
    assert_true(name.rows > 0 && description.rows > 0);
    assert_int_equal(description.columns, count);
    assert_int_equal(data_2.rows, count);
    check_info(&info, count);
    table_make(t, (int32_t)count, (int64_t)data_2.columns);
    for (size_t j = 0; j < count; j++) {
        table_set(t->names, (int32_t)j, name.data + j * name.rows, length_of(&name, j));
        table_set(t->notes, (int32_t)j, description.data + j * description.rows,
                  length_of(&description, j));
    }
    for (size_t i = 0; i < count * data_2.columns; i++) t->values[i] = number(data_2.data + 8 * i);
    check_ends(&data_1, t);
}
