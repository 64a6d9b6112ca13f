/* placeholder until the first source of this layer */
#include "model.h"
