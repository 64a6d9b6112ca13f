/* placeholder until the first source of this layer */
#include "kernel.h"
