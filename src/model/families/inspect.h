/*
 * What zm_inspect looks at besides names: private to this shelf.
 */
#ifndef ZM_INSPECT_H
#define ZM_INSPECT_H

#include "derive.h"

/* Errors of frictions and restitutions, from the rows as they were derived. */
void zm_inspect_contacts(zm_builder *builder);

#endif
