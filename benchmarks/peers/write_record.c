/*
 * The floor of Write-Record: the work that every implementation has to do, and no other work. The sender makes datagrams with shim, DDP
 * header and CRC32C, 44 of them a system call (UDP_SEGMENT, UDP_GRO). The receiver checks each, looks it up in the tables of STags and of
 * open messages, copies it to its place and notes it in the bitmap of its message; each message makes a completion, which the program
 * polls. As with jwarp the last datagram of a message is padded, so that the next message goes with the same call, and the far end
 * reports now and then how many messages it has polled. No queue pairs, no timers, no other operations.
 */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SHIM = 24,
    DDP = 14,
    HEAD = SHIM + DDP,
    TRAILER = 4,
    LARGEST = 65507,
    MOST_SEGMENTS = 4096,
    UDP_BUFFER = 4 << 20,
    UNDER_WAY = 2 << 20,
    DOMAIN = 7,
    RECORD_RIGHT = 2,
    NUMBER = 0x12345,
    KEY = 0x11223344,
    STAG_SLOTS = 1 << 10,
    RECORDS = 1 << 10,
    SEEN = 1 << 15,
    COMPLETIONS = 1 << 10,
};

static int ends[2];
static struct sockaddr_in addresses[2];
static size_t size, segment, datagram, segments;
static int spin, padded;
static char *source, *region;
static uint64_t window, every;

static void put16(char *at, uint32_t value) {
    uint16_t half = htons((uint16_t)value);
    memcpy(at, &half, 2);
}

static uint32_t get16(const char *at) {
    uint16_t half;
    memcpy(&half, at, 2);
    return ntohs(half);
}

/* ---- sending */

static char template[HEAD], *staging;
static size_t staged;
static uint32_t next_id;
static uint32_t stag;
static uint64_t told_of;

static void flush(void) {
    while (staged && sendto(ends[0], staging, staged, spin ? MSG_DONTWAIT : 0, (struct sockaddr *)&addresses[1], sizeof addresses[1]) < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            die("send");
        }
    }
    staged = 0;
}

static void message(void) {
    put32(template + 12, next_id++);
    for (size_t i = 0; i < segments; i++) {
        char *at = staging + staged;
        size_t offset = i * segment, length = size - offset < segment ? size - offset : segment;
        int last = i == segments - 1;
        size_t room = padded ? segment : length;
        memcpy(at, template, HEAD);
        at[4] = last && length < room ? 0x20 : 0; /* padded */
        put16(at + 20, (uint32_t)i);
        at[SHIM] = (char)(last ? 0xC1 : 0x81);
        put32(at + SHIM + 6, 0);
        put32(at + SHIM + 10, (uint32_t)offset);
        memcpy(at + HEAD, source + offset, length);
        memset(at + HEAD + length, 0, room - length);
        uint32_t sum = ~crc32c(~0u, at, HEAD + room);
        memcpy(at + HEAD + room, &sum, TRAILER);
        staged += HEAD + room + TRAILER;
        if (room < segment || staged + datagram > LARGEST) { /* a shorter datagram ends its batch */
            flush();
        }
    }
}

/* Takes reports of the far end; asks for one if none comes. */
static void hear(int wait) {
    uint64_t taken;
    ssize_t n = recv(ends[0], &taken, sizeof taken, MSG_DONTWAIT);
    if (n < 0 && wait && !spin) {
        n = recv(ends[0], &taken, sizeof taken, 0);
    }
    if (n < 0 && wait && (!spin || errno != EAGAIN)) {
        sendto(ends[0], "", 1, 0, (struct sockaddr *)&addresses[1], sizeof addresses[1]);
    }
    if (n == sizeof taken && taken > told_of) {
        told_of = taken;
    }
}

static void pour(uint64_t nanos) {
    static uint64_t sent;
    uint64_t start = now(), before = told_of, first = sent, lost = 0;
    do {
        while (sent - lost - told_of >= window) {
            uint64_t had = told_of, since = now();
            flush();
            while (told_of == had) {
                hear(1);
                if (now() - since > 20000000u) { /* datagrams in flight count as lost */
                    lost = sent - told_of;
                    break;
                }
            }
        }
        message();
        sent++;
        if (sent % every == 0) {
            hear(0);
        }
    } while (now() - start < nanos);
    flush();
    uint64_t had;
    do { /* the final count of received datagrams */
        had = told_of;
        sendto(ends[0], "", 1, 0, (struct sockaddr *)&addresses[1], sizeof addresses[1]);
        usleep(200);
        hear(0);
        hear(0);
    } while (told_of != had);
    figures.operations = told_of - before;
    figures.octets = figures.operations * size;
    figures.nanos = now() - start;
    figures.lost = sent - first - figures.operations;
    sent = told_of;
}

/* ---- receiving */

struct registration {
    uint32_t stag;
    int domain, rights;
    uint64_t base, length;
    char *memory;
};

struct record {
    uint64_t hash, base, bits[MOST_SEGMENTS / 64];
    struct sockaddr_in from;
    uint32_t number, id, stag, length, size, count, placed;
    struct registration *into;
    struct record *next;
};

struct completion {
    struct record *record;
};

static struct registration stags[STAG_SLOTS];
static struct record pool[RECORDS], *freed, *buckets[RECORDS];
static uint64_t seen[SEEN];
static struct completion completions[COMPLETIONS];
static uint64_t completed, polled, taken, told;

static uint64_t hash_of(const struct sockaddr_in *from, uint32_t number, uint32_t id) {
    uint64_t h = 0x9E3779B97F4A7C15u ^ ((uint64_t)from->sin_addr.s_addr << 16 | from->sin_port);
    h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u + ((uint64_t)number << 32 | id);
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    return h ^ (h >> 31);
}

static int same(const struct sockaddr_in *a, const struct sockaddr_in *b) {
    return a->sin_addr.s_addr == b->sin_addr.s_addr && a->sin_port == b->sin_port;
}

static void end(struct record *record) {
    struct record **at = &buckets[record->hash % RECORDS];
    while (*at != record) {
        at = &(*at)->next;
    }
    *at = record->next;
    seen[record->hash % SEEN] = record->hash;
    completions[completed++ % COMPLETIONS].record = record;
}

/* The room for payload that a datagram states. */
static size_t room_of(const char *at) {
    uint64_t length = get32(at + 16), cut = get16(at + 22), ahead = get16(at + 20) * cut;
    return ahead > length || at[4] & 0x20 || length - ahead > cut ? cut : length - ahead;
}

/* Takes a valid datagram: for its message, or as the first one of a new message. */
static void place(const char *at, size_t room, const struct sockaddr_in *from) {
    uint32_t id = get32(at + 12), length = get32(at + 16), index = get16(at + 20), cut = get16(at + 22), of = get32(at + SHIM + 2);
    uint64_t offset = (uint64_t)get32(at + SHIM + 6) << 32 | get32(at + SHIM + 10), ahead = (uint64_t)index * cut;
    uint32_t number = get32(at + 4) & 0xFFFFFF;
    uint32_t count = cut ? (length + cut - 1) / cut : 1;
    if (index >= count || count > MOST_SEGMENTS || room != room_of(at) || ((at[SHIM] & 0x40) != 0) != (index == count - 1)) {
        die("shape");
    }
    uint64_t hash = hash_of(from, number, id), base = offset - ahead;
    struct record *record = buckets[hash % RECORDS];
    while (record && !(record->hash == hash && record->id == id && record->number == number && same(&record->from, from))) {
        record = record->next;
    }
    if (!record) {
        if (seen[hash % SEEN] == hash) {
            return;
        }
        struct registration *into = &stags[of >> 8 & (STAG_SLOTS - 1)];
        if (into->stag != of || into->domain != DOMAIN || !(into->rights & RECORD_RIGHT) || base < into->base || length > into->length
            || base - into->base > into->length - length) {
            die("placement");
        }
        record = freed;
        if (!record) {
            return;
        }
        freed = record->next;
        record->hash = hash;
        record->from = *from;
        record->number = number;
        record->id = id;
        record->stag = of;
        record->base = base;
        record->length = length;
        record->size = cut;
        record->count = count;
        record->placed = 0;
        record->into = into;
        memset(record->bits, 0, (count + 63) / 64 * 8);
        record->next = buckets[hash % RECORDS];
        buckets[hash % RECORDS] = record;
    } else if (record->length != length || record->size != cut || record->stag != of || record->base != base
               || record->into->stag != of || record->bits[index / 64] >> index % 64 & 1) {
        return;
    }
    uint64_t rest = length - ahead;
    memcpy(record->into->memory + (offset - record->into->base), at + HEAD, rest < cut ? rest : cut);
    record->bits[index / 64] |= 1ull << index % 64;
    if (++record->placed == count) {
        end(record);
    }
}

static void receive(const char *at, size_t length, const struct sockaddr_in *from) {
    uint32_t sum;
    if (length < HEAD + TRAILER) {
        die("short");
    }
    memcpy(&sum, at + length - TRAILER, TRAILER);
    if (sum != ~crc32c(~0u, at, length - TRAILER)) {
        die("CRC");
    }
    if (at[0] != 0x10 || (get32(at) & 0xFFFFFF) != NUMBER || (at[4] & ~0x20) || get32(at + 8) != KEY || (at[SHIM] & 0x83) != 0x81
        || at[SHIM + 1] != 0x4F) {
        die("header");
    }
    place(at, length - HEAD - TRAILER, from);
}

/* The program: polls completions, and reports their number now and then. */
static void poll_completions(const struct sockaddr_in *from, int asked) {
    while (polled < completed) {
        struct record *record = completions[polled++ % COMPLETIONS].record;
        if (record->placed != record->count) {
            die("completion");
        }
        record->next = freed;
        freed = record;
        taken++;
    }
    if (taken - told >= every || asked) {
        told = taken;
        sendto(ends[1], &told, sizeof told, 0, (const struct sockaddr *)from, sizeof *from);
    }
}

static void *take(void *unused) {
    char *slot = aligned_alloc(4096, 65536);
    for (;;) {
        struct sockaddr_in from;
        socklen_t known = sizeof from;
        ssize_t n = recvfrom(ends[1], slot, 65536, spin ? MSG_DONTWAIT : 0, (struct sockaddr *)&from, &known);
        if (n <= 0) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                die("receive");
            }
            if (!turn) {
                await_turn();
            }
            continue;
        }
        if (n >= HEAD + TRAILER) { /* the stated length of the first datagram divides all of them */
            size_t one = HEAD + room_of(slot) + TRAILER, at = 0;
            for (; at < (size_t)n; at += one) {
                receive(slot + at, (size_t)n - at < one ? (size_t)n - at : one, &from);
            }
        }
        poll_completions(&from, n == 1);
    }
    return unused;
}

struct contender write_record(void) {
    struct timeval patience = {.tv_usec = 20000};
    size_t mtu = (size_t)number("mtu", 1500);
    int one = 1;
    size = (size_t)number("size", 65536);
    spin = is("wait", "spin");
    size_t largest = mtu - 28 < LARGEST ? mtu - 28 : LARGEST;
    segment = (largest - HEAD - TRAILER) & ~(size_t)3;
    segments = (size + segment - 1) / segment;
    if (segments == 1) {
        segment = size;
    }
    datagram = HEAD + segment + TRAILER;
    padded = segments * segment - size <= (segment / 4 > size / 8 ? segment / 4 : size / 8);
    if (segments > MOST_SEGMENTS) {
        errno = EINVAL;
        die("size or mtu");
    }
    window = UNDER_WAY / size < 2 ? 2 : UNDER_WAY / size > 128 ? 128 : UNDER_WAY / size;
    every = window / 4 ? window / 4 : 1;
    source = malloc(size);
    region = malloc(size);
    staging = malloc(LARGEST + datagram);
    memset(source, 0x5A, size);
    memset(region, 1, size);
    stag = 0x1234567;
    stags[stag >> 8 & (STAG_SLOTS - 1)] = (struct registration){stag, DOMAIN, RECORD_RIGHT, 0, size, region};
    for (int i = 0; i < RECORDS; i++) {
        pool[i].next = freed;
        freed = &pool[i];
    }
    put32(template, 0x10000000u | NUMBER);
    put32(template + 4, 0x54321);
    put32(template + 8, KEY);
    put32(template + 16, (uint32_t)size);
    put16(template + 22, (uint32_t)segment);
    template[SHIM + 1] = 0x4F;
    put32(template + SHIM + 2, stag);
    udp_pair(ends, 0, UDP_BUFFER);
    for (int i = 0; i < 2; i++) {
        socklen_t length = sizeof addresses[i];
        if (getsockname(ends[i], (struct sockaddr *)&addresses[i], &length)) {
            die("address");
        }
    }
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int cut = (int)datagram;
    if ((datagram < LARGEST / 2 && setsockopt(ends[0], IPPROTO_UDP, UDP_SEGMENT, &cut, sizeof cut))
        || setsockopt(ends[1], IPPROTO_UDP, UDP_GRO, &one, sizeof one)) {
        die("GSO and GRO");
    }
    far_end(take);
    struct contender contender = {pour};
    return contender;
}
