// An example of a conformance target (docs/conformance/target.md) without verbs: the program first, above three functions that any stack
// has in some form; behind it a stack on plain sockets that can do no more than Sends. The program announces in HELLO what its stack can;
// the tester skips the cases that need more. A connection is a process. For tests only.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// ---- What the program needs of its stack

struct stream;
// Waits for the next message; its length, or -1 if none comes any more. What has come is taken before the next is waited for.
static long receive_message(struct stream *s, uint8_t *buffer);
// Kinds of Sends as in SENDS: 0 to 3. stag is the one to invalidate, else 0. False: the connection has ended.
static bool send_message(struct stream *s, const uint8_t *message, size_t length, int kind, uint32_t stag);
static void end_stream(struct stream *s); // in good order: what was sent arrives
enum { RECEIVE_SIZE = 4096 }; // of each receive buffer; at least 4,096
// With memory that peers can reach it would also have: register it, which gives STag and TO, for the regions in a HELLO and for PEEK.

// ---- The program

enum { HELLO = 1, ECHO, SENDS, CLOSE = 10 };
enum { DONE, UNABLE };
enum { ANSWERS_SENDS = 1 << 0, CAN_SENDS = 1 << 1, REFUSES = 1 << 13, CAN_CLOSE = 1 << 14 };
struct order { uint32_t magic; uint16_t number, tag; uint32_t a, b; uint64_t c, d; uint8_t data[RECEIVE_SIZE - 32]; }; // big-endian
struct answer { uint32_t magic; uint16_t number, tag; uint32_t status, reason; uint64_t value, zero; uint8_t data[RECEIVE_SIZE - 32]; };

static bool answer(struct stream *s, const struct order *o, int status, const void *data, size_t length) {
  struct answer a = { .magic = htobe32(0x4A435231), .number = o->number, .tag = o->tag, .status = htobe32(status) };
  memcpy(a.data, data, length);
  return send_message(s, (uint8_t *)&a, 32 + length, 0, 0);
}
static bool send_patterns(struct stream *s, uint32_t length, uint32_t count, int kind, uint32_t stag) {
  uint8_t *message = malloc(length + 1);
  bool well = message;
  for (uint32_t i = 0; well && i < count; i++) {
    for (uint32_t k = 0; k < length; k++) message[k] = (uint8_t)(31 * i + 7 * k + 13 * (k >> 8) + 1);
    well = send_message(s, message, length, kind, stag);
  }
  free(message);
  return well;
}
static bool carry_out(struct stream *s, const struct order *o, long length) {
  uint32_t a = be32toh(o->a), b = be32toh(o->b);
  uint64_t kind = be64toh(o->c);
  int number = length >= 32 && be32toh(o->magic) == 0x4A435431 ? be16toh(o->number) : 0;
  bool sane = b <= 100000 && (uint64_t)a * b <= 1 << 26;
  // Features, size of a receive, and five regions of 24 bytes: zeros, as there is no memory to reach.
  struct { uint32_t features, size; uint8_t regions[5 * 24]; } hello = {
    htobe32(ANSWERS_SENDS | CAN_SENDS | REFUSES | CAN_CLOSE), htobe32(RECEIVE_SIZE), { 0 } };
  if (number == HELLO) return answer(s, o, DONE, &hello, sizeof hello);
  if (number == ECHO) return answer(s, o, DONE, o->data, length - 32);
  if (number == SENDS && sane && kind < 2) return send_patterns(s, a, b, kind, 0); // the Sends are the answer
  if (number == SENDS && sane && kind < 4) return send_patterns(s, a, b, kind, (uint32_t)be64toh(o->d));
  if (number == CLOSE && a <= 100000) return send_patterns(s, 64, a, 0, 0) && (end_stream(s), false);
  return answer(s, o, UNABLE, "", 0);
}
static bool refused(const char *private_data) { return !strncmp(private_data, "refuse", 6); }
static void converse(struct stream *s, bool send_first) {
  static struct order o;
  bool goes_on = !send_first || carry_out(s, &(struct order){ .magic = htobe32(0x4A435431), .number = htobe16(HELLO) }, 32);
  for (long length; goes_on && (length = receive_message(s, (uint8_t *)&o)) >= 0;) goes_on = carry_out(s, &o, length);
  end_stream(s);
}

// ---- The stack: a responder (RFC 5044, 5041, 5040, 6581) with Sends alone; CRCs always, Markers where the peer wants them

enum { READ_REQUEST = 1, READ_RESPONSE, SEND, TERMINATE = 7 };
enum { M = 0x80, C = 0x40, R = 0x20, S = 0x10, LONGEST = 65535, WAITING = 1 << 16 };
struct stream {
  int fd;
  bool open, markers, over; // open: an FPDU has come, so that this side may send (RFC 5044 section 7.1.2)
  bool absorbs; // the Send with which a peer may begin that was promised one (RFC 6581 section 9.2)
  uint32_t sent, out[3], in; // octets since full operation began; messages sent, by queue; Sends received
  uint8_t waiting[WAITING]; // FPDUs that were posted before that
  size_t waits;
};

static uint32_t crc32c(const uint8_t *at, size_t length) {
  uint32_t crc = 0xFFFFFFFF;
  while (length--) {
    crc ^= *at++;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
  }
  return ~crc;
}
static bool take(int fd, void *at, size_t length) {
  return !length || recv(fd, at, length, MSG_WAITALL) == (ssize_t)length;
}
static bool give(int fd, const uint8_t *at, size_t length) {
  for (ssize_t n; length; at += n, length -= n) if ((n = send(fd, at, length, MSG_NOSIGNAL)) <= 0) return false;
  return true;
}
static void put32(uint8_t *at, uint32_t value) { value = htobe32(value), memcpy(at, &value, 4); }
static uint32_t get32(const uint8_t *at) { uint32_t value; return memcpy(&value, at, 4), be32toh(value); }

// RFC 5044 section 4: ULPDU_Length, ULPDU, pad, CRC, and a Marker at each 512th octet but not between pad and CRC's end.
static bool send_ulpdu(struct stream *s, const uint8_t *ulpdu, size_t length) {
  static uint8_t words[LONGEST + 8], fpdu[LONGEST * 2];
  size_t whole = (2 + length + 3) & ~3, n = 0;
  uint32_t begin = s->sent + (s->markers && s->sent % 512 == 0 ? 4 : 0);
  memset(words, 0, whole);
  words[0] = length >> 8, words[1] = length;
  memcpy(words + 2, ulpdu, length);
  for (size_t at = 0; ; at += 4) {
    if (s->markers && s->sent % 512 == 0) put32(fpdu + n, s->sent < begin ? 0 : s->sent - begin), n += 4, s->sent += 4;
    if (at == whole) break;
    memcpy(fpdu + n, words + at, 4), n += 4, s->sent += 4;
  }
  uint32_t crc = htole32(crc32c(fpdu, n));
  memcpy(fpdu + n, &crc, 4), n += 4, s->sent += 4;
  if (s->open) return give(s->fd, fpdu, n);
  if (s->waits + n > WAITING) return false;
  memcpy(s->waiting + s->waits, fpdu, n), s->waits += n;
  return true;
}
// RFC 5041 section 4: an untagged message, cut as RFC 5044 section 4.5 says.
static bool send_untagged(struct stream *s, int opcode, uint32_t stag, const uint8_t *message, size_t length) {
  int queue = opcode == TERMINATE ? 2 : 0;
  static uint8_t ulpdu[LONGEST];
  int emss = 536;
  getsockopt(s->fd, IPPROTO_TCP, TCP_MAXSEG, &emss, &(socklen_t){ sizeof emss });
  int mulpdu = emss - (6 + (s->markers ? 4 * ((emss + 511) / 512) : 0) + emss % 4);
  size_t most = (mulpdu < 128 ? 128 : mulpdu > 64768 ? 64768 : mulpdu) - 18, at = 0, part;
  s->out[queue]++;
  do {
    part = length - at < most ? length - at : most;
    ulpdu[0] = 0x01 | (at + part == length ? 0x40 : 0), ulpdu[1] = 0x40 | opcode;
    put32(ulpdu + 2, stag), put32(ulpdu + 6, queue), put32(ulpdu + 10, s->out[queue]), put32(ulpdu + 14, at);
    memcpy(ulpdu + 18, message + at, part);
    if (!send_ulpdu(s, ulpdu, 18 + part)) return false;
  } while ((at += part) < length);
  return true;
}
static bool send_message(struct stream *s, const uint8_t *message, size_t length, int kind, uint32_t stag) {
  static const int opcodes[] = { SEND, SEND + 2, SEND + 1, SEND + 3 };
  return !s->over && send_untagged(s, opcodes[kind], stag, message, length);
}
static void end_stream(struct stream *s) {
  static uint8_t rest[4096];
  struct timeval limit = { 5, 0 };
  if (!s->over) {
    shutdown(s->fd, SHUT_WR);
    setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    while (recv(s->fd, rest, sizeof rest, 0) > 0) {} // what is not read would become a reset
  }
  s->over = true;
}
// RFC 5040 section 4.8, with the header of the segment if there is one; then the end.
static long fail(struct stream *s, int layer_and_type, int code, const uint8_t *ulpdu, size_t length) {
  size_t header = ulpdu ? (ulpdu[0] & 0x80 ? 14 : 18) : 0;
  uint8_t terminate[24] = { layer_and_type, code, ulpdu ? 0xC0 : 0, 0, length >> 8, length };
  if (ulpdu) memcpy(terminate + 6, ulpdu, header);
  if (s->open) send_untagged(s, TERMINATE, 0, terminate, ulpdu ? 6 + header : 4);
  end_stream(s);
  return -1;
}
static long receive_message(struct stream *s, uint8_t *buffer) {
  static uint8_t fpdu[LONGEST + 16];
  for (size_t have = 0; !s->over;) {
    if (!take(s->fd, fpdu, 2)) return -1;
    size_t length = fpdu[0] << 8 | fpdu[1], whole = (2 + length + 3) & ~3;
    uint32_t crc;
    if (!take(s->fd, fpdu + 2, whole - 2) || !take(s->fd, &crc, 4)) return -1;
    if (crc != htole32(crc32c(fpdu, whole))) return fail(s, 0x20, 0x02, NULL, 0);
    if (!s->open) s->open = true, give(s->fd, s->waiting, s->waits);
    // RFC 5041 section 7, RFC 5040 section 7. There is no memory and no read depth.
    const uint8_t *u = fpdu + 2;
    bool tagged = length && u[0] & 0x80;
    size_t header = tagged ? 14 : 18;
    if (length < header) return fail(s, 0x02, 0xFF, NULL, 0);
    int opcode = u[1] & 15, queue = opcode == READ_REQUEST ? 1 : opcode == TERMINATE ? 2 : 0;
    if ((u[0] & 3) != 1) return fail(s, tagged ? 0x11 : 0x12, tagged ? 0x04 : 0x06, u, length);
    if (u[1] >> 6 != 1) return fail(s, 0x02, 0x05, u, length);
    if (opcode == READ_RESPONSE || opcode > TERMINATE || tagged != (opcode == 0)) return fail(s, 0x02, 0x06, u, length);
    if (tagged && length > header) return fail(s, 0x11, 0x00, u, length);
    if (tagged) continue; // an empty RDMA Write
    if (opcode == TERMINATE) return end_stream(s), -1;
    if (get32(u + 6) != (uint32_t)queue) return fail(s, 0x12, 0x01, u, length);
    if (get32(u + 10) != (queue ? 0 : s->in) + 1) return fail(s, 0x12, 0x03, u, length);
    if (queue) return fail(s, 0x12, 0x02, u, length);
    if (get32(u + 14) != have) return fail(s, 0x12, 0x04, u, length);
    if (have + length - header > RECEIVE_SIZE) return fail(s, 0x12, 0x05, u, length);
    memcpy(buffer + have, u + header, length - header), have += length - header;
    if (!(u[0] & 0x40)) continue;
    if (s->in++ == 0 && s->absorbs && !have) continue;
    if (opcode == SEND + 1 || opcode == SEND + 3) return fail(s, 0x01, 0x09, u, length); // nothing can be invalidated
    return have;
  }
  return -1;
}

// RFC 5044 section 7.1 and RFC 6581 section 9: answers a Request, and lets the program decide.
static void serve(int fd) {
  static struct stream s;
  uint8_t request[20], reply[20 + 512] = "MPA ID Rep Frame", data[513] = "", *word = reply + 20, one;
  struct timeval limit = { 5, 0 }, none = { 0, 0 };
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (!take(fd, request, 20) || memcmp(request, "MPA ID Req Frame", 16) || request[17] < 1 || request[17] > 2) return;
  size_t length = request[18] << 8 | request[19], own = request[17] == 2 && request[16] & S ? 4 : 0;
  if (length > 512 || length < own || !take(fd, data, length) || recv(fd, &one, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return;
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  bool refuse = refused((char *)data + own);
  reply[16] = C | (own ? S : 0) | (refuse ? R : 0), reply[17] = request[17], reply[18] = length >> 8, reply[19] = length;
  memcpy(reply + 20, data, length);
  if (own) { // depths 0; of the Ready-to-Receive messages a Send and an RDMA Write
    int kinds = data[0] & 0x80 ? (data[0] & 0x40) | (data[2] & 0x80) >> 7 : 0;
    if (data[0] & 0x80 && !kinds) kinds = 1;
    s.absorbs = kinds & 0x40;
    bool any_ird = get32(data) >> 16 == 0x3FFF, any_ord = (get32(data) & 0x3FFF) == 0x3FFF;
    put32(word, (data[0] & 0x80 ? 1u << 31 : 0) | (uint32_t)(kinds & 0x40) << 24 | (uint32_t)(kinds & 1) << 15 |
      (any_ord ? 0x3FFFu << 16 : 0) | (any_ird ? 0x3FFF : 0));
  }
  s.fd = fd, s.markers = request[16] & M;
  if (give(fd, reply, 20 + length) && !refuse) converse(&s, !strncmp((char *)data + own, "send-first", 10));
}

int main(int count, char **words) {
  int port = count == 2 ? atoi(words[1]) : -1, listener = socket(AF_INET, SOCK_STREAM, 0), fd;
  struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  if (port < 0 || port > 65535) return fprintf(stderr, "usage: plain-target PORT (of 127.0.0.1; 0: any)\n"), 2;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
  if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 64)) return perror("cannot listen"), 1;
  getsockname(listener, (struct sockaddr *)&at, &(socklen_t){ sizeof at });
  printf("listening on port %d\n", ntohs(at.sin_port)), fflush(stdout);
  signal(SIGCHLD, SIG_IGN);
  while ((fd = accept(listener, NULL, NULL)) >= 0) {
    if (!fork()) return close(listener), serve(fd), 0;
    close(fd);
  }
  return perror("accept"), 1;
}
