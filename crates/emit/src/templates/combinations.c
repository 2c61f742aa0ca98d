/* attest: records which combinations of values the conditions of decisions have, and by how much the
   sides of comparisons differ. */

#define ATTEST_TEXT(text) #text
#define ATTEST_PREFIX(prefix) ATTEST_TEXT(prefix)
#define ATTEST_LIBC(name) __asm__(ATTEST_PREFIX(__USER_LABEL_PREFIX__) name)

typedef unsigned long long attest_bits;

extern int attest_open(const char *path, int flags, ...) ATTEST_LIBC("open");
extern int attest_close(int file) ATTEST_LIBC("close");
extern __PTRDIFF_TYPE__ attest_write(int file, const void *bytes, __SIZE_TYPE__ count)
    ATTEST_LIBC("write");
extern char *attest_getenv(const char *name) ATTEST_LIBC("getenv");

/* An evaluation of a decision that has begun: a bit for each condition that was evaluated, and for
   each that was true. */
struct attest_evaluation {
    unsigned decision;
    attest_bits evaluated, values;
};

/* Evaluations lie within each other where a condition calls. Those that a jump leaves stay. */
enum { ATTEST_DEPTH = 1024, ATTEST_SEEN = 1 << 14 };
static struct attest_evaluation attest_open_evaluations[ATTEST_DEPTH];
static unsigned attest_depth;

/* The combinations that were written: a hash table, whose entries are free where nothing is
   evaluated. */
static struct attest_evaluation attest_seen[ATTEST_SEEN];

/* Where they are written: a file that is opened for each, so that the program's own files have the
   numbers that they always have. */
static char attest_path[4096];

__attribute__((constructor)) static void attest_find_path(void)
{
    const char *path = attest_getenv("ATTEST_COMBINATIONS");
    unsigned i;
    for (i = 0; path && path[i] && i + 1 < sizeof attest_path; i++)
        attest_path[i] = path[i];
}

/* Whether a combination was seen before; from now on it was. */
static int attest_is_known(const struct attest_evaluation *it)
{
    attest_bits hash = it->decision * 0x9e3779b97f4a7c15u ^ it->evaluated * 0xc2b2ae3d27d4eb4fu;
    unsigned i, tries;
    hash = (hash ^ it->values) * 0x9e3779b97f4a7c15u;
    i = (unsigned)(hash >> 40) % ATTEST_SEEN;
    for (tries = 0; tries < 64; tries++, i = (i + 1) % ATTEST_SEEN) {
        struct attest_evaluation *entry = &attest_seen[i];
        if (!entry->evaluated) {
            *entry = *it;
            return 0;
        }
        if (entry->decision == it->decision && entry->evaluated == it->evaluated
            && entry->values == it->values)
            return 1;
    }
    return 0;
}

static char *attest_put(char *to, attest_bits number)
{
    char digits[24];
    unsigned count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count)
        *to++ = digits[--count];
    return to;
}

/* Writes a line. */
static void attest_tell(const char *line, __SIZE_TYPE__ length)
{
    /* O_WRONLY | O_CREAT | O_APPEND */
    int file = *attest_path ? attest_open(attest_path, 02001 | 0100, 0600) : -1;
    if (file >= 0) {
        attest_write(file, line, length);
        attest_close(file);
    }
}

static void attest_record(const struct attest_evaluation *it)
{
    char line[80], *end = line;
    if (attest_is_known(it))
        return;
    end = attest_put(end, it->decision);
    *end++ = ' ';
    end = attest_put(end, it->evaluated);
    *end++ = ' ';
    end = attest_put(end, it->values);
    *end++ = '\n';
    attest_tell(line, (__SIZE_TYPE__)(end - line));
}

/* The outcomes of conditions and the sides of switches so far, of those that count: a hash (FNV-1a), and
   how many they are. */
static attest_bits attest_hash = 14695981039346656037u, attest_outcomes;

static void attest_passed(attest_bits outcome)
{
    attest_hash = (attest_hash ^ outcome) * 1099511628211u;
    attest_outcomes++;
}

/* A switch goes to a side. */
void attest_side(unsigned side)
{
    attest_passed(2 + (attest_bits)side);
}

extern void __real__exit(int status) __attribute__((__noreturn__));
extern void __wrap__exit(int status) __attribute__((__noreturn__));

/* Tells the path of a test where its process ends. */
void __wrap__exit(int status)
{
    char line[64] = "path ", *end = line + 5;
    end = attest_put(end, attest_hash);
    *end++ = ' ';
    end = attest_put(end, attest_outcomes);
    *end++ = '\n';
    attest_tell(line, (__SIZE_TYPE__)(end - line));
    __real__exit(status);
}

/* The value of the condition at a position of a decision. `ends` has 8 if it counts for the path, 1 if an evaluation begins with
   it, 2 if the decision is settled where it is false, and 4 if it is where it is true. */
int attest_condition(unsigned decision, unsigned position, unsigned ends, int value)
{
    struct attest_evaluation *top;
    unsigned depth = attest_depth;
    if (ends & 8)
        attest_passed(value != 0);
    if (ends & 1) {
        /* What lies deepest was left, or is lost. */
        if (depth == ATTEST_DEPTH)
            for (depth = 0; depth < ATTEST_DEPTH / 2; depth++)
                attest_open_evaluations[depth] = attest_open_evaluations[depth + ATTEST_DEPTH / 2];
        attest_open_evaluations[depth].decision = decision;
        attest_open_evaluations[depth].evaluated = 0;
        attest_open_evaluations[depth].values = 0;
        attest_depth = ++depth;
    } else {
        while (depth && attest_open_evaluations[depth - 1].decision != decision)
            depth--;
        if (!depth)
            return value;
        attest_depth = depth;
    }
    top = &attest_open_evaluations[depth - 1];
    top->evaluated |= (attest_bits)1 << position;
    top->values |= (attest_bits)(value != 0) << position;
    if (ends & (value ? 4u : 2u)) {
        attest_record(top);
        attest_depth--;
    }
    return value;
}

/* The left sides of comparisons whose right sides are not evaluated yet. */
struct attest_side {
    unsigned number;
    attest_bits value;
    int is_negative;
};
static struct attest_side attest_sides[ATTEST_DEPTH];
static unsigned attest_sides_depth;

/* The left side of a comparison: a number modulo 2 to the 64, and whether it is negative. */
void attest_left(unsigned number, attest_bits value, int is_negative)
{
    struct attest_side *side;
    if (attest_sides_depth == ATTEST_DEPTH)
        attest_sides_depth = 0;
    side = &attest_sides[attest_sides_depth++];
    side->number = number;
    side->value = value;
    side->is_negative = is_negative;
}

/* Whether one number is one less than another. */
static int attest_is_one_less(attest_bits less, int is_less_negative, attest_bits more,
                              int is_more_negative)
{
    /* The difference wraps behind the greatest number. */
    if (is_more_negative && !is_less_negative)
        return 0;
    return more - less == 1 && (more != 0 || is_less_negative);
}

/* The right side. Recorded is a combination of the 64th condition with the left side less the right
   one and one more, if that is from 0 to 2. */
void attest_right(unsigned number, attest_bits value, int is_negative)
{
    struct attest_evaluation it;
    struct attest_side *left;
    while (attest_sides_depth && attest_sides[attest_sides_depth - 1].number != number)
        attest_sides_depth--;
    if (!attest_sides_depth)
        return;
    left = &attest_sides[--attest_sides_depth];
    it.decision = number;
    it.evaluated = (attest_bits)1 << 63;
    if (left->value == value && left->is_negative == is_negative)
        it.values = 1;
    else if (attest_is_one_less(left->value, left->is_negative, value, is_negative))
        it.values = 0;
    else if (attest_is_one_less(value, is_negative, left->value, left->is_negative))
        it.values = 2;
    else
        return;
    attest_record(&it);
}

/* The numbers of operators, as `attest_operated` gets them, and of other changes. */
enum {
    ATTEST_ADD, ATTEST_SUB, ATTEST_MUL, ATTEST_DIV, ATTEST_REM, ATTEST_AND, ATTEST_OR, ATTEST_XOR,
    ATTEST_SHL, ATTEST_SHR, ATTEST_EQ, ATTEST_NE, ATTEST_LT, ATTEST_LE, ATTEST_GT, ATTEST_GE,
    ATTEST_FALSE, ATTEST_TRUE, ATTEST_ONE_MORE, ATTEST_ONE_LESS
};

/* An operation on numbers of so many bits, which wraps around; as it is where a mutant has no value. */
struct attest_operation {
    unsigned op, width;
    int is_signed;
    attest_bits left, right;
};

static attest_bits attest_wrapped(attest_bits value, unsigned width)
{
    return width >= 64 ? value : value & (((attest_bits)1 << width) - 1);
}

/* A number of so many bits as one of 64 bits with the same sign. */
static attest_bits attest_extended(attest_bits value, const struct attest_operation *it)
{
    attest_bits wrapped = attest_wrapped(value, it->width);
    if (it->is_signed && it->width < 64 && wrapped >> (it->width - 1) & 1)
        return wrapped | ~attest_wrapped(~(attest_bits)0, it->width);
    return wrapped;
}

static attest_bits attest_magnitude(attest_bits value, int is_signed)
{
    return is_signed && value >> 63 ? 0 - value : value;
}

static attest_bits attest_value_of(const struct attest_operation *it)
{
    attest_bits left = attest_extended(it->left, it), right = attest_extended(it->right, it);
    attest_bits sign = (attest_bits)it->is_signed << 63, value = 0;
    attest_bits one = attest_magnitude(left, it->is_signed);
    attest_bits other = attest_magnitude(right, it->is_signed);
    unsigned count = (unsigned)it->right;
    switch (it->op) {
    case ATTEST_ADD: value = left + right; break;
    case ATTEST_SUB: value = left - right; break;
    case ATTEST_MUL: value = left * right; break;
    case ATTEST_DIV:
        value = other ? one / other : 0;
        value = (left ^ right) & sign ? 0 - value : value;
        break;
    case ATTEST_REM:
        value = other ? one % other : 0;
        value = left & sign ? 0 - value : value;
        break;
    case ATTEST_AND: value = left & right; break;
    case ATTEST_OR: value = left | right; break;
    case ATTEST_XOR: value = left ^ right; break;
    case ATTEST_SHL: value = left << (count & 63); break;
    case ATTEST_SHR:
        value = left >> (count & 63);
        if (left & sign && count)
            value |= ~(~(attest_bits)0 >> (count & 63));
        break;
    case ATTEST_EQ: return left == right;
    case ATTEST_NE: return left != right;
    case ATTEST_LT: return (left ^ sign) < (right ^ sign);
    case ATTEST_LE: return (left ^ sign) <= (right ^ sign);
    case ATTEST_GT: return (left ^ sign) > (right ^ sign);
    case ATTEST_GE: return (left ^ sign) >= (right ^ sign);
    case ATTEST_FALSE: return 0;
    case ATTEST_TRUE: return 1;
    }
    return attest_wrapped(value, it->width);
}

/* The right side of an operation, whose left side was told, with the operator, the side that is a
   constant if one is (1 or 2), and the type of the left side. Recorded is a combination of the 64th
   condition with the number of each change that makes another value. */
void attest_operated(unsigned number, unsigned op, unsigned constant, unsigned width, int is_signed,
                     attest_bits right)
{
    struct attest_operation it, mutant;
    struct attest_evaluation told;
    attest_bits value;
    unsigned change;
    while (attest_sides_depth && attest_sides[attest_sides_depth - 1].number != number)
        attest_sides_depth--;
    if (!attest_sides_depth)
        return;
    it.op = op;
    it.width = width;
    it.is_signed = is_signed;
    it.left = attest_sides[--attest_sides_depth].value;
    it.right = right;
    value = attest_value_of(&it);
    told.decision = number;
    told.evaluated = (attest_bits)1 << 63;
    for (change = 0; change <= ATTEST_ONE_LESS; change++) {
        mutant = it;
        if (change <= ATTEST_TRUE)
            mutant.op = change;
        else if (constant == 1)
            mutant.left += change == ATTEST_ONE_MORE ? 1 : ~(attest_bits)0;
        else
            mutant.right += change == ATTEST_ONE_MORE ? 1 : ~(attest_bits)0;
        told.values = change;
        if (attest_value_of(&mutant) != value)
            attest_record(&told);
    }
}

/* The labels that were written. */
enum { ATTEST_LABELS = 1024 };
static const char *attest_labels[ATTEST_LABELS];
static unsigned attest_label_count;

/* A label, whose condition holds or not. */
void attest_label(const char *name, int condition)
{
    static const char start[] = "label ";
    char line[512];
    unsigned length = sizeof start - 1, i;
    if (!condition)
        return;
    for (i = 0; i < attest_label_count; i++)
        if (attest_labels[i] == name)
            return;
    if (attest_label_count < ATTEST_LABELS)
        attest_labels[attest_label_count++] = name;
    for (i = 0; i < length; i++)
        line[i] = start[i];
    for (i = 0; name[i] && length + 1 < sizeof line; i++)
        line[length++] = name[i];
    line[length++] = '\n';
    attest_tell(line, length);
}
