// The whole exporter as one source: clang's headers take several times longer to compile than the
// exporter itself, so they are read once.

#include "constants.cpp"
#include "declarations.cpp"
#include "expressions.cpp"
#include "folding.cpp"
#include "initializers.cpp"
#include "lengths.cpp"
#include "main.cpp"
#include "mentions.cpp"
#include "open_bits.cpp"
#include "spans.cpp"
#include "statements.cpp"
#include "types.cpp"
