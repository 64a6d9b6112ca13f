/*
 * Executing statements: the dispatch by kind, and the statements that declare names or execute
 * others: coord, let, for, if, use, component and part. What a statement or a pass of a loop made
 * in `world` and `scratch` is given back at its end, unless something that lasts was declared
 * meanwhile.
 */
#include "elaborate.h"

#include <string.h>

enum { MAX_NESTED_PARTS = 100 };

/* -------------------------------------------------------------- giving memory back */

/* How much there was in `world` and `scratch` before a statement or a pass. */
typedef struct pass_mark {
    zb_mark scratch;
    int32_t nodes;
    int64_t kept;
} pass_mark;

static pass_mark mark_pass(const zm_elab *e)
{
    return (pass_mark){zb_arena_mark(&e->scratch), e->world->count, e->kept};
}

/* Gives back what was made since the mark, unless something must stay. */
static void release_pass(zm_elab *e, const pass_mark *mark)
{
    if (e->kept != mark->kept) return;
    zx_pool_release(e->world, mark->nodes);
    zb_arena_release(&e->scratch, mark->scratch);
}

/* --------------------------------------------------------------------- labels */

/* Over the scope, the name and the indices. */
uint64_t zm_label_hash(const zm_label *label)
{
    uint64_t hash = zb_hash_mix((uint64_t)((int64_t)label->scope + 1), (uint64_t)label->name);
    for (int32_t k = 0; k < label->index_count; k++)
        hash = zb_hash_mix(hash, (uint64_t)label->index[k]);
    return hash;
}

/* The same part, name and indices. */
bool zm_same_label(const zm_label *a, const zm_label *b)
{
    if (a->scope != b->scope || a->name != b->name || a->index_count != b->index_count)
        return false;
    for (int32_t k = 0; k < a->index_count; k++)
        if (a->index[k] != b->index[k]) return false;
    return true;
}

/* Indices must be known; they fit 32 bits. False after an error. */
bool zm_read_label(zm_elab *e, const zl_expr *target, zm_label *label)
{
    const zl_expr *name = target->kind == ZL_INDEX ? target->left : target;
    if (name->kind != ZL_NAME) return false;
    *label = (zm_label){.scope = e->scope->part, .name = name->name};
    if (target->kind != ZL_INDEX) return true;
    label->index_count = target->count;
    for (int32_t k = 0; k < target->count; k++) {
        int64_t index;
        if (!zm_read_known_integer(e, target->items[k], "an index", &index)) return false;
        if (index < INT32_MIN || index > INT32_MAX) {
            ZM_ERROR(e, "E0206", target->items[k]->place, NULL, "this index is too large");
            return false;
        }
        label->index[k] = (int32_t)index;
    }
    return true;
}

/* The scope of the model or part in which a loop or call stands: names that outlive the pass go
 * there. */
static zm_scope *find_lasting_scope(zm_elab *e)
{
    zm_scope *scope = e->scope;
    while (!scope->lasting && scope->outer) scope = scope->outer;
    return scope;
}

/* Declares a name that outlives the pass of a loop; false when it is taken. */
static bool declare_lasting_name(zm_elab *e, const zm_symbol *entry)
{
    zm_scope *before = e->scope;
    e->scope = find_lasting_scope(e);
    bool good = zm_declare_name(e, entry);
    e->scope = before;
    return good;
}

/* ------------------------------------------------------------- coord and let */

/* coord r[3], coord A[2, 2]: the sizes of a block, which must fit the limit of coordinates; false
 * after an error. */
static bool read_sizes(zm_elab *e, const zl_definition *d, zm_block *block)
{
    int64_t size[2] = {0, 0};
    for (int32_t k = 0; d->sizes && k < d->sizes->count && k < 2; k++) {
        const zl_expr *x = d->sizes->items[k];
        if (!zm_read_known_integer(e, x, "the size of an array", &size[k])) return false;
        if (size[k] >= 1) continue;
        ZM_ERROR(e, "E0318", x->place, NULL, "the size of '%s' is %lld; it must be at least 1",
                 zm_name_of(e, d->name), (long long)size[k]);
        return false;
    }
    int64_t limit = ZM_MAX_COORDINATES - block->first;
    bool fits = size[0] <= limit && size[1] <= limit && size[0] * (size[1] ? size[1] : 1) <= limit;
    if (!fits || limit < 1) {
        ZM_ERROR(e, "E0305", d->place, NULL, "the model has more than %d coordinates",
                 ZM_MAX_COORDINATES);
        return false;
    }
    block->rows = (int32_t)size[0];
    block->columns = (int32_t)size[1];
    return true;
}

/* coord x, r[3]: blocks of new coordinates. */
static void execute_coord(zm_elab *e, const zl_statement *s)
{
    for (int32_t k = 0; k < s->definition_count; k++) {
        const zl_definition *d = &s->definitions[k];
        zm_block block = {.label = {.scope = e->scope->part, .name = d->name},
                          .place = zl_model_place(e->unit, d->place),
                          .first = e->model->n};
        zm_symbol entry = {.name = d->name,
                           .meaning = ZM_IS_COORDINATE,
                           .place = d->place,
                           .number = e->coordinates.count};
        bool good = read_sizes(e, d, &block);
        if (!good) entry.meaning = ZM_IS_VALUE; /* broken, so that its uses are not errors, too */
        if (!declare_lasting_name(e, &entry) || !good) continue;
        ZM_PUSH(e, coordinates, block);
        int32_t rows = block.rows ? block.rows : 1, columns = block.columns ? block.columns : 1;
        e->model->n += rows * columns;
        zm_count_made(e, (int64_t)rows * columns);
    }
}

/* let a = expression, or let f(x) = expression, which is kept as its syntax tree. */
static void execute_let(zm_elab *e, const zl_statement *s)
{
    for (int32_t k = 0; k < s->definition_count; k++) {
        const zl_definition *d = &s->definitions[k];
        zm_symbol entry = {.name = d->name, .place = d->place};
        if (s->argument_count >= 0) {
            entry.meaning = ZM_IS_FUNCTION;
            entry.statement = s;
        } else {
            entry.meaning = ZM_IS_VALUE;
            zm_scratch_mark mark = zm_mark_scratch(e);
            entry.value = zm_evaluate(e, d->value);
            zm_give_back(e, &mark, &entry.value);
        }
        (void)zm_declare_name(e, &entry);
    }
}

/* ------------------------------------------------------------- for, if, use */

/* for i in a..b { ... }: the body for each number, in a scope that is emptied after each pass. */
static void execute_for(zm_elab *e, const zl_statement *s)
{
    int64_t from, to;
    if (!zm_read_range(e, s->left, s->right, &from, &to)) return;
    zm_scope *before = e->scope, *inner = zm_scope_new(e, before, before->part, false, 4);
    zm_loop loop;
    zm_begin_loop(e, &loop, s->place, to - from + 1);
    for (int64_t i = from; i <= to && zm_begin_pass(e, &loop); i++) {
        int32_t errors = e->unit->error_count;
        pass_mark mark = mark_pass(e);
        zm_value number = zm_number((double)i, true);
        zm_bind_name(e, inner, s->name, s->mark, &number);
        e->scope = inner;
        zm_execute_block(e, &s->body);
        e->scope = before;
        zm_scope_empty(inner);
        release_pass(e, &mark);
        if (e->unit->error_count != errors) break; /* one pass says what is wrong */
    }
    zm_end_loop(e, &loop);
}

/* if condition { ... } else { ... }: the condition must be known now. */
static void execute_if(zm_elab *e, const zl_statement *s)
{
    zm_value condition = zm_evaluate(e, s->left);
    double number;
    if (!zm_read_known_number(e, &condition, s->left->place, "the condition of a statement 'if'",
                              &number))
        return;
    zm_execute_block(e, number != 0.0 ? &s->body : &s->otherwise);
}

/* Whether the statement stands outside of all parts and loops; reports otherwise. */
static bool check_at_top(zm_elab *e, const zl_statement *s, const char *what)
{
    if (e->scope->part < 0 && e->scope->lasting) return true;
    ZM_ERROR(e, "E0310", s->mark, "move it out of the block",
             "%s stands only outside of all blocks", what);
    return false;
}

/* What `use` found. */
typedef struct module_text {
    const char *file, *text;
    size_t length;
    bool shipped;
} module_text;

/* The text of a module; false when there is none. A shipped module comes first; one of that name
 * beside the model is not taken, and that is said, unless it is the model itself. */
static bool find_module(zm_elab *e, const zl_statement *s, module_text *m)
{
    const zm_request *r = e->b->request;
    const char *name = zm_name_of(e, s->name);
    bool loaded = r->load && r->load(r->user, name, &m->file, &m->text, &m->length);
    const char *own = loaded ? m->file : NULL;
    m->shipped = r->shipped && r->shipped(name, &m->file, &m->text, &m->length);
    if (m->shipped && own && strcmp(own, r->file) != 0)
        zl_report(e->unit, "W0605", s->mark, "give your own module another name",
                  "'%s' is the module shipped with Zwang, not %s", name, own);
    return loaded || m->shipped;
}

/* With a suggestion among the shipped ones. */
static void report_no_module(zm_elab *e, const zl_statement *s)
{
    const zm_request *r = e->b->request;
    const char *name = zm_name_of(e, s->name);
    zb_suggestion near;
    zb_suggest_begin(&near, name);
    for (int32_t k = 0; k < r->shipped_count; k++) zb_suggest_add(&near, r->shipped_names[k]);
    const char *best = zb_suggest_end(&near);
    ZM_ERROR(
        e, "E0112", s->mark,
        best ? zm_format(e, "did you mean '%s'? Or is %s.zw to stand beside the model?", best, name)
             : zm_format(e, "is there a file %s.zw beside the model?", name),
        "there is no module '%s'", name);
}

/* use name: parses and executes a module, once. When its syntax is wrong everything stops, for
 * names would be missing. What a shipped module does wrong is reported at the use (made_by). */
static void execute_use(zm_elab *e, const zl_statement *s)
{
    if (!check_at_top(e, s, "'use'")) return;
    for (int32_t k = 0; k < e->reading.modules.count; k++)
        if (e->reading.modules.data[k] == s->name) return;
    ZM_PUSH(e, reading.modules, s->name);
    module_text m;
    if (!find_module(e, s, &m)) {
        report_no_module(e, s);
        e->unit->lost_more = true;
        return;
    }
    int32_t errors = e->unit->error_count;
    size_t held = e->memory->held;
    zl_block block = zl_parse(e->unit, m.file, m.text, m.length);
    e->limits.held += e->memory->held - held;
    e->unit->sources.data[e->unit->sources.count - 1].module = true;
    e->kept++;
    if (e->unit->error_count != errors) {
        e->limits.stopped = true; /* names are missing now */
        return;
    }
    zl_place made_by = e->unit->made_by;
    if (m.shipped) e->unit->made_by = s->mark;
    zm_execute_block(e, &block);
    e->unit->made_by = made_by;
}

/* model "title"; the titles of modules do not count. */
static void execute_title(zm_elab *e, const zl_statement *s)
{
    if (!check_at_top(e, s, "'model'")) return;
    if (e->model->title && s->place.source == 0)
        ZM_ERROR(e, "E0310", s->mark, NULL, "the model already has a title");
    if (!e->model->title && s->place.source == 0) e->model->title = s->string;
}

/* ------------------------------------------------------------ component and part */

/* component name(...) { ... } is kept as its syntax tree. */
static void execute_component(zm_elab *e, const zl_statement *s)
{
    zm_symbol entry = {
        .name = s->name, .meaning = ZM_IS_COMPONENT, .place = s->mark, .statement = s};
    (void)zm_declare_name(e, &entry);
}

static bool is_same_part(const void *pool, const void *key, int32_t index)
{
    const zm_elab *e = pool;
    return zm_same_label(&e->parts.list.data[index].label, key);
}

int32_t zm_find_part(const zm_elab *e, const zm_label *label)
{
    return zb_table_find(&e->parts.table, zm_label_hash(label), is_same_part, e, label);
}

/* An argument given by a name that the component does not have: `near` is a suggestion, or NULL. */
static void report_no_argument(zm_elab *e, const zl_expr *x, const zl_statement *c, zl_name name,
                               const char *near)
{
    zl_name *names = ZB_NEW_ARRAY(&e->scratch, zl_name, c->argument_count);
    for (int32_t k = 0; k < c->argument_count; k++) names[k] = c->arguments[k].name;
    const char *help = near ? zm_format(e, "did you mean '%s'?", near)
                       : c->argument_count > 0
                           ? zm_format(e, "it has %s", zm_list_names(e, names, c->argument_count))
                           : "it has none";
    ZM_ERROR(e, "E0111", x->place, help, "'%s' has no argument '%s'", zm_name_of(e, c->name),
             zm_name_of(e, name));
}

/* Which argument of the component c the k-th one of the call is, by place or by name; -1 after an
 * error. */
static int32_t find_argument(zm_elab *e, const zl_expr *call, int32_t k, const zl_statement *c)
{
    zl_name name = call->item_names ? call->item_names[k] : -1;
    if (name < 0) {
        if (k < c->argument_count) return k;
        ZM_ERROR(e, "E0111", call->items[k]->place, NULL, "'%s' takes %d %s, not %d",
                 zm_name_of(e, c->name), (int)c->argument_count,
                 c->argument_count == 1 ? "argument" : "arguments", (int)call->count);
        return -1;
    }
    zb_suggestion s;
    zb_suggest_begin(&s, zm_name_of(e, name));
    for (int32_t i = 0; i < c->argument_count; i++) {
        if (c->arguments[i].name == name) return i;
        zb_suggest_add(&s, zm_name_of(e, c->arguments[i].name));
    }
    report_no_argument(e, call->items[k], c, name, zb_suggest_end(&s));
    return -1;
}

/* Values of the arguments given, by their place in the component's list, and which are given; false
 * after an error. Numbers count as bound, so that parts that differ in a number have one shape. */
static bool read_arguments(zm_elab *e, const zl_expr *call, const zl_statement *c, zm_value *values,
                           bool *given)
{
    bool good = true;
    for (int32_t k = 0; call->kind == ZL_CALL && k < call->count; k++) {
        zm_value v = zm_evaluate(e, call->items[k]);
        int32_t at = find_argument(e, call, k, c);
        if (at < 0) return false;
        if (given[at]) {
            ZM_ERROR(e, "E0111", call->items[k]->place, NULL, "argument '%s' is given twice",
                     zm_name_of(e, c->arguments[at].name));
            return false;
        }
        given[at] = true;
        if (v.kind == ZM_VAL_NUMBER) v.bound = true;
        if (zm_is_broken(&v)) good = false;
        values[at] = v;
    }
    return good;
}

/* Binds every argument of a component in the scope of a new part, those not given to their
 * defaults; false after an error. */
static bool bind_component_arguments(zm_elab *e, const zl_expr *call, const zl_statement *c,
                                     zm_scope *inner)
{
    zm_value *values = ZB_NEW_ARRAY(&e->scratch, zm_value, c->argument_count);
    bool *given = ZB_NEW_ARRAY(&e->scratch, bool, c->argument_count);
    if (!read_arguments(e, call, c, values, given)) return false;
    zm_scope *before = e->scope;
    for (int32_t k = 0; k < c->argument_count; k++) {
        const zl_definition *a = &c->arguments[k];
        if (!given[k] && !a->value) {
            ZM_ERROR(e, "E0111", call->mark, NULL, "argument '%s' of '%s' is missing",
                     zm_name_of(e, a->name), zm_name_of(e, c->name));
            return false;
        }
        e->scope = inner; /* a default may use the arguments before it */
        zm_scratch_mark mark = zm_mark_scratch(e);
        if (!given[k]) values[k] = zm_evaluate(e, a->value);
        if (!given[k]) zm_give_back(e, &mark, &values[k]);
        e->scope = before;
        if (values[k].kind == ZM_VAL_NUMBER) values[k].bound = true;
        zm_bind_name(e, inner, a->name, a->place, &values[k]);
    }
    return true;
}

/* The statement that declares the component that a call names; NULL after an error. */
static const zl_statement *find_component(zm_elab *e, const zl_expr *call)
{
    const zm_symbol *entry = zm_find_name(e, call->name);
    if (entry && entry->meaning == ZM_IS_COMPONENT) return entry->statement;
    if (entry)
        ZM_ERROR(e, "E0110", call->mark, "declare it with component", "'%s' is not a component",
                 zm_name_of(e, call->name));
    else
        zm_report_unknown_component(e, call);
    return NULL;
}

/* A new part, its name declared; -1 when the name is taken. The elements of an array of parts share
 * one name. */
static int32_t declare_part(zm_elab *e, const zl_statement *s, zm_scope *inner)
{
    zm_part part = {.place = s->targets[0]->place, .component = s->right->name};
    if (!zm_read_label(e, s->targets[0], &part.label)) return -1;
    bool array = part.label.index_count > 0;
    const zm_symbol *other = zm_find_own_name(find_lasting_scope(e), part.label.name);
    zm_symbol entry = {.name = part.label.name,
                       .meaning = array ? ZM_IS_PARTS : ZM_IS_PART,
                       .place = part.place,
                       .number = array ? part.label.scope : e->parts.list.count};
    if (zm_find_part(e, &part.label) >= 0) {
        ZM_ERROR(e, "E0101", part.place, "choose another name or index",
                 "part %s is already defined", zm_label_string(e, &part.label));
        return -1;
    }
    bool known = array && other && other->meaning == ZM_IS_PARTS;
    if (!known && !declare_lasting_name(e, &entry)) return -1;
    ZM_PUSH(e, parts.list, part);
    ZM_PUSH(e, parts.scopes, inner);
    if (!zb_table_insert(e->memory, &e->parts.table, zm_label_hash(&part.label),
                         e->parts.list.count - 1))
        zm_out_of_memory(e);
    return e->parts.list.count - 1;
}

/* How many names a part of this component has, or some more. */
static int32_t count_names(const zl_statement *component)
{
    int32_t names = component->argument_count > 0 ? component->argument_count : 0;
    for (int32_t k = 0; k < component->body.count; k++) {
        const zl_statement *s = component->body.statements[k];
        bool one = s->kind == ZL_OUTPUT || s->kind == ZL_PART || s->kind == ZL_COMPONENT;
        names += one ? 1 : s->definition_count;
    }
    return names;
}

/* Executes the statements of the component in the scope `inner` of the new part. */
static void execute_component_body(zm_elab *e, const zl_statement *s, const zl_statement *component,
                                   zm_scope *inner)
{
    inner->part = declare_part(e, s, inner);
    if (inner->part < 0) return;
    zm_scope *before = e->scope;
    e->scope = inner;
    e->limits.nesting++;
    zm_execute_block(e, &component->body);
    e->limits.nesting--;
    e->scope = before;
}

/* After an error the name of a part is bound to a broken value, so that its uses are no errors, too. */
static void break_part(zm_elab *e, const zl_statement *s)
{
    const zl_expr *target = s->targets[0];
    zl_name name = target->kind == ZL_INDEX ? target->left->name : target->name;
    zm_scope *scope = find_lasting_scope(e);
    if (!zm_find_own_name(scope, name))
        zm_bind_name(e, scope, name, s->mark, &(zm_value){.kind = ZM_VAL_BROKEN});
}

/* part a = component(...). Errors in a module are reported at the part of the model itself
 * (made_by). The scope around the part must outlive the pass, for its outputs and functions may be
 * evaluated later. */
static void execute_part(zm_elab *e, const zl_statement *s)
{
    const zl_expr *call = s->right;
    if (call->kind != ZL_CALL && call->kind != ZL_NAME) return;
    const zl_statement *component = find_component(e, call);
    if (!component) {
        break_part(e, s);
        return;
    }
    if (e->limits.nesting >= MAX_NESTED_PARTS) {
        ZM_ERROR(e, "E0114", s->mark, "does a component contain itself?",
                 "parts are nested more than %d deep", MAX_NESTED_PARTS);
        e->limits.stopped = true;
        return;
    }
    if (zm_count_steps(e, s->place, ZM_PART_STEPS)) return;
    zm_scope *around = zm_scope_keep(e, e->scope);
    zm_scope *inner = zm_scope_new(e, around, -1, true, count_names(component));
    zl_place made_by = e->unit->made_by;
    zm_making making = e->reading.making;
    e->reading.making = (zm_making){.call = call, .component = component, .inner = inner};
    if (s->mark.source == 0) e->unit->made_by = s->targets[0]->place;
    if (bind_component_arguments(e, call, component, inner))
        execute_component_body(e, s, component, inner);
    else
        break_part(e, s);
    e->unit->made_by = made_by;
    e->reading.making = making;
}

/* -------------------------------------------------------------------- dispatch */

/* What executes a kind of statement. */
typedef struct handler {
    void (*execute)(zm_elab *e, const zl_statement *s);
    bool leaves_nothing; /* what it made in world and scratch may go at its end */
} handler;

static const handler handlers[] = {
    [ZL_MODEL] = {execute_title, false},
    [ZL_USE] = {execute_use, false},
    [ZL_PARAM] = {zm_execute_param, false},
    [ZL_COORD] = {execute_coord, false},
    [ZL_LET] = {execute_let, false},
    [ZL_LAGRANGIAN] = {zm_execute_energy, true},
    [ZL_KINETIC] = {zm_execute_energy, true},
    [ZL_POTENTIAL] = {zm_execute_energy, true},
    [ZL_DISSIPATION] = {zm_execute_energy, true},
    [ZL_MASS] = {zm_execute_mass, true},
    [ZL_FORCE] = {zm_execute_force, true},
    [ZL_NONIDEAL] = {zm_execute_force, true},
    [ZL_CONSTRAINT] = {zm_execute_constraint, true},
    [ZL_CONTROL] = {zm_execute_constraint, true},
    [ZL_WEIGHT] = {zm_execute_weight, true},
    [ZL_START] = {zm_execute_start, true},
    [ZL_OUTPUT] = {zm_execute_output, true},
    [ZL_WHEN] = {zm_execute_when, true},
    [ZL_DRAW] = {zm_execute_draw, true},
    [ZL_SIMULATE] = {zm_execute_simulate, true},
    [ZL_FOR] = {execute_for, false},
    [ZL_IF] = {execute_if, false},
    [ZL_COMPONENT] = {execute_component, false},
    [ZL_PART] = {execute_part, false},
    [ZL_RESTITUTION] = {zm_execute_restitution, true},
    [ZL_FRICTION] = {zm_execute_friction, true},
    [ZL_INPUT] = {zm_execute_input, false},
    [ZL_DATA] = {zm_execute_data, false},
};

/* Whether a statement was read, but not as the grammar wants it. */
static bool is_left_out(const zl_unit *unit, const zl_statement *s)
{
    for (int32_t k = 0; k < unit->lost_count; k++)
        if (unit->lost[k].source == s->place.source && unit->lost[k].at == s->place.at) return true;
    return false;
}

/* A statement that named a constraint not declared yet is put off, with a scope that stays. */
void zm_execute_statement(zm_elab *e, const zl_statement *s)
{
    const handler *h = &handlers[s->kind];
    pass_mark mark = mark_pass(e);
    const zm_symbol *names = e->scope->entries;
    e->flags.unresolved = false;
    if (zm_count_steps(e, s->place, 1) || is_left_out(e->unit, s)) return;
    e->limits.place = s->place;
    h->execute(e, s);
    if (e->flags.unresolved && !e->flags.last_call) {
        zm_deferred later = {.statement = s, .scope = zm_scope_keep(e, e->scope)};
        ZM_PUSH(e, reading.deferred, later);
    }
    e->flags.unresolved = false;
    bool grown = e->scope->entries != names; /* a broken output leaves its name in the scope */
    if (h->leaves_nothing && !grown) release_pass(e, &mark);
}

/* Until the end or until something stops everything. */
void zm_execute_block(zm_elab *e, const zl_block *block)
{
    zm_active_block active = {.block = block, .outer = e->reading.active};
    e->reading.active = &active;
    for (; active.at < block->count && !e->limits.stopped; active.at++)
        zm_execute_statement(e, block->statements[active.at]);
    e->reading.active = active.outer;
}
