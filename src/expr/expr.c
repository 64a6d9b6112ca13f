/* placeholder until the first source of this layer */
#include "expr.h"
