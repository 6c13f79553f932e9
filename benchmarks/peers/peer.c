/*
 * The C contenders of benchmarks/compare. Says "ready", then does a round for each line MILLIS on its standard input and answers
 * with one line: operations, octets, nanoseconds, lost, round trips as NANOS:COUNT with blanks. Between rounds it sleeps.
 *
 * peer tcp-echo   wait=spin|block|epoll size=N busy-poll=MICROS
 * peer uring-echo wait=spin|block size=N
 * peer udp-echo   the same, connected=yes|no
 * peer tcp-stream wait=spin|block size=N crc=on|off place=on|off
 * peer udp-stream wait=spin|block size=N gso=on|off
 * peer fabric-stream op=write|send size=N (where it is built with libfabric)
 * peer rdma-write wait=spin|block size=N crc=on|off fpdu=N; small messages: list=N work=yes|no
 * peer write-record wait=spin|block size=N mtu=N
 * peer round-trip transport=tcp|udp work=yes|no caches=warm|cold size=N
 */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct figures figures;

static char **words;
static int word_count;

const char *text(const char *key, const char *otherwise) {
    size_t length = strlen(key);
    for (int i = 0; i < word_count; i++) {
        if (!strncmp(words[i], key, length) && words[i][length] == '=') {
            return words[i] + length + 1;
        }
    }
    return otherwise;
}

long number(const char *key, long otherwise) {
    const char *value = text(key, NULL);
    return value ? atol(value) : otherwise;
}

int is(const char *key, const char *value) {
    return !strcmp(text(key, ""), value);
}

uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void die(const char *what) {
    fprintf(stderr, "peer: %s: %s\n", what, strerror(errno));
    _exit(1);
}

/* ---- histogram: 256 buckets an octave, so within 0.4 % */

enum { FINE = 8, OCTAVES = 40 };
static uint64_t buckets[OCTAVES << FINE];

void took(uint64_t nanos) {
    int octave = nanos >> FINE ? 64 - __builtin_clzll(nanos) - FINE : 0;
    size_t at = ((size_t)octave << FINE) + (nanos >> octave);
    buckets[at < OCTAVES << FINE ? at : (OCTAVES << FINE) - 1]++;
}

static void print_round(void) {
    printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", figures.operations, figures.octets, figures.nanos, figures.lost);
    const char *between = "";
    for (size_t at = 0; at < OCTAVES << FINE; at++) {
        if (buckets[at]) {
            int octave = (int)(at >> FINE);
            printf("%s%" PRIu64 ":%" PRIu64, between, (uint64_t)(at & ((1 << FINE) - 1)) << octave, buckets[at]);
            between = " ";
        }
    }
    printf("\n");
    fflush(stdout);
}

/* ---- turns */

volatile int turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER;

void begin_turn(void) {
    pthread_mutex_lock(&lock);
    turn = 1;
    pthread_cond_broadcast(&begun);
    pthread_mutex_unlock(&lock);
}

void end_turn(void) {
    turn = 0;
}

void await_turn(void) {
    pthread_mutex_lock(&lock);
    while (!turn) {
        pthread_cond_wait(&begun, &lock);
    }
    pthread_mutex_unlock(&lock);
}

void far_end(void *(*body)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL)) {
        die("thread");
    }
}

/* ---- sockets */

static struct sockaddr_in loopback(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return address;
}

void tcp_pair(int ends[2]) {
    struct sockaddr_in address = loopback();
    socklen_t length = sizeof address;
    int one = 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1)
        || getsockname(listener, (struct sockaddr *)&address, &length)
        || connect(ends[0], (struct sockaddr *)&address, length)
        || (ends[1] = accept(listener, NULL, NULL)) < 0) {
        die("TCP connection");
    }
    close(listener);
    for (int i = 0; i < 2; i++) {
        setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
}

void udp_pair(int ends[2], int connected, int buffer) {
    struct sockaddr_in address[2];
    socklen_t length = sizeof address[0];
    for (int i = 0; i < 2; i++) {
        address[i] = loopback();
        ends[i] = socket(AF_INET, SOCK_DGRAM, 0);
        if (bind(ends[i], (struct sockaddr *)&address[i], length)
            || getsockname(ends[i], (struct sockaddr *)&address[i], &length)) {
            die("UDP socket");
        }
        if (buffer) {
            /* Requested like in Java and jwarp: rmem_max and wmem_max limit the buffers, also for root. */
            setsockopt(ends[i], SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
            setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
        }
    }
    for (int i = 0; i < 2 && connected; i++) {
        if (connect(ends[i], (struct sockaddr *)&address[1 - i], length)) {
            die("UDP connection");
        }
    }
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    words = arguments + 2;
    word_count = count > 2 ? count - 2 : 0;
    prctl(PR_SET_PDEATHSIG, 15);
    struct contender contender;
    if (!strcmp(name, "tcp-echo")) {
        contender = tcp_echo();
    } else if (!strcmp(name, "uring-echo")) {
        contender = uring_echo();
    } else if (!strcmp(name, "udp-echo")) {
        contender = udp_echo();
    } else if (!strcmp(name, "tcp-stream")) {
        contender = tcp_stream();
    } else if (!strcmp(name, "udp-stream")) {
        contender = udp_stream();
    } else if (!strcmp(name, "rdma-write")) {
        contender = rdma_write();
    } else if (!strcmp(name, "write-record")) {
        contender = write_record();
    } else if (!strcmp(name, "round-trip")) {
        contender = round_trip();
#ifdef WITH_FABRIC
    } else if (!strcmp(name, "fabric-stream")) {
        contender = fabric_stream();
#endif
    } else {
        fprintf(stderr, "peer: no contender %s\n", name);
        return 2;
    }
    printf("ready\n");
    fflush(stdout);
    char line[32];
    while (fgets(line, sizeof line, stdin)) {
        memset(&figures, 0, sizeof figures);
        memset(buckets, 0, sizeof buckets);
        begin_turn();
        contender.round((uint64_t)atol(line) * 1000000u);
        end_turn();
        print_round();
    }
    _exit(0); /* the far end may still wait */
}
