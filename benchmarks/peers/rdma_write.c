/*
 * The floor of RDMA Write: the work that every implementation has to do, and no other work. The sender makes a header for each FPDU and
 * a CRC32C, with one system call a message; the receiver reads in bulk, parses, checks, and copies once. No queue pairs, no completions.
 * With list=N as many small Writes go with one call; work=no then only moves the same octets.
 */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HEADER = 16, TRAILER = 4, RING = 256 << 10, MOST_FPDUS = 256, STAG = 0x1234567 };

static int ends[2];
static size_t size, payload_of_fpdu, copy_limit, places;
static int spin, crc, list, work;
static char *source, *region;
static size_t region_length;
static volatile uint64_t came;
static uint64_t sent;

/* ---- sending */

static char *staging;
static struct iovec parts[2 * MOST_FPDUS + 1];
static char frames[MOST_FPDUS + 1][TRAILER + HEADER];
static int part_count;
static size_t staged;

static void put_header(char *at, size_t length, uint64_t offset, int last) {
    uint16_t ulpdu = htons((uint16_t)(length + HEADER - 2)), control = htons(last ? 0xC140 : 0x8140);
    uint32_t stag = htonl(STAG), high = htonl((uint32_t)(offset >> 32)), low = htonl((uint32_t)offset);
    memcpy(at, &ulpdu, 2);
    memcpy(at + 2, &control, 2);
    memcpy(at + 4, &stag, 4);
    memcpy(at + 8, &high, 4);
    memcpy(at + 12, &low, 4);
}

static uint32_t checksum(const char *header, const char *octets, size_t length) {
    return crc ? ~crc32c(crc32c(~0u, header, HEADER), octets, length) : 0;
}

/* Lengths here are multiples of four: no padding. Tiny FPDUs are copied into one buffer, others gathered, which is faster here. */
static void add(const char *octets, size_t length, uint64_t offset, int last) {
    if (length <= copy_limit) {
        char *at = staging + staged;
        put_header(at, length, offset, last);
        memcpy(at + HEADER, octets, length);
        uint32_t sum = checksum(at, octets, length);
        memcpy(at + HEADER + length, &sum, TRAILER);
        staged += HEADER + length + TRAILER;
        return;
    }
    /* The trailer of an FPDU and the header of the next one are one part. */
    char *frame = frames[part_count / 2], *next = frames[part_count / 2 + 1];
    put_header(frame + TRAILER, length, offset, last);
    uint32_t sum = checksum(frame + TRAILER, octets, length);
    memcpy(next, &sum, TRAILER);
    size_t lead = part_count ? 0 : TRAILER;
    parts[part_count].iov_base = frame + lead;
    parts[part_count].iov_len = TRAILER + HEADER - lead;
    parts[part_count + 1].iov_base = (char *)octets;
    parts[part_count + 1].iov_len = length;
    part_count += 2;
}

static void write_all(struct iovec *part, int count) {
    while (count) {
        struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)count};
        ssize_t n = sendmsg(ends[0], &message, MSG_NOSIGNAL | (spin ? MSG_DONTWAIT : 0));
        if (n < 0) {
            if (errno != EAGAIN && errno != EINTR) {
                die("send");
            }
            continue;
        }
        while (count && (size_t)n >= part->iov_len) {
            n -= (ssize_t)part->iov_len;
            part++;
            count--;
        }
        if (count) {
            part->iov_base = (char *)part->iov_base + n;
            part->iov_len -= (size_t)n;
        }
    }
}

static void flush(void) {
    if (staged) {
        struct iovec one = {staging, staged};
        write_all(&one, 1);
        staged = 0;
    } else if (part_count) {
        parts[part_count].iov_base = frames[part_count / 2];
        parts[part_count].iov_len = TRAILER;
        write_all(parts, part_count + 1);
        part_count = 0;
    }
}

static void message(uint64_t which) {
    uint64_t offset = which % places * size;
    for (size_t done = 0; done < size;) {
        size_t length = size - done < payload_of_fpdu ? size - done : payload_of_fpdu;
        add(source + done, length, offset + done, done + length == size);
        done += length;
    }
}

/* The octets of a list of messages, made once: the cheapest way to send them. */
static void move_list(void) {
    static size_t length;
    if (!length) {
        for (int i = 0; i < list; i++) {
            message((uint64_t)i);
        }
        length = staged;
        staged = 0;
    }
    struct iovec one = {staging, length};
    write_all(&one, 1);
}

static void pour(uint64_t nanos) {
    uint64_t start = now();
    do {
        if (!work) {
            move_list();
        } else {
            for (int i = 0; i < list; i++) {
                message(sent + (uint64_t)i);
            }
            flush();
        }
        sent += (uint64_t)list;
        figures.operations += (uint64_t)list;
    } while (now() - start < nanos);
    while (came < sent) {
        usleep(50);
    }
    figures.nanos = now() - start;
    figures.octets = figures.operations * size;
}

/* ---- receiving */

static size_t place(const char *at, size_t have) {
    uint16_t ulpdu, control;
    uint32_t stag, high, low, sum;
    if (have < HEADER) {
        return 0;
    }
    memcpy(&ulpdu, at, 2);
    size_t length = (size_t)ntohs(ulpdu) + 2 - HEADER, whole = HEADER + length + TRAILER;
    if (have < whole) {
        return 0;
    }
    memcpy(&control, at + 2, 2);
    memcpy(&stag, at + 4, 4);
    memcpy(&high, at + 8, 4);
    memcpy(&low, at + 12, 4);
    memcpy(&sum, at + HEADER + length, TRAILER);
    uint64_t offset = (uint64_t)ntohl(high) << 32 | ntohl(low);
    if (crc && sum != ~crc32c(~0u, at, HEADER + length)) {
        die("CRC");
    }
    if ((ntohs(control) & 0xBFFF) != 0x8140 || ntohl(stag) != STAG || offset > region_length || length > region_length - offset) {
        die("placement");
    }
    memcpy(region + offset, at + HEADER, length);
    came += ntohs(control) >> 14 & 1;
    return whole;
}

static void *take(void *unused) {
    size_t room = RING + 65536 + HEADER + TRAILER, have = 0, one = HEADER + size + TRAILER;
    uint64_t octets = 0;
    char *ring = aligned_alloc(4096, (room + 4095) & ~(size_t)4095);
    for (;;) {
        ssize_t n = recv(ends[1], ring + have, RING, spin ? MSG_DONTWAIT : 0);
        if (n <= 0) {
            if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
                die("receive");
            }
            if (!turn) {
                await_turn();
            }
            continue;
        }
        if (!work) {
            octets += (uint64_t)n;
            came = octets / one;
            continue;
        }
        have += (size_t)n;
        size_t at = 0, whole;
        while ((whole = place(ring + at, have - at))) {
            at += whole;
        }
        have -= at;
        memmove(ring, ring + at, have);
    }
    return unused;
}

struct contender rdma_write(void) {
    size = (size_t)number("size", 65536);
    spin = is("wait", "spin");
    crc = is("crc", "on");
    list = (int)number("list", 1);
    work = !is("work", "no");
    copy_limit = (size_t)number("copy", 256);
    payload_of_fpdu = (size_t)number("fpdu", 32768 + HEADER + TRAILER) - HEADER - TRAILER;
    places = size < 4096 ? 4096 / size : 1; /* as in perftest: one place, or the places of a page */
    region_length = size * places;
    region = malloc(region_length);
    source = malloc(size);
    memset(source, 0x5A, size);
    memset(region, 1, region_length);
    staging = malloc((size_t)list * (size + (size / payload_of_fpdu + 1) * (HEADER + TRAILER)));
    if (list > MOST_FPDUS || size / payload_of_fpdu >= MOST_FPDUS) {
        errno = EINVAL;
        die("list or size");
    }
    tcp_pair(ends);
    far_end(take);
    struct contender contender = {pour};
    return contender;
}
