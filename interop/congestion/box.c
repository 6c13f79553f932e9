/*
 * A bottleneck between two TUN devices, A and B: rate, delay, a drop-tail queue, and, if asked for, random loss, late packets, an outage and
 * ECN marks. It writes a time-line, tells the flows apart, and measures how late it is itself.
 *
 *     box a=tuna b=tunb rate=100 delay=10 queue=25000b csv=FILE [NAME=VALUE...]
 *
 *     rate=MBIT          of each direction, 10^6 bit/s of IP packets
 *     delay=MS           of each direction, behind the queue
 *     queue=Nb | Np      from A to B: bytes or packets that wait or are being sent; what does not fit is dropped
 *     back-queue=Nb|Np   from B to A (default: a second of the rate)
 *     loss=SHARE         A to B: packets that are lost at random, behind the queue; back-loss the other way
 *     late=SHARE,MS      A to B: packets that come so much later than their turn, so that others overtake them
 *     outage=T1-T2       seconds after the start; what comes to the box meanwhile, from either side, is gone
 *     ecn=BYTES          A to B: a packet that can be marked is, if more than this waits
 *     seed=N             the fate of the n-th packet of a direction follows from it
 *
 * The start is the first packet of 1,000 bytes or more from A. Standard output: "up" when the devices are there, "start NANOS" (of
 * CLOCK_MONOTONIC), and at the end (SIGTERM, SIGINT) lines "flow", "queue" and "box" of NAME=VALUE. The time-line (csv) has a row each 10 ms
 * for each flow that moved, and one for each queue; numbers of packets and bytes are sums since the first packet.
 *
 * A packet is read, is given the moment when it has to leave, and is written at that moment: between its neighbours the queue is exact,
 * however late the box is called. One thread; nothing is copied but late packets.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 9216, FLOWS = 64, TICK = 10000000, DATA = 1000, WORST = 20000, TURN = 32, WINDOW = 10 };

/* A packet in a ring; its bytes follow. length 0: the ring goes on at its beginning. */
typedef struct {
    int64_t sent;               /* when its last bit has left the queue */
    int64_t due;                /* when it is at the other end */
    uint16_t length, flow;
    uint8_t lost, late;
} packet;

/* Records of any length, one behind the other. `leaving` is the first that is still in the queue. */
typedef struct {
    char *bytes;
    size_t size, head, tail, leaving;
} ring;

typedef struct {
    int direction, protocol, source, destination;
    long arrived, arrived_bytes, dropped, lost, outage, marked, left, left_bytes;
    long back;                  /* packets of data since an outage is over */
    int64_t back_first, back_window;
    long told;                  /* arrived + left when the time-line had its last row */
} flow;

typedef struct {
    int in, out;
    double free_at, nanos_per_byte;
    int64_t delay, hold;
    long limit, mark_above;
    int limit_packets;
    double loss, late;
    uint64_t random;
    ring ring, held;
    long queued_bytes, queued_packets, most_bytes, overrun;
} direction;

static direction ways[2];
static flow flows[FLOWS];
static int flow_count;
static volatile sig_atomic_t stop;
static int64_t started, outage_from = INT64_MAX, outage_to = INT64_MAX;
static unsigned lateness[WORST + 1];    /* by microseconds */
static long writes, refused;
static int64_t latest;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "box: %s: %s\n", what, strerror(errno));
    exit(3);
}

static int tun(const char *name) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    if (device < 0 || ioctl(device, TUNSETIFF, &request) < 0) fail("no TUN device");
    return device;
}

/* xorshift64*, from 0 to 1 */
static double chance(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * 2685821657736338717ULL >> 11) / 9007199254740992.0;
}

/* ---- rings */

static void make(ring *r, double bytes) {
    r->size = (size_t)bytes;
    r->bytes = malloc(r->size);
    if (r->bytes == NULL) fail("no memory for the queue");
    memset(r->bytes, 1, r->size);       /* pages come now, not in the middle of a measurement */
}

/* Room for the longest packet, in one piece, and for the mark of a jump behind it; null if there is none. */
static packet *room(ring *r) {
    size_t need = 2 * sizeof(packet) + LONGEST;
    if (r->head >= r->tail && r->size - r->head < need) {
        if (r->tail <= need) return NULL;
        if (r->leaving == r->head) r->leaving = 0;
        if (r->tail == r->head) r->tail = 0;
        else ((packet *)(r->bytes + r->head))->length = 0;
        r->head = 0;
    }
    if (r->head < r->tail && r->tail - r->head <= need) return NULL;
    return (packet *)(r->bytes + r->head);
}

static size_t behind(size_t at, const packet *p) { return at + (sizeof(packet) + p->length + 7) / 8 * 8; }

/* The record at that place, null if it is the ring's end; steps over the jump to the beginning. */
static packet *at(ring *r, size_t *place) {
    if (*place == r->head) return NULL;
    packet *p = (packet *)(r->bytes + *place);
    if (p->length == 0) {
        *place = 0;
        return *place == r->head ? NULL : (packet *)r->bytes;
    }
    return p;
}

/* ---- packets */

static int v4(const unsigned char *b) { return b[0] >> 4 == 4; }

static int flow_of(int way, const unsigned char *b, int length) {
    int header = v4(b) ? (b[0] & 15) * 4 : 40, protocol = v4(b) ? b[9] : b[6], source = 0, destination = 0;
    int first = !v4(b) || ((b[6] & 0x1f) == 0 && b[7] == 0);
    if (first && (protocol == 6 || protocol == 17) && length >= header + 4) {
        source = b[header] << 8 | b[header + 1];
        destination = b[header + 2] << 8 | b[header + 3];
    }
    for (int i = 0; i < flow_count; i++) {
        flow *f = &flows[i];
        if (f->direction == way && f->protocol == protocol && f->source == source && f->destination == destination) return i;
    }
    if (flow_count == FLOWS) return FLOWS - 1;
    flows[flow_count] = (flow){.direction = way, .protocol = protocol, .source = source, .destination = destination};
    return flow_count++;
}

/* RFC 3168: ECT becomes CE; the checksum of IPv4 follows (RFC 1624). */
static int mark(unsigned char *b) {
    int ecn = v4(b) ? b[1] & 3 : b[1] >> 4 & 3;
    if (ecn == 0) return 0;
    if (!v4(b)) {
        b[1] |= 0x30;
        return 1;
    }
    unsigned before = b[0] << 8 | b[1];
    b[1] |= 3;
    unsigned sum = (~(b[10] << 8 | b[11]) & 0xffff) + (~before & 0xffff) + (b[0] << 8 | b[1]);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
    b[10] = (unsigned char)(sum >> 8);
    b[11] = (unsigned char)sum;
    return 1;
}

/* What has left the queue by then. */
static void serve(direction *d, int64_t t) {
    for (packet *p = at(&d->ring, &d->ring.leaving); p != NULL && p->sent <= t; p = at(&d->ring, &d->ring.leaving)) {
        d->queued_bytes -= p->length;
        d->queued_packets--;
        d->ring.leaving = behind(d->ring.leaving, p);
    }
}

/* Takes what the device has, at most a turn of it. Returns whether there was something. */
static int take(int way) {
    direction *d = &ways[way];
    int taken = 0;
    for (; taken < TURN; taken++) {
        packet *p = room(&d->ring);
        if (p == NULL) {
            char away[LONGEST];
            if (read(d->in, away, sizeof away) <= 0) break;
            d->overrun++;
            continue;
        }
        unsigned char *b = (unsigned char *)(p + 1);
        ssize_t length = read(d->in, b, LONGEST);
        if (length <= 0) break;
        int64_t t = now();
        serve(d, t);
        int lost = chance(&d->random) < d->loss, late = chance(&d->random) < d->late;
        if (started == 0 && way == 0 && length >= DATA) {
            started = t;
            printf("start %lld\n", (long long)t);
            fflush(stdout);
            if (outage_from != INT64_MAX) outage_from += t, outage_to += t;
        }
        int number = flow_of(way, b, (int)length);
        flow *f = &flows[number];
        f->arrived++;
        f->arrived_bytes += length;
        if (started != 0 && t >= outage_from && t < outage_to) {
            f->outage++;
            continue;
        }
        if (started != 0 && t >= outage_to && length >= DATA) {
            f->back++;
            if (f->back == 1) f->back_first = t - outage_to;
            if (f->back == WINDOW) f->back_window = t - outage_to;
        }
        if (d->limit_packets ? d->queued_packets + 1 > d->limit : d->queued_bytes + length > d->limit) {
            f->dropped++;
            continue;
        }
        if (d->queued_bytes > d->mark_above) f->marked += mark(b);
        d->free_at = (d->free_at > t ? d->free_at : t) + length * d->nanos_per_byte;
        *p = (packet){.sent = (int64_t)d->free_at, .due = (int64_t)d->free_at + d->delay, .length = length, .flow = number, .lost = lost, .late = late};
        d->ring.head = behind(d->ring.head, p);
        d->queued_bytes += length;
        d->queued_packets++;
        if (d->queued_bytes > d->most_bytes) d->most_bytes = d->queued_bytes;
    }
    return taken > 0;
}

static void put(direction *d, packet *p, int64_t t) {
    int64_t late = t - p->due;
    if (late > latest) latest = late;
    lateness[late / 1000 < WORST ? late / 1000 : WORST]++;
    writes++;
    flow *f = &flows[p->flow];
    if (write(d->out, p + 1, p->length) < 0 && started != 0) refused++;
    f->left++;
    f->left_bytes += p->length;
}

/* Lets go what is due. Returns when the next packet is. */
static int64_t give(direction *d, int64_t next) {
    int64_t t = now();
    packet *p;
    for (; (p = at(&d->ring, &d->ring.tail)) != NULL && p->due <= t; t = now()) {
        serve(d, t);
        packet *aside = p->late && !p->lost ? room(&d->held) : NULL;
        if (p->lost) {
            flows[p->flow].lost++;
        } else if (aside != NULL) {
            memcpy(aside, p, sizeof *p + p->length);
            aside->due += d->hold;
            d->held.head = behind(d->held.head, aside);
        } else {
            put(d, p, t);
        }
        d->ring.tail = behind(d->ring.tail, p);
    }
    if (p != NULL && p->due < next) next = p->due;
    for (; (p = at(&d->held, &d->held.tail)) != NULL && p->due <= t; t = now()) {
        put(d, p, t);
        d->held.tail = behind(d->held.tail, p);
    }
    return p != NULL && p->due < next ? p->due : next;
}

/* ---- what it tells */

static void tick(FILE *csv, int64_t t) {
    double seconds = (double)(t - started) / 1e9;
    for (int way = 0; way < 2; way++) {
        serve(&ways[way], t);
        fprintf(csv, "%.3f,q%d,%ld,%ld\n", seconds, way, ways[way].queued_bytes, ways[way].queued_packets);
    }
    for (int i = 0; i < flow_count; i++) {
        flow *f = &flows[i];
        if (f->arrived + f->left == f->told) continue;
        f->told = f->arrived + f->left;
        fprintf(csv, "%.3f,%d,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld\n", seconds, i, f->arrived, f->arrived_bytes, f->dropped, f->lost, f->outage,
                f->marked, f->left, f->left_bytes);
    }
}

static long percentile(double share) {
    double count = 0;
    for (int i = 0; i <= WORST; i++)
        if ((count += lateness[i]) >= share * (double)writes) return i;
    return WORST;
}

static void summary(int64_t began) {
    for (int i = 0; i < flow_count; i++) {
        flow *f = &flows[i];
        printf("flow id=%d way=%d protocol=%d source=%d destination=%d arrived=%ld arrived_bytes=%ld dropped=%ld lost=%ld outage=%ld marked=%ld left=%ld "
               "left_bytes=%ld back=%ld back_first_ms=%.3f back_window_ms=%.3f\n", i, f->direction, f->protocol, f->source, f->destination, f->arrived,
               f->arrived_bytes, f->dropped, f->lost, f->outage, f->marked, f->left, f->left_bytes, f->back, f->back_first / 1e6, f->back_window / 1e6);
    }
    for (int way = 0; way < 2; way++) printf("queue way=%d most_bytes=%ld overrun=%ld\n", way, ways[way].most_bytes, ways[way].overrun);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    printf("box late_p50_us=%ld late_p99_us=%ld late_p999_us=%ld late_max_us=%lld refused=%ld cpu=%.3f seconds=%.3f\n", percentile(0.5), percentile(0.99),
           percentile(0.999), (long long)latest / 1000, refused, cpu, (double)(now() - began) / 1e9);
}

static void bye(int signal) {
    (void)signal;
    stop = 1;
}

static const char *word(int count, char **words, const char *name, const char *otherwise) {
    size_t length = strlen(name);
    for (int i = 1; i < count; i++)
        if (strncmp(words[i], name, length) == 0 && words[i][length] == '=') return words[i] + length + 1;
    return otherwise;
}

int main(int count, char **words) {
    double rate = atof(word(count, words, "rate", "100")), delay = atof(word(count, words, "delay", "10")), late_ms = 0;
    char back[32];
    snprintf(back, sizeof back, "%.0fb", rate * 125000);
    ways[0].in = ways[1].out = tun(word(count, words, "a", "tuna"));
    ways[1].in = ways[0].out = tun(word(count, words, "b", "tunb"));
    sscanf(word(count, words, "late", "0,0"), "%lf,%lf", &ways[0].late, &late_ms);
    double from, to;
    if (sscanf(word(count, words, "outage", ""), "%lf-%lf", &from, &to) == 2) outage_from = (int64_t)(from * 1e9), outage_to = (int64_t)(to * 1e9);
    for (int way = 0; way < 2; way++) {
        direction *d = &ways[way];
        const char *queue = way ? word(count, words, "back-queue", back) : word(count, words, "queue", back);
        d->nanos_per_byte = 8000 / rate;
        d->delay = (int64_t)(delay * 1e6);
        d->hold = (int64_t)(late_ms * 1e6);
        d->limit = atol(queue);
        d->limit_packets = queue[strlen(queue) - 1] == 'p';
        d->mark_above = way ? INT64_MAX : atol(word(count, words, "ecn", "9223372036854775807"));
        d->loss = atof(word(count, words, way ? "back-loss" : "loss", "0"));
        d->random = 0x9E3779B97F4A7C15ULL * (uint64_t)(2 * atol(word(count, words, "seed", "1")) + way + 1);
        /* Small packets take up to twice their bytes. */
        make(&d->ring, 2 * (rate * 125 * delay + (d->limit_packets ? d->limit * 1500.0 : (double)d->limit)) + (4 << 20));
        make(&d->held, (d->late + 0.01) * 2 * rate * 125 * late_ms + (1 << 20));
    }
    const char *file = word(count, words, "csv", "/dev/null");
    FILE *csv = fopen(file, "w");
    if (csv == NULL) fail(file);
    setvbuf(csv, NULL, _IOFBF, 1 << 16);
    fputs("# seconds,qWAY,bytes,packets or seconds,flow,arrived,arrived_bytes,dropped,lost,outage,marked,left,left_bytes\n", csv);
    signal(SIGTERM, bye);
    signal(SIGINT, bye);
    prctl(PR_SET_TIMERSLACK, 1);
    struct sched_param first = {.sched_priority = 10};
    if (sched_setscheduler(0, SCHED_FIFO, &first) < 0) setpriority(PRIO_PROCESS, 0, -20);
    puts("up");
    fflush(stdout);
    int64_t began = now(), next_tick = 0;
    while (!stop) {
        int busy = take(0) | take(1);
        int64_t next = give(&ways[1], give(&ways[0], now() + 100000000)), t = now();
        if (started != 0 && t >= next_tick) {
            tick(csv, t);
            next_tick = t - (t - started) % TICK + TICK;
        }
        if (started != 0 && next_tick < next) next = next_tick;
        if (!busy && next > t) {
            struct pollfd devices[2] = {{ways[0].in, POLLIN, 0}, {ways[1].in, POLLIN, 0}};
            struct timespec rest = {(next - t) / 1000000000, (next - t) % 1000000000};
            ppoll(devices, 2, &rest, NULL);
        }
    }
    if (started != 0) tick(csv, now());
    fclose(csv);
    summary(began);
    return 0;
}
