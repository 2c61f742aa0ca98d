/*
 * The interface of CREST, so that programs written for it run unchanged: CREST_int(x) and its kin
 * make the variable x an input. See attest.h.
 */
#ifndef ATTEST_CREST_H
#define ATTEST_CREST_H

#include "attest.h"

#define CREST_unsigned_char(x) ATTEST_INPUT(x)
#define CREST_char(x) ATTEST_INPUT(x)
#define CREST_unsigned_short(x) ATTEST_INPUT(x)
#define CREST_short(x) ATTEST_INPUT(x)
#define CREST_unsigned_int(x) ATTEST_INPUT(x)
#define CREST_int(x) ATTEST_INPUT(x)
#define CREST_unsigned_long(x) ATTEST_INPUT(x)
#define CREST_long(x) ATTEST_INPUT(x)
#define CREST_unsigned_long_long(x) ATTEST_INPUT(x)
#define CREST_long_long(x) ATTEST_INPUT(x)

#endif
