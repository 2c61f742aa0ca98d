/* What callers and other units are to the unit, made at random anew for each run. Included behind it. */
int e0;
short earr[4];
static struct s judge_s[3];
static int judge_i[3];
static unsigned char judge_bytes[16];
static void *judge_escaped;

static struct s *judge_pick_s(void)
{
    switch (judge_random() % 6) {
    case 0: return NULL;
    case 1: return &rec;
    default: return &judge_s[judge_random() % 3];
    }
}

static int *judge_pick_i(void)
{
    struct s *inside = judge_pick_s();
    switch (judge_random() % 12) {
    case 0: return NULL;
    case 1: return &g0;
    case 2: return &rec.a;
    case 3: return a1 + judge_random() % 3;
    case 4: return a2 + judge_random() % 3;
    case 5: return inside ? &inside->a : NULL;
    case 6: return inside ? &inside->u.i : NULL;
    case 7: return &e0;
    default: return &judge_i[judge_random() % 3];
    }
}

static uintptr_t judge_handle(void)
{
    uintptr_t tag = judge_one_in(3) ? judge_random() % 4 : 0;
    return judge_one_in(3) ? (uintptr_t)judge_any() : (uintptr_t)judge_pick_s() + tag;
}

static char *judge_text(void)
{
    static char text[8];
    unsigned length = judge_random() % 5;
    for (unsigned i = 0; i < length; i++)
        text[i] = "abcx"[judge_random() % 4];
    text[length] = 0;
    switch (judge_random() % 4) {
    case 0: return (char *)name(judge_one_in(2));
    default: return text;
    }
}

static FILE *judge_stream(void)
{
    static char text[4];
    static FILE *stream;
    if (stream)
        fclose(stream);
    for (unsigned i = 0; i < 3; i++)
        text[i] = "abx"[judge_random() % 3];
    stream = judge_one_in(4) ? NULL : fmemopen(text, judge_random() % 2 + 1, "r");
    if (stream && judge_one_in(2))
        fgetc(stream);
    return stream;
}

static void judge_fill(struct s *to)
{
    for (unsigned i = 0; i < sizeof *to; i++)
        ((unsigned char *)to)[i] = (unsigned char)judge_any();
    to->a = (int)judge_any();
    to->d = (int)judge_any();
    to->t[1] = (short)judge_any();
    to->u.i = (int)judge_any();
    to->next = judge_pick_s();
    if (judge_one_in(8))
        to->next = (struct s *)((uintptr_t)to->next | 1);
    to->p = judge_pick_i();
    to->h = judge_handle();
}

/* What another unit may do when it has the chance. */
static void judge_disturb(void)
{
    switch (judge_random() % 10) {
    case 0: g0 = (int)judge_any(); break;
    case 1: rec.a = (int)judge_any(); break;
    case 2: e0 = (int)judge_any(); break;
    case 3: errno = (int)judge_any(); break;
    case 4: set_s0((int)judge_any()); break;
    case 5: judge_s[judge_random() % 3].a = (int)judge_any(); break;
    case 6: if (judge_escaped) *(int *)judge_escaped = (int)judge_any(); break;
    case 7: judge_i[judge_random() % 3] = (int)judge_any(); break;
    default: break;
    }
}

int ext0(int x) { (void)x; judge_disturb(); return (int)judge_any(); }
int ext_out(int *out)
{
    if (judge_one_in(2))
        *out = (int)judge_any();
    judge_disturb();
    return (int)(judge_random() % 3) - 1;
}
void ext_show(const struct s *shown)
{
    if (judge_one_in(2))
        ((struct s *)shown)->a = (int)judge_any();
}
void ext_keep(int *kept) { judge_escaped = kept; }
struct s *ext_get(void) { judge_disturb(); return judge_pick_s(); }
void ext_fill(unsigned char *to, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = (unsigned char)judge_any();
}
#ifdef JUDGE_MAYBE
int maybe(int x) { return x + (int)(judge_random() % 3); }
#endif
static int judge_call_0(int x) { return x; }
static int judge_call_1(int x) { judge_disturb(); return x > 2 ? (int)judge_any() : 4; }
static int (*judge_pick_call(void))(int)
{
    switch (judge_random() % 4) {
    case 0: return NULL;
    case 1: return judge_call_0;
    case 2: return twice;
    default: return judge_call_1;
    }
}

static void judge_surround(void)
{
    g0 = (int)judge_any();
    g1 = (unsigned char)judge_any();
    set_s0((int)judge_any());
    judge_fill(&rec);
    for (unsigned i = 0; i < 3; i++) {
        judge_fill(&judge_s[i]);
        judge_i[i] = (int)judge_any();
        arr[i] = (short)judge_any();
        earr[i] = (short)judge_any();
        if (i < 2)
            a1[i] = (int)judge_any(), a2[i] = (int)judge_any();
    }
    e0 = (int)judge_any();
    gp = judge_pick_i();
    sp = judge_pick_s();
    errno = (int)judge_any();
    forget();
    for (unsigned i = judge_random() % 3; i; i--)
        add(judge_pick_s());
    for (unsigned i = 0; i < sizeof judge_bytes; i++)
        judge_bytes[i] = (unsigned char)judge_any();
    judge_escaped = NULL;
    *(volatile int *)0x40000000 = (int)judge_any();
}
