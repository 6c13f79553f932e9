/* Common parts of the C contenders of benchmarks/compare: arguments, clock, histogram, turns. */
#ifndef PEER_H
#define PEER_H

#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A contender: runs one round of about so many nanoseconds, both ends in this process. */
struct contender {
    void (*round)(uint64_t nanos);
};

/* The result of a round; round() fills it. */
struct figures {
    uint64_t operations, octets, nanos, lost;
};
extern struct figures figures;

/* Arguments are KEY=VALUE words after the name of the contender. */
const char *text(const char *key, const char *otherwise);
long number(const char *key, long otherwise);
int is(const char *key, const char *value);

uint64_t now(void);
void die(const char *what) __attribute__((noreturn));

/* Round trips of this round, printed with its figures. */
void took(uint64_t nanos);

/* The far end, on a thread of its own. */
void far_end(void *(*body)(void *));

/* Whether it is this contender's turn: a far end that spins must not do so in the rounds of others. */
extern volatile int turn;
void begin_turn(void);
void end_turn(void);
void await_turn(void);

/* A big-endian field of a header. */
static inline void put32(char *at, uint32_t value) {
    value = htonl(value);
    memcpy(at, &value, 4);
}

static inline uint32_t get32(const char *at) {
    uint32_t value;
    memcpy(&value, at, 4);
    return ntohl(value);
}

uint32_t crc32c(uint32_t state, const void *octets, size_t length);

/* Two ends of a TCP connection over loopback, or two UDP sockets bound there. */
void tcp_pair(int ends[2]);
void udp_pair(int ends[2], int connected, int buffer);

struct contender tcp_echo(void), uring_echo(void), tcp_stream(void), udp_echo(void), udp_stream(void), rdma_write(void), write_record(void), round_trip(void), fabric_stream(void);

#endif
