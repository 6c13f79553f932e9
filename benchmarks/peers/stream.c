/* Streams of messages: octets over TCP, with or without a CRC32C at both ends; datagrams over UDP, with or without GSO and GRO. */
#define _GNU_SOURCE
#include "peer.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RING = 256 << 10, DATAGRAM = 1472, SEGMENTS = 44, UDP_BUFFER = 4 << 20, UDP_WINDOW = 1 << 20, TELL = 256 << 10 };

static int ends[2];
static size_t size;
static int spin, crc, place;
/* Octets received so far, and octets of messages or datagrams sent. */
static volatile uint64_t came;
static uint64_t sent;
static volatile uint32_t sink;

static ssize_t receive(int end, char *buffer, size_t room) {
    for (;;) {
        ssize_t n = recv(end, buffer, room, spin ? MSG_DONTWAIT : 0);
        if (n > 0) {
            return n;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            die("receive");
        }
        if (!turn) {
            await_turn();
        }
    }
}

static void *count(void *unused) {
    char *buffer = aligned_alloc(4096, RING), *target = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
    size_t at = 0;
    for (;;) {
        ssize_t n = receive(ends[1], buffer, RING);
        if (crc) {
            sink = crc32c(~0u, buffer, (size_t)n);
        }
        for (size_t done = 0; place && done < (size_t)n;) {
            size_t part = (size_t)n - done < size - at ? (size_t)n - done : size - at;
            memcpy(target + at, buffer + done, part);
            done += part;
            at = at + part == size ? 0 : at + part;
        }
        came += (uint64_t)n;
    }
    return unused;
}

static void settle(void) {
    while (came < sent) {
        usleep(50);
    }
}

static void pour(uint64_t nanos) {
    static char *message;
    message = message ? message : aligned_alloc(4096, size);
    uint64_t start = now();
    do {
        if (crc) {
            sink = crc32c(~0u, message, size);
        }
        for (size_t done = 0; done < size;) {
            ssize_t n = send(ends[0], message + done, size - done, MSG_NOSIGNAL | (spin ? MSG_DONTWAIT : 0));
            if (n > 0) {
                done += (size_t)n;
            } else if (errno != EAGAIN && errno != EINTR) {
                die("send");
            }
        }
        sent += size;
        figures.operations++;
    } while (now() - start < nanos);
    settle();
    figures.nanos = now() - start;
    figures.octets = figures.operations * size;
}

struct contender tcp_stream(void) {
    size = (size_t)number("size", 65536);
    spin = is("wait", "spin");
    crc = is("crc", "on");
    place = is("place", "on");
    tcp_pair(ends);
    far_end(count);
    struct contender contender = {pour};
    return contender;
}

/* ---- UDP: the far end reports how much it has received, so that the near end never has more than a window in flight */

static int gso;
static volatile uint64_t acknowledged;

static void *count_datagrams(void *unused) {
    char *buffer = aligned_alloc(4096, 65536);
    uint64_t told = 0, sum = 0;
    for (;;) {
        ssize_t n = receive(ends[1], buffer, 65536);
        if (n == 1) { /* a request for the count */
            told = 0;
        } else {
            sum += (uint64_t)n;
        }
        if (sum - told >= TELL || n == 1) {
            told = sum;
            if (send(ends[1], &sum, sizeof sum, 0) < 0) {
                die("acknowledge");
            }
        }
    }
    return unused;
}

/* Takes acknowledgements; if none comes within a moment, asks for one. */
static void acknowledge(int wait) {
    uint64_t sum;
    ssize_t n = recv(ends[0], &sum, sizeof sum, MSG_DONTWAIT);
    if (n < 0 && wait && !spin) {
        n = recv(ends[0], &sum, sizeof sum, 0);
        if (n < 0) {
            send(ends[0], "", 1, 0);
        }
    }
    if (n == sizeof sum && sum > acknowledged) {
        acknowledged = sum;
    }
}

static void pour_datagrams(uint64_t nanos) {
    static char buffer[SEGMENTS * DATAGRAM];
    size_t burst = gso ? sizeof buffer : DATAGRAM;
    uint64_t start = now(), before = acknowledged, lost = 0, first = sent;
    do {
        while (sent - lost - acknowledged >= UDP_WINDOW) {
            uint64_t had = acknowledged, since = now();
            while (acknowledged == had) {
                acknowledge(1);
                if (now() - since > 20000000u) { /* datagrams in flight count as lost */
                    lost = sent - acknowledged;
                    break;
                }
            }
        }
        if (send(ends[0], buffer, burst, 0) < 0) {
            die("send");
        }
        sent += burst;
        acknowledge(0);
    } while (now() - start < nanos);
    /* The final count of received datagrams. */
    uint64_t had;
    do {
        had = acknowledged;
        send(ends[0], "", 1, 0);
        usleep(200);
        acknowledge(0);
        acknowledge(0);
    } while (acknowledged != had);
    figures.octets = acknowledged - before;
    figures.nanos = now() - start;
    figures.operations = figures.octets / size;
    figures.lost = (sent - first - figures.octets) / DATAGRAM;
    sent = acknowledged;
}

struct contender udp_stream(void) {
    struct timeval patience = {.tv_usec = 20000};
    int datagram = DATAGRAM, one = 1;
    size = (size_t)number("size", 65536);
    spin = is("wait", "spin");
    gso = is("gso", "on");
    udp_pair(ends, 1, UDP_BUFFER);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (gso
        && (setsockopt(ends[0], IPPROTO_UDP, UDP_SEGMENT, &datagram, sizeof datagram)
            || setsockopt(ends[1], IPPROTO_UDP, UDP_GRO, &one, sizeof one))) {
        die("GSO and GRO");
    }
    far_end(count_datagrams);
    struct contender contender = {pour_datagrams};
    return contender;
}
