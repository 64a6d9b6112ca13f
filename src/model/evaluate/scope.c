/*
 * Names and what they mean: the symbol table of elaboration. A *scope* is a list of symbols with a
 * pointer to the scope around it; names are numbers, so a lookup is a few comparisons, or a small
 * hash from nine symbols on. Scopes of loops and calls are emptied and used again for each pass;
 * those of the model and of parts last as long as elaboration.
 */
#include "elaborate.h"

#include <string.h>

/* Goes back to the few symbols inside the struct; what it had grown to belongs to scratch. */
void zm_scope_empty(zm_scope *scope)
{
    scope->count = 0;
    scope->slot_count = 0;
    scope->slots = NULL;
    scope->entries = scope->few;
    scope->capacity = scope->room;
}

/* The first place to look in a table of slot_count, a power of two: Fibonacci hashing, then linear
 * probing. */
static uint32_t hash_slot_of_name(zl_name name, int32_t slot_count)
{
    return ((uint32_t)name * 2654435769u) & (uint32_t)(slot_count - 1);
}

/* Enters the symbol with this index into the hash. */
static void insert_hash_slot(zm_scope *scope, int32_t entry)
{
    uint32_t at = hash_slot_of_name(scope->entries[entry].name, scope->slot_count);
    while (scope->slots[at] >= 0) at = (at + 1) & (uint32_t)(scope->slot_count - 1);
    scope->slots[at] = entry;
}

/* A fresh hash of all symbols, at least two slots for each one there is room for. */
static void rebuild_scope_hash(zm_elab *e, zm_scope *scope)
{
    scope->slot_count = 16;
    while (scope->slot_count < 2 * scope->capacity) scope->slot_count *= 2;
    scope->slots = ZB_NEW_ARRAY(&e->scratch, int32_t, scope->slot_count);
    memset(scope->slots, 0xff, (size_t)scope->slot_count * sizeof *scope->slots);
    for (int32_t i = 0; i < scope->count; i++) insert_hash_slot(scope, i);
}

/* Room for so many symbols; from 9 on there is a hash. */
static void set_scope_capacity(zm_elab *e, zm_scope *scope, int32_t capacity)
{
    zm_symbol *entries = ZB_NEW_ARRAY(&e->scratch, zm_symbol, capacity);
    memcpy(entries, scope->entries, (size_t)scope->count * sizeof *entries);
    scope->entries = entries;
    scope->capacity = capacity;
    if (capacity > 8) rebuild_scope_hash(e, scope);
}

/* In scratch, with no names in it. What it grows out of stays in scratch unused, so a scope that lasts
 * better begins as large as it will be. */
zm_scope *zm_scope_new(zm_elab *e, zm_scope *outer, int32_t part, bool lasting, int32_t names)
{
    int32_t room = names > 0 ? names : 1;
    size_t bytes = zb_sum(sizeof(zm_scope), zb_product((size_t)room, sizeof(zm_symbol)));
    zm_scope *scope = zb_arena_take(&e->scratch, bytes, _Alignof(zm_scope));
    *scope = (zm_scope){.outer = outer, .part = part, .lasting = lasting, .room = room};
    zm_scope_empty(scope);
    if (room > 8) rebuild_scope_hash(e, scope);
    return scope;
}

/* By the hash when there is one, else from the last symbol on. */
const zm_symbol *zm_find_own_name(const zm_scope *scope, zl_name name)
{
    if (scope->slot_count > 0) {
        uint32_t mask = (uint32_t)(scope->slot_count - 1);
        for (uint32_t at = hash_slot_of_name(name, scope->slot_count); scope->slots[at] >= 0;
             at = (at + 1) & mask)
            if (scope->entries[scope->slots[at]].name == name)
                return &scope->entries[scope->slots[at]];
        return NULL;
    }
    for (int32_t i = scope->count; i-- > 0;)
        if (scope->entries[i].name == name) return &scope->entries[i];
    return NULL;
}

/* Outwards from the innermost scope. */
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

/* Adds a symbol without asking whether its name is taken. */
static void append_symbol(zm_elab *e, zm_scope *scope, const zm_symbol *entry)
{
    if (scope->count == scope->capacity) set_scope_capacity(e, scope, 2 * scope->capacity);
    scope->entries[scope->count++] = *entry;
    if (scope->slot_count > 0) insert_hash_slot(scope, scope->count - 1);
    if (scope->lasting) e->kept++;
}

/* What is declared must be new in its own scope and, in a loop or call, in the scopes around it up
 * to that of the model or part. */
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
    append_symbol(e, e->scope, entry);
    return true;
}

void zm_bind_name(zm_elab *e, zm_scope *scope, zl_name name, zl_place place, const zm_value *value)
{
    zm_symbol entry = {.name = name, .meaning = ZM_IS_VALUE, .place = place, .value = *value};
    append_symbol(e, scope, &entry);
}

/* The copies are of passing scopes but in memory that stays, which e->kept sees to. */
zm_scope *zm_scope_keep(zm_elab *e, zm_scope *scope)
{
    e->kept++;
    if (scope->lasting) return scope;
    zm_scope *copy = zm_scope_new(e, NULL, scope->part, false, scope->count);
    for (int32_t i = 0; i < scope->count; i++) append_symbol(e, copy, &scope->entries[i]);
    copy->outer = scope->outer ? zm_scope_keep(e, scope->outer) : NULL;
    return copy;
}
