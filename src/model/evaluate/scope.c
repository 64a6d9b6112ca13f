/*
 * Names and what they mean. A scope is a list of entries with a way outwards; names are
 * numbers, so a lookup is a few comparisons, or a small hash from nine entries on. Scopes
 * of loops and calls are emptied and used again for each pass; those of the model and of parts
 * last as long as elaboration.
 */
#include "elaborate.h"

#include <string.h>

zm_scope *zm_scope_new(zm_elab *e, zm_scope *outer, int32_t part, bool lasting)
{
    zm_scope *scope = ZB_NEW(&e->scratch, zm_scope);
    scope->outer = outer;
    scope->part = part;
    scope->lasting = lasting;
    zm_scope_empty(scope);
    return scope;
}

void zm_scope_empty(zm_scope *scope)
{
    scope->count = 0;
    scope->slot_count = 0;
    scope->slots = NULL;
    scope->entries = scope->few;
    scope->capacity = (int32_t)(sizeof scope->few / sizeof *scope->few);
}

static uint32_t slot_of(zl_name name, int32_t slot_count)
{
    return ((uint32_t)name * 2654435769u) & (uint32_t)(slot_count - 1);
}

static void put_slot(zm_scope *scope, int32_t entry)
{
    uint32_t at = slot_of(scope->entries[entry].name, scope->slot_count);
    while (scope->slots[at] >= 0) at = (at + 1) & (uint32_t)(scope->slot_count - 1);
    scope->slots[at] = entry;
}

static void rehash(zm_elab *e, zm_scope *scope)
{
    scope->slot_count = 4 * scope->capacity;
    scope->slots = ZB_NEW_ARRAY(&e->scratch, int32_t, scope->slot_count);
    memset(scope->slots, 0xff, (size_t)scope->slot_count * sizeof *scope->slots);
    for (int32_t i = 0; i < scope->count; i++) put_slot(scope, i);
}

/* Room for one more; capacities are powers of two. */
static void grow(zm_elab *e, zm_scope *scope)
{
    int32_t capacity = 2 * scope->capacity;
    zm_symbol *entries = ZB_NEW_ARRAY(&e->scratch, zm_symbol, capacity);
    memcpy(entries, scope->entries, (size_t)scope->count * sizeof *entries);
    scope->entries = entries;
    scope->capacity = capacity;
    if (capacity > 8) rehash(e, scope);
}

const zm_symbol *zm_find_own_name(const zm_scope *scope, zl_name name)
{
    if (scope->slot_count > 0) {
        uint32_t mask = (uint32_t)(scope->slot_count - 1);
        for (uint32_t at = slot_of(name, scope->slot_count); scope->slots[at] >= 0;
             at = (at + 1) & mask)
            if (scope->entries[scope->slots[at]].name == name)
                return &scope->entries[scope->slots[at]];
        return NULL;
    }
    for (int32_t i = scope->count; i-- > 0;)
        if (scope->entries[i].name == name) return &scope->entries[i];
    return NULL;
}

const zm_symbol *zm_find_name_from(zm_scope **scope, zl_name name)
{
    for (; *scope; *scope = (*scope)->outer) {
        const zm_symbol *entry = zm_find_own_name(*scope, name);
        if (entry) return entry;
    }
    return NULL;
}

const zm_symbol *zm_find_name(const zm_elab *e, zl_name name)
{
    zm_scope *scope = e->scope;
    return zm_find_name_from(&scope, name);
}

static void add(zm_elab *e, zm_scope *scope, const zm_symbol *entry)
{
    if (scope->count == scope->capacity) grow(e, scope);
    scope->entries[scope->count++] = *entry;
    if (scope->slot_count > 0) put_slot(scope, scope->count - 1);
    if (scope->lasting) e->kept++;
}

/* What is declared must be new in its own scope and, but for the own names of a component, in the
 * scopes around it up to those of the model or part. */
bool zm_declare_name(zm_elab *e, const zm_symbol *entry)
{
    const zm_scope *scope = e->scope;
    for (bool more = true; more; scope = scope->outer) {
        const zm_symbol *other = zm_find_own_name(scope, entry->name);
        more = !scope->lasting && scope->outer;
        if (other) {
            int32_t line, column;
            bool here = other->place.source == entry->place.source;
            zl_locate(e->unit, other->place, &line, &column);
            ZM_ERROR(e, "E0101", entry->place, "choose another name",
                     "'%s' is already defined, in line %d%s%s", zm_name_of(e, entry->name),
                     (int)line, here ? "" : " of ",
                     here ? "" : e->unit->sources.data[other->place.source].file);
            return false;
        }
    }
    add(e, e->scope, entry);
    return true;
}

void zm_bind_name(zm_elab *e, zm_scope *scope, zl_name name, zl_place place, const zm_value *value)
{
    zm_symbol entry = {.name = name, .meaning = ZM_IS_VALUE, .place = place, .value = *value};
    add(e, scope, &entry);
}

zm_scope *zm_scope_keep(zm_elab *e, zm_scope *scope)
{
    e->kept++;
    if (scope->lasting) return scope;
    zm_scope *copy = zm_scope_new(e, NULL, scope->part, false);
    for (int32_t i = 0; i < scope->count; i++) add(e, copy, &scope->entries[i]);
    copy->outer = scope->outer ? zm_scope_keep(e, scope->outer) : NULL;
    return copy;
}
