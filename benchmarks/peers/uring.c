/* Round trips of a message, one at a time, over TCP through io_uring: one call sends the answer and requests the next receive. */
#define _GNU_SOURCE
#include "peer.h"
#include <errno.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef IORING_SETUP_SINGLE_ISSUER /* headers before Linux 6.0 */
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN /* 6.1 */
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

enum { ENTRIES = 8, SEND = 1, RECEIVE = 2 };

struct ring {
    int fd, socket;
    _Atomic uint32_t *tail_in, *head_out, *tail_out;
    uint32_t mask_in, mask_out, *places;
    struct io_uring_sqe *work;
    struct io_uring_cqe *done;
    size_t have;
    uint32_t unsubmitted;
    int sending;
    char *buffer;
};

static struct ring rings[2];
static int ends[2];
static size_t size;
static int spin, deferred;

static void *map(int fd, size_t length, off_t what) {
    void *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);
    if (at == MAP_FAILED) {
        die("mmap of a ring");
    }
    return at;
}

static void open_ring(struct ring *r, int socket) {
    struct io_uring_params p;
    memset(&p, 0, sizeof p);
    p.flags = deferred ? IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN : 0;
    r->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &p);
    if (r->fd < 0) {
        die("io_uring_setup");
    }
    char *in = map(r->fd, p.sq_off.array + p.sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
    char *out = map(r->fd, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
    r->work = map(r->fd, p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
    r->tail_in = (_Atomic uint32_t *)(in + p.sq_off.tail);
    r->mask_in = *(uint32_t *)(in + p.sq_off.ring_mask);
    r->places = (uint32_t *)(in + p.sq_off.array);
    r->head_out = (_Atomic uint32_t *)(out + p.cq_off.head);
    r->tail_out = (_Atomic uint32_t *)(out + p.cq_off.tail);
    r->mask_out = *(uint32_t *)(out + p.cq_off.ring_mask);
    r->done = (struct io_uring_cqe *)(out + p.cq_off.cqes);
    r->socket = socket;
    r->buffer = calloc(2, size);
}

static void put(struct ring *r, uint8_t opcode, uint64_t what, char *at, size_t length) {
    uint32_t tail = atomic_load_explicit(r->tail_in, memory_order_relaxed);
    struct io_uring_sqe *e = &r->work[tail & r->mask_in];
    memset(e, 0, sizeof *e);
    e->opcode = opcode;
    e->fd = r->socket;
    e->addr = (uint64_t)(uintptr_t)at;
    e->len = (uint32_t)length;
    e->user_data = what;
    r->places[tail & r->mask_in] = tail & r->mask_in;
    atomic_store_explicit(r->tail_in, tail + 1, memory_order_release);
    r->unsubmitted++;
}

static void enter(struct ring *r, uint32_t awaited) {
    unsigned events = awaited || deferred ? IORING_ENTER_GETEVENTS : 0;
    long n = syscall(SYS_io_uring_enter, r->fd, r->unsubmitted, awaited, events, NULL, 0);
    if (n < 0 && errno != EINTR) {
        die("io_uring_enter");
    }
    r->unsubmitted -= n > 0 ? (uint32_t)n : 0;
}

static void ask_for_more(struct ring *r) {
    put(r, IORING_OP_RECV, RECEIVE, r->buffer + r->have, size - r->have);
}

/* Sends a message from the second half of the buffer; the answer arrives in the first half. */
static void give(struct ring *r) {
    put(r, IORING_OP_SEND, SEND, r->buffer + size, size);
    r->sending = 1;
}

/* Waits until a message has arrived and the previous one was sent; 0 if the turn is over. */
static int take(struct ring *r) {
    for (;;) {
        uint32_t head = atomic_load_explicit(r->head_out, memory_order_relaxed);
        while (head != atomic_load_explicit(r->tail_out, memory_order_acquire)) {
            struct io_uring_cqe *e = &r->done[head++ & r->mask_out];
            if (e->res <= 0) {
                errno = -e->res;
                die("send or receive");
            }
            if (e->user_data == SEND) {
                if ((size_t)e->res != size) {
                    die("a message was sent in part");
                }
                r->sending = 0;
            } else {
                r->have += (size_t)e->res;
                if (r->have < size) {
                    ask_for_more(r);
                }
            }
            atomic_store_explicit(r->head_out, head, memory_order_release);
        }
        if (r->have == size && !r->sending) {
            r->have = 0;
            return 1;
        }
        if (!spin) {
            enter(r, (uint32_t)(r->have < size) + (uint32_t)r->sending); // else the send, done at once, would end the call
            continue;
        }
        if (r->unsubmitted || deferred) {
            enter(r, 0);
        }
        if (!turn) {
            return 0;
        }
    }
}

static void *answer(void *unused) {
    open_ring(&rings[1], ends[1]);
    ask_for_more(&rings[1]);
    for (;;) {
        if (take(&rings[1])) {
            give(&rings[1]);
            ask_for_more(&rings[1]);
        } else {
            await_turn();
        }
    }
    return unused;
}

static void ask(uint64_t nanos) {
    uint64_t start = now(), at = start;
    do {
        uint64_t sent = at;
        give(&rings[0]);
        ask_for_more(&rings[0]);
        while (!take(&rings[0])) {
        }
        at = now();
        took(at - sent);
        figures.operations++;
    } while (at - start < nanos);
    figures.octets = figures.operations * size;
    figures.nanos = at - start;
}

struct contender uring_echo(void) {
    size = (size_t)number("size", 64);
    spin = is("wait", "spin");
    deferred = is("taskrun", "deferred");
    tcp_pair(ends);
    open_ring(&rings[0], ends[0]); // each by the thread that uses it
    far_end(answer);
    struct contender contender = {ask};
    return contender;
}
