/* Round trips of a message, one at a time: over TCP, and over UDP connected or not. */
#define _GNU_SOURCE
#include "peer.h"
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static int ends[2];
static size_t size;
static int spin, addressed;
/* For ends that wait like an event loop: first for readiness, then in a read. */
static int polls[2] = {-1, -1};

/* Reads one whole message; 0 if the turn is over. */
static int take(int end, char *buffer, struct sockaddr_in *from) {
    size_t have = 0;
    int poll = polls[end == ends[1]];
    while (have < size) {
        struct epoll_event ready;
        if (poll >= 0 && epoll_wait(poll, &ready, 1, -1) < 0 && errno != EINTR) {
            die("epoll_wait");
        }
        socklen_t length = sizeof *from;
        ssize_t n = addressed
            ? recvfrom(end, buffer, size, spin ? MSG_DONTWAIT : 0, (struct sockaddr *)from, &length)
            : recv(end, buffer + have, size - have, spin ? MSG_DONTWAIT : 0);
        if (n > 0) {
            have += (size_t)n;
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            die("receive");
        } else if (!turn) {
            return 0;
        }
    }
    return 1;
}

static void give(int end, const char *buffer, const struct sockaddr_in *to) {
    ssize_t n = addressed ? sendto(end, buffer, size, 0, (const struct sockaddr *)to, sizeof *to)
                          : send(end, buffer, size, MSG_NOSIGNAL);
    if (n != (ssize_t)size) {
        die("send");
    }
}

static void *answer(void *unused) {
    char *buffer = malloc(size);
    struct sockaddr_in from;
    for (;;) {
        if (take(ends[1], buffer, &from)) {
            give(ends[1], buffer, &from);
        } else {
            await_turn();
        }
    }
    return unused;
}

static void ask(uint64_t nanos) {
    static char *buffer;
    struct sockaddr_in to, from;
    socklen_t length = sizeof to;
    buffer = buffer ? buffer : calloc(1, size);
    getsockname(ends[1], (struct sockaddr *)&to, &length);
    uint64_t start = now(), at = start;
    do {
        uint64_t sent = at;
        give(ends[0], buffer, &to);
        take(ends[0], buffer, &from);
        at = now();
        took(at - sent);
        figures.operations++;
    } while (at - start < nanos);
    figures.octets = figures.operations * size;
    figures.nanos = at - start;
}

static struct contender start(void) {
    size = (size_t)number("size", 64);
    spin = is("wait", "spin");
    for (int i = 0; i < 2 && is("wait", "epoll"); i++) {
        struct epoll_event in = {.events = EPOLLIN};
        polls[i] = epoll_create1(0);
        if (polls[i] < 0 || epoll_ctl(polls[i], EPOLL_CTL_ADD, ends[i], &in)) {
            die("epoll");
        }
    }
    far_end(answer);
    struct contender contender = {ask};
    return contender;
}

struct contender tcp_echo(void) {
    tcp_pair(ends);
    int micros = (int)number("busy-poll", 0);
    for (int i = 0; i < 2 && micros; i++) {
        if (setsockopt(ends[i], SOL_SOCKET, SO_BUSY_POLL, &micros, sizeof micros)) {
            die("SO_BUSY_POLL");
        }
    }
    return start();
}

struct contender udp_echo(void) {
    addressed = is("connected", "no");
    udp_pair(ends, !addressed, 0);
    return start();
}
