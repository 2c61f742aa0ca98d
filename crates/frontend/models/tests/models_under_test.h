/*
 * The models under other names, so that they and the C library's own functions can be called side by
 * side. Include it before any header of the library. A function that is missing in this list
 * would be defined twice, which the linker reports.
 */
#define memcpy model_memcpy
#define mempcpy model_mempcpy
#define memmove model_memmove
#define memset model_memset
#define bzero model_bzero
#define explicit_bzero model_explicit_bzero
#define bcopy model_bcopy
#define memcmp model_memcmp
#define bcmp model_bcmp
#define memchr model_memchr
#define memrchr model_memrchr
#define rawmemchr model_rawmemchr
#define memccpy model_memccpy
#define memmem model_memmem
#define strlen model_strlen
#define strnlen model_strnlen
#define stpcpy model_stpcpy
#define strcpy model_strcpy
#define stpncpy model_stpncpy
#define strncpy model_strncpy
#define strcat model_strcat
#define strncat model_strncat
#define strdup model_strdup
#define strndup model_strndup
#define strcmp model_strcmp
#define strcoll model_strcoll
#define strncmp model_strncmp
#define strcasecmp model_strcasecmp
#define strncasecmp model_strncasecmp
#define strchr model_strchr
#define strchrnul model_strchrnul
#define strrchr model_strrchr
#define index model_index
#define rindex model_rindex
#define strstr model_strstr
#define strcasestr model_strcasestr
#define strspn model_strspn
#define strcspn model_strcspn
#define strpbrk model_strpbrk
#define strtok_r model_strtok_r
#define strtok model_strtok
#define __strtok_r model___strtok_r
#define strsep model_strsep
#define isupper model_isupper
#define islower model_islower
#define isalpha model_isalpha
#define isdigit model_isdigit
#define isxdigit model_isxdigit
#define isspace model_isspace
#define isprint model_isprint
#define isgraph model_isgraph
#define isblank model_isblank
#define iscntrl model_iscntrl
#define ispunct model_ispunct
#define isalnum model_isalnum
#define isascii model_isascii
#define toascii model_toascii
#define __ctype_toupper_loc model___ctype_toupper_loc
#define __ctype_tolower_loc model___ctype_tolower_loc
#define __ctype_b_loc model___ctype_b_loc
#define tolower model_tolower
#define toupper model_toupper
#define __errno_location model___errno_location
#define malloc model_malloc
#define calloc model_calloc
#define free model_free
#define realloc model_realloc
#define reallocarray model_reallocarray
#define aligned_alloc model_aligned_alloc
#define abs model_abs
#define labs model_labs
#define llabs model_llabs
#define imaxabs model_imaxabs
#define strtol model_strtol
#define strtoll model_strtoll
#define strtoul model_strtoul
#define strtoull model_strtoull
#define strtoimax model_strtoimax
#define strtoumax model_strtoumax
#define atoi model_atoi
#define atol model_atol
#define atoll model_atoll
#define __isoc23_strtol model___isoc23_strtol
#define __isoc23_strtoll model___isoc23_strtoll
#define __isoc23_strtoul model___isoc23_strtoul
#define __isoc23_strtoull model___isoc23_strtoull
#define qsort model_qsort
#define bsearch model_bsearch
#define ffs model_ffs
#define ffsl model_ffsl
#define ffsll model_ffsll
#define __chk_fail model___chk_fail
#define __memcpy_chk model___memcpy_chk
#define __mempcpy_chk model___mempcpy_chk
#define __memmove_chk model___memmove_chk
#define __memset_chk model___memset_chk
#define __strcpy_chk model___strcpy_chk
#define __stpcpy_chk model___stpcpy_chk
#define __strncpy_chk model___strncpy_chk
#define __stpncpy_chk model___stpncpy_chk
#define __strcat_chk model___strcat_chk
#define __strncat_chk model___strncat_chk

#include "../string.c"

#define check ctype_check
#include "../ctype.c"
#undef check

#include "../stdlib.c"
#undef SIZE_MAX
#undef PTRDIFF_MAX
#undef INTMAX_MAX
#undef UINTMAX_MAX
#undef LONG_MAX
#undef ULONG_MAX
#undef LLONG_MAX
#undef ULLONG_MAX

#include "../builtins.c"

#include "../fortify.c"

#undef memcpy
#undef mempcpy
#undef memmove
#undef memset
#undef bzero
#undef explicit_bzero
#undef bcopy
#undef memcmp
#undef bcmp
#undef memchr
#undef memrchr
#undef rawmemchr
#undef memccpy
#undef memmem
#undef strlen
#undef strnlen
#undef stpcpy
#undef strcpy
#undef stpncpy
#undef strncpy
#undef strcat
#undef strncat
#undef strdup
#undef strndup
#undef strcmp
#undef strcoll
#undef strncmp
#undef strcasecmp
#undef strncasecmp
#undef strchr
#undef strchrnul
#undef strrchr
#undef index
#undef rindex
#undef strstr
#undef strcasestr
#undef strspn
#undef strcspn
#undef strpbrk
#undef strtok_r
#undef strtok
#undef __strtok_r
#undef strsep
#undef isupper
#undef islower
#undef isalpha
#undef isdigit
#undef isxdigit
#undef isspace
#undef isprint
#undef isgraph
#undef isblank
#undef iscntrl
#undef ispunct
#undef isalnum
#undef isascii
#undef toascii
#undef __ctype_toupper_loc
#undef __ctype_tolower_loc
#undef __ctype_b_loc
#undef tolower
#undef toupper
#undef __errno_location
#undef malloc
#undef calloc
#undef free
#undef realloc
#undef reallocarray
#undef aligned_alloc
#undef abs
#undef labs
#undef llabs
#undef imaxabs
#undef strtol
#undef strtoll
#undef strtoul
#undef strtoull
#undef strtoimax
#undef strtoumax
#undef atoi
#undef atol
#undef atoll
#undef __isoc23_strtol
#undef __isoc23_strtoll
#undef __isoc23_strtoul
#undef __isoc23_strtoull
#undef qsort
#undef bsearch
#undef ffs
#undef ffsl
#undef ffsll
#undef __chk_fail
#undef __memcpy_chk
#undef __mempcpy_chk
#undef __memmove_chk
#undef __memset_chk
#undef __strcpy_chk
#undef __stpcpy_chk
#undef __strncpy_chk
#undef __stpncpy_chk
#undef __strcat_chk
#undef __strncat_chk
