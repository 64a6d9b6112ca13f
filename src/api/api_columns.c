/*
 * Columns of zwang.h: argument checks, then the engine.
 */
#include "api.h"

zw_status zw_columns_create(zw_model *model, const char *list, zw_columns **columns)
{
    ZW_REQUIRE(model && columns);
    return zr_columns_create(model, list, columns);
}

void zw_columns_free(zw_columns *columns)
{
    zr_columns_free(columns);
}

int32_t zw_columns_count(const zw_columns *columns)
{
    return columns ? zr_columns_count(columns) : 0;
}

/* The length of the whole name whatever fits; 0, and an empty
 * text, for arguments that are wrong. */
size_t zw_columns_name(const zw_columns *columns, int32_t i, char *buffer, size_t size)
{
    if (buffer && size > 0) buffer[0] = '\0';
    if (!columns || i < 0 || i >= zr_columns_count(columns) || (!buffer && size > 0)) return 0;
    zb_text text;
    zb_text_init_fixed(&text, buffer, size);
    zr_columns_name(columns, i, &text);
    return text.length;
}

/* Columns belong to one model: those of another are refused. */
zw_status zw_sim_columns(zw_sim *sim, const zw_columns *columns, double *row)
{
    ZW_REQUIRE(sim && columns && row);
    ZW_REQUIRE(zr_columns_fit(sim, columns));
    return zr_sim_columns(sim, columns, row);
}

zw_status zw_sim_vary(zw_sim *sim, const zw_columns *columns)
{
    ZW_REQUIRE(sim);
    ZW_REQUIRE(!columns || zr_columns_fit(sim, columns));
    return zr_sim_vary(sim, columns);
}

const char *zw_columns_kind(const zw_columns *columns, int32_t i)
{
    return columns && i >= 0 && i < zr_columns_count(columns) ? zr_columns_kind(columns, i) : NULL;
}

zw_status zw_sim_scene(zw_sim *sim, const zw_columns *columns, zw_write_fn write, void *user)
{
    ZW_REQUIRE(sim && columns && write);
    ZW_REQUIRE(zr_columns_fit(sim, columns));
    return zr_sim_scene(sim, columns, write, user);
}
