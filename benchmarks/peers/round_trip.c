/*
 * The floor of a Send, for benchmarks/jmh --own-part: both ends take turns in one thread, with the system calls of RoundTripBenchmark.
 * With work=yes an end does what every implementation has to do for a Send: take a work request, make headers and CRC32C, parse, check,
 * find the queue pair and the receive, copy once, make and poll a completion. With caches=cold the walk of CacheDisplacement precedes each
 * message, outside of its time.
 */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    DDP = 18,
    TRAILER = 4,
    MOST_HEAD = 24 + DDP,
    ROOM = 65536,
    QUEUE = 256,
    NUMBERS = 1024,
    NUMBER = 0x12345,
    KEY = 0x11223344,
    WALK = 512 << 10,
    LINE = 64,
};

struct request {
    uint64_t id;
    char *memory;
    size_t length;
};

struct completion {
    uint64_t id;
    uint32_t number, status;
    size_t length;
};

struct pair {
    uint32_t number, key, next_sent, next_received;
    struct request sends[QUEUE], receives[QUEUE];
    uint64_t posted_sends, taken_sends, posted_receives, taken_receives;
    struct completion completions[QUEUE];
    uint64_t completed, polled;
};

struct end {
    int socket;
    struct sockaddr_in peer;
    struct pair *pairs[NUMBERS];
    char *staging, *ring, *memory;
    size_t have;
};

static struct end ends[2];
static size_t size, head;
static int work, cold, datagrams;
static char *walked;
static volatile uint64_t walked_sum;

/* 512 KiB of code without branches: each line is one instruction and padding. */
__attribute__((noinline)) static void walk_code(void) {
    __asm__ volatile(".rept 8192\n.balign 64\nnop\n.endr\n");
}

static void displace(void) {
    uint64_t sum = walked_sum;
    for (size_t i = 0; i < WALK; i += LINE) {
        sum += (unsigned char)walked[i];
    }
    walked_sum = sum;
    walk_code();
}

static void write_all(struct end *end, const char *at, size_t length) {
    ssize_t n = datagrams ? sendto(end->socket, at, length, MSG_DONTWAIT, (struct sockaddr *)&end->peer, sizeof end->peer)
                          : send(end->socket, at, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n != (ssize_t)length) {
        die("send");
    }
}

/* Reads once; 0 if there are no bytes. */
static size_t read_some(struct end *end, char *at, size_t room, struct sockaddr_in *from) {
    socklen_t known = sizeof *from;
    ssize_t n = datagrams ? recvfrom(end->socket, at, room, MSG_DONTWAIT, (struct sockaddr *)from, &known)
                          : recv(end->socket, at, room, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN)) {
        die("receive");
    }
    return n < 0 ? 0 : (size_t)n;
}

/* ---- the work of a Send */

static void post_receive(struct pair *pair, char *memory) {
    pair->receives[pair->posted_receives % QUEUE] = (struct request){pair->posted_receives, memory, size};
    pair->posted_receives++;
}

static void post_send(struct pair *pair, char *memory) {
    pair->sends[pair->posted_sends % QUEUE] = (struct request){pair->posted_sends, memory, size};
    pair->posted_sends++;
}

/* Makes one FPDU or datagram of each posted Send. */
static void progress_sends(struct end *end, struct pair *pair) {
    while (pair->taken_sends < pair->posted_sends) {
        struct request *request = &pair->sends[pair->taken_sends++ % QUEUE];
        char *at = end->staging, *ddp = at + head - DDP;
        uint32_t sequence = pair->next_sent++;
        if (datagrams) {
            put32(at, 0x10000000u | NUMBER);
            put32(at + 4, pair->number);
            put32(at + 8, KEY);
            put32(at + 12, sequence);
            put32(at + 16, (uint32_t)request->length);
            put32(at + 20, (uint32_t)request->length);
        } else {
            uint16_t ulpdu = htons((uint16_t)(DDP + request->length));
            memcpy(at, &ulpdu, 2);
        }
        ddp[0] = 0x41;
        ddp[1] = 0x43;
        put32(ddp + 2, 0);
        put32(ddp + 6, 0);
        put32(ddp + 10, sequence);
        put32(ddp + 14, 0);
        memcpy(at + head, request->memory, request->length);
        uint32_t sum = ~crc32c(~0u, at, head + request->length);
        memcpy(at + head + request->length, &sum, TRAILER);
        write_all(end, at, head + request->length + TRAILER);
    }
}

/* Takes what has arrived, once. */
static void progress_receives(struct end *end) {
    struct sockaddr_in from = end->peer;
    end->have += read_some(end, end->ring + end->have, ROOM - end->have, &from);
    const char *at = end->ring, *ddp = at + head - DDP;
    uint16_t ulpdu;
    uint32_t sum;
    if (end->have < head + TRAILER) {
        return;
    }
    memcpy(&ulpdu, at, 2);
    size_t length = datagrams ? end->have - head - TRAILER : (size_t)ntohs(ulpdu) - DDP;
    if (end->have < head + length + TRAILER) {
        return;
    }
    memcpy(&sum, at + head + length, TRAILER);
    if (sum != ~crc32c(~0u, at, head + length)) {
        die("CRC");
    }
    struct pair *pair = end->pairs[(datagrams ? get32(at) & 0xFFFFFF : NUMBER) % NUMBERS];
    if (!pair || pair->number != NUMBER || from.sin_port != end->peer.sin_port
        || (datagrams && ((at[0] & 0xF0) != 0x10 || get32(at + 8) != pair->key || get32(at + 16) != length))) {
        die("queue pair");
    }
    if (ddp[0] != 0x41 || ddp[1] != 0x43 || get32(ddp + 6) || get32(ddp + 10) != pair->next_received++ || get32(ddp + 14)
        || pair->taken_receives == pair->posted_receives) {
        die("header");
    }
    struct request *request = &pair->receives[pair->taken_receives++ % QUEUE];
    if (length > request->length) {
        die("length");
    }
    memcpy(request->memory, at + head, length);
    pair->completions[pair->completed++ % QUEUE] = (struct completion){request->id, pair->number, 0, length};
    end->have -= head + length + TRAILER;
}

/* The program: whether a message came. */
static int poll_completions(struct end *end, struct pair *pair) {
    int came = 0;
    while (pair->polled < pair->completed) {
        struct completion *completion = &pair->completions[pair->polled++ % QUEUE];
        if (completion->status || completion->length != size) {
            die("completion");
        }
        post_receive(pair, end->memory);
        came = 1;
    }
    return came;
}

/* ---- both ends in turn */

static void give(struct end *end) {
    struct sockaddr_in from;
    if (!work) {
        write_all(end, end->memory, size);
        read_some(end, end->ring, ROOM, &from);
        return;
    }
    struct pair *pair = end->pairs[NUMBER % NUMBERS];
    post_send(pair, end->memory + ROOM);
    progress_sends(end, pair);
    progress_receives(end);
    poll_completions(end, pair);
}

static int take(struct end *end) {
    struct sockaddr_in from;
    if (!work) {
        return read_some(end, end->ring, ROOM, &from) == size;
    }
    progress_receives(end);
    return poll_completions(end, end->pairs[NUMBER % NUMBERS]);
}

static void exchange(uint64_t nanos) {
    static int turns;
    uint64_t start = now(), at = start;
    do {
        if (cold) {
            displace();
        }
        uint64_t begun = now();
        int messages = cold ? 1 : 2;
        for (int i = 0; i < messages; i++) {
            int from = turns++ & 1;
            give(&ends[from]);
            while (!take(&ends[1 - from])) {
            }
        }
        at = now();
        figures.nanos += at - begun;
        figures.operations++;
    } while (at - start < nanos);
}

struct contender round_trip(void) {
    int sockets[2];
    size = (size_t)number("size", 64);
    work = is("work", "yes");
    cold = is("caches", "cold");
    datagrams = is("transport", "udp");
    head = (datagrams ? 24 : 2) + DDP;
    walked = calloc(1, WALK);
    memset(walked, 1, WALK);
    if (datagrams) {
        udp_pair(sockets, 0, 0);
    } else {
        tcp_pair(sockets);
    }
    for (int i = 0; i < 2; i++) {
        struct end *end = &ends[i];
        struct pair *pair = calloc(1, sizeof *pair);
        socklen_t length = sizeof end->peer;
        end->socket = sockets[i];
        getsockname(sockets[1 - i], (struct sockaddr *)&end->peer, &length);
        end->staging = malloc(MOST_HEAD + size + TRAILER);
        end->ring = malloc(ROOM);
        end->memory = calloc(2, ROOM);
        pair->number = NUMBER;
        pair->key = KEY;
        end->pairs[NUMBER % NUMBERS] = pair;
        post_receive(pair, end->memory);
        post_receive(pair, end->memory);
    }
    struct contender contender = {exchange};
    return contender;
}
