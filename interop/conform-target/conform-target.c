// The conformance target (docs/conformance/target.md) on any RDMA device of Linux, by libibverbs and librdmacm.
// A connection is a thread. Whoever can connect can read and write this program's memory: for tests only.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HELLO = 1, ECHO, SENDS, WRITES, READS, PEEK, RECEIVES, DEREGISTER, REVOCABLE, CLOSE, END };
enum { DONE, UNABLE, FAILED };
enum { SIZE = 8192, NRECV = 8, NANSWERS = 16, DEPTH = 64, NREGIONS = 5, SHOWN = 2048, KEPT = 65536, NENDINGS = 64, MAXPRIV = 252 };
// DEPTH is small for libsiw's sake: it takes 0x090000 for "no such queue" (SIW_INVAL_UOBJ_KEY), so a queue that begins at page 144 of all
// that a process has cannot be made, without an errno. At 512 a connection has 25 pages, and what ended connections left free made one
// begin there now and then; at 64 it has 5, and 28 connections at a time stay below.
enum { ANSWER = 100, WORK = 1000 }; // ids of work requests; a receive has its slot as id
#define LOCAL IBV_ACCESS_LOCAL_WRITE
#define RREAD IBV_ACCESS_REMOTE_READ
#define RWRITE IBV_ACCESS_REMOTE_WRITE
static const struct { int access; size_t length; } KINDS[NREGIONS] = { // all rights; read; write; none; all in another domain
  { LOCAL | RREAD | RWRITE, 1 << 20 }, { RREAD, 1 << 16 }, { LOCAL | RWRITE, 1 << 16 }, { LOCAL, 1 << 16 },
  { LOCAL | RREAD | RWRITE, 1 << 16 } };

struct order { uint32_t magic; uint16_t number, tag; uint32_t a, b; uint64_t c, d; uint8_t data[]; }; // big-endian
struct answer { uint32_t magic; uint16_t number, tag; uint32_t status, reason; uint64_t number8, zero; uint8_t data[]; };
struct region { uint32_t stag, zero; uint64_t to, length; } __attribute__((packed));
struct ending { int port; uint32_t numbers[6]; uint8_t memory[KEPT]; };
struct memory { struct memory *next; struct ibv_mr *mr; uint8_t *at; };
struct conversation {
  struct rdma_cm_id *id;
  struct ibv_pd *pd, *other;
  struct ibv_comp_channel *channel;
  struct ibv_cq *cq;
  struct memory *memory; // all there is, the last first
  struct memory *regions[NREGIONS], *commands, *answers;
  bool established, over, clean, broken, answering[NANSWERS];
  int next_answer, received[NRECV], lengths[NRECV], waiting; // slots of commands that have come, in order
  unsigned keep, posted, outstanding, delivered, good, failed, flushed;
};
static struct ending endings[NENDINGS];
static unsigned ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_ended = PTHREAD_COND_INITIALIZER;

static void die(const char *what) { perror(what); exit(1); }
static void *must(void *thing, const char *what) { if (!thing) die(what); return thing; }

static struct memory *allocate(struct conversation *c, struct ibv_pd *pd, size_t length, int access) {
  struct memory *m = must(calloc(1, sizeof *m), "calloc");
  if (posix_memalign((void **)&m->at, 4096, length ? length : 1)) die("posix_memalign");
  memset(m->at, 0, length);
  m->mr = must(ibv_reg_mr(pd, m->at, length ? length : 1, access), "ibv_reg_mr");
  m->next = c->memory;
  return c->memory = m;
}
static void pattern(uint8_t *at, size_t length, unsigned i) {
  for (size_t k = 0; k < length; k++) at[k] = (uint8_t)(31 * i + 7 * k + 13 * (k >> 8) + 1);
}
static struct region described(struct memory *m) {
  return (struct region){ htobe32(m->mr->rkey), 0, htobe64((uintptr_t)m->mr->addr), htobe64(m->mr->length) };
}

static void post_receive(struct conversation *c, int slot) {
  struct ibv_sge sge = { (uintptr_t)c->commands->at + slot * SIZE, SIZE, c->commands->mr->lkey };
  struct ibv_recv_wr *bad, wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };
  if (ibv_post_recv(c->id->qp, &wr, &bad)) { c->over = true; return; }
  c->posted++, c->outstanding++;
}

// Takes in what has completed or happened, waiting for at most 20 ms; false if nothing had.
static bool progress(struct conversation *c) {
  struct ibv_wc wc;
  struct pollfd fds[2] = { { c->channel->fd, POLLIN, 0 }, { c->id->channel->fd, POLLIN, 0 } };
  for (int look = 0; look < 2; look++) {
    if (ibv_poll_cq(c->cq, 1, &wc) > 0) {
      c->outstanding--;
      if (wc.wr_id < NRECV) c->posted--;
      if (wc.wr_id >= ANSWER && wc.wr_id < ANSWER + NANSWERS) c->answering[wc.wr_id - ANSWER] = false;
      if (wc.status == IBV_WC_WR_FLUSH_ERR) c->flushed++;
      else if (wc.status != IBV_WC_SUCCESS) {
        fprintf(stderr, "work request %d: %s\n", (int)wc.wr_id, ibv_wc_status_str(wc.status));
        c->failed++, rdma_disconnect(c->id);
      }
      else {
        c->good++;
        if (wc.wr_id < NRECV) c->delivered++, c->lengths[c->waiting] = wc.byte_len, c->received[c->waiting++] = wc.wr_id;
      }
      return true;
    }
    if (look == 0) ibv_req_notify_cq(c->cq, 0);
  }
  if (poll(fds, 2, 20) <= 0) return false;
  if (fds[0].revents) {
    struct ibv_cq *cq;
    void *context;
    if (!ibv_get_cq_event(c->channel, &cq, &context)) ibv_ack_cq_events(cq, 1);
  }
  struct rdma_cm_event *event;
  if (fds[1].revents && !rdma_get_cm_event(c->id->channel, &event)) {
    if (event->event == RDMA_CM_EVENT_ESTABLISHED) c->established = true;
    else c->over = true, c->clean = event->event == RDMA_CM_EVENT_DISCONNECTED && !event->status;
    rdma_ack_cm_event(event);
  }
  return true;
}
static bool all_done(struct conversation *c) {
  while (!c->over && c->outstanding > c->posted) progress(c);
  return !c->over;
}
static bool post(struct conversation *c, struct ibv_send_wr *wr) {
  struct ibv_send_wr *bad;
  int error;
  wr->send_flags |= IBV_SEND_SIGNALED;
  while (c->outstanding >= DEPTH && !c->over) progress(c);
  while ((error = c->over ? 0 : ibv_post_send(c->id->qp, wr, &bad)) == ENOMEM) progress(c);
  if (error) fprintf(stderr, "ibv_post_send of opcode %d: %s\n", wr->opcode, strerror(error));
  else c->outstanding++;
  return !error;
}
static void answer(struct conversation *c, const struct order *o, int status, uint64_t number, const void *data, size_t length) {
  int slot = c->next_answer++ % NANSWERS;
  while (c->answering[slot] && !c->over) progress(c);
  struct answer *a = (struct answer *)(c->answers->at + slot * SIZE);
  *a = (struct answer){ htobe32(0x4A435231), o->number, o->tag, htobe32(status), 0, htobe64(number), 0 };
  if (length) memcpy(a->data, data, length);
  struct ibv_sge sge = { (uintptr_t)a, sizeof *a + length, c->answers->mr->lkey };
  struct ibv_send_wr wr = { .wr_id = ANSWER + slot, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
  c->answering[slot] = post(c, &wr);
}

static void hello(struct conversation *c, const struct order *o) {
  // A plain region of libibverbs can be invalidated from afar on siw alone; elsewhere that takes a memory window.
  bool siw = !strncmp(ibv_get_device_name(c->id->verbs->device), "siw", 3);
  struct { uint32_t features, size; struct region regions[NREGIONS]; } h = {
    htobe32(0xFF | siw << 8 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14), htobe32(SIZE), { { 0, 0, 0, 0 } } };
  for (int i = 0; i < NREGIONS; i++) h.regions[i] = described(c->regions[i]);
  answer(c, o, DONE, 0, &h, sizeof h);
}
// SENDS, WRITES, READS: so many messages of so many octets, each with a pattern, or each to be filled.
static struct memory *messages(struct conversation *c, int what, uint32_t length, uint32_t count, uint64_t to, uint32_t stag, int kind) {
  bool reads = what == READS; // whose sink an iWARP device may have to open to its peer's Responses
  struct memory *m = allocate(c, c->pd, (size_t)length * count, reads ? LOCAL | RWRITE : 0);
  for (uint32_t i = 0; i < count; i++) {
    uint8_t *at = m->at + (size_t)i * length;
    if (!reads) pattern(at, length, i);
    struct ibv_sge sge = { (uintptr_t)at, length, m->mr->lkey };
    struct ibv_send_wr wr = { .wr_id = WORK, .sg_list = &sge, .num_sge = length > 0,
      .opcode = reads ? IBV_WR_RDMA_READ : what == WRITES ? IBV_WR_RDMA_WRITE : kind < 2 ? IBV_WR_SEND : IBV_WR_SEND_WITH_INV };
    if (what != SENDS) wr.wr.rdma.remote_addr = to + (uint64_t)i * length, wr.wr.rdma.rkey = stag;
    else if (kind > 1) wr.invalidate_rkey = stag;
    if (what == SENDS && (kind & 1)) wr.send_flags = IBV_SEND_SOLICITED;
    if (!post(c, &wr)) return NULL;
  }
  return m;
}
static void about_an_ending(struct conversation *c, const struct order *o, bool memory, uint64_t offset, uint32_t length) {
  struct timespec limit;
  struct ending *e = NULL;
  static const struct ending none;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 5;
  pthread_mutex_lock(&lock);
  do {
    for (unsigned i = 0; i < NENDINGS; i++) if (endings[i].port == (int)be64toh(o->d)) e = &endings[i];
  } while (!e && !pthread_cond_timedwait(&one_ended, &lock, &limit));
  struct ending *copy = must(malloc(sizeof *copy), "malloc");
  *copy = e ? *e : none;
  pthread_mutex_unlock(&lock);
  if (!e) answer(c, o, FAILED, 0, NULL, 0);
  else answer(c, o, DONE, 0, memory ? (void *)(copy->memory + offset) : (void *)copy->numbers, memory ? length : sizeof e->numbers);
  free(copy);
}
static void carry_out(struct conversation *c, const struct order *o, uint32_t length) {
  uint32_t a = be32toh(o->a), b = be32toh(o->b), stag = (uint32_t)be64toh(o->d);
  uint64_t where = be64toh(o->c);
  int number = length >= sizeof *o && be32toh(o->magic) == 0x4A435431 ? be16toh(o->number) : 0;
  bool sane = b <= 100000 && (uint64_t)a * b <= 1 << 26;
  if (number == HELLO) hello(c, o);
  else if (number == ECHO) answer(c, o, DONE, 0, o->data, length - sizeof *o);
  else if (number == SENDS && sane && where < 4) {
    if (!messages(c, SENDS, a, b, 0, stag, (int)where)) answer(c, o, UNABLE, 0, NULL, 0);
  } else if (number == WRITES && sane) answer(c, o, messages(c, WRITES, a, b, where, stag, 0) ? DONE : UNABLE, 0, NULL, 0);
  else if (number == READS && sane && b > 0) {
    struct memory *m = messages(c, READS, a, b, where, stag, 0);
    if (!m || all_done(c)) answer(c, o, m ? DONE : UNABLE, 0, m ? m->at + (size_t)a * (b - 1) : NULL, m ? (a < SHOWN ? a : SHOWN) : 0);
  } else if (number == PEEK) {
    a = a < SHOWN ? a : SHOWN;
    if (where > (o->d ? (uint64_t)KEPT : KINDS[0].length) - a) answer(c, o, UNABLE, 0, NULL, 0);
    else if (o->d) about_an_ending(c, o, true, where, a);
    else answer(c, o, DONE, 0, c->regions[0]->at + where, a);
  } else if (number == RECEIVES) c->keep = a, answer(c, o, DONE, c->posted, NULL, 0);
  else if (number == DEREGISTER && a < NREGIONS && c->regions[a]->mr) {
    bool done = !ibv_dereg_mr(c->regions[a]->mr);
    if (done) c->regions[a]->mr = NULL;
    answer(c, o, done ? DONE : FAILED, 0, NULL, 0);
  } else if (number == REVOCABLE) {
    struct region r = described(allocate(c, c->pd, 4096, LOCAL | RREAD | RWRITE));
    answer(c, o, DONE, 0, &r, sizeof r);
  } else if (number == CLOSE && a <= 100000) messages(c, SENDS, 64, a, 0, 0, 0), rdma_disconnect(c->id);
  else if (number == END) about_an_ending(c, o, false, 0, 0);
  else answer(c, o, UNABLE, 0, NULL, 0); // CONFIGURE, ATOMIC and Immediate Data: verbs have no way, or siw has none
}

// False if the device has no queue pair for it, since the peer has left already.
static bool prepare(struct conversation *c, struct rdma_cm_id *id) {
  *c = (struct conversation){ .id = id, .keep = NRECV };
  c->pd = must(ibv_alloc_pd(id->verbs), "ibv_alloc_pd");
  c->other = must(ibv_alloc_pd(id->verbs), "ibv_alloc_pd");
  c->channel = must(ibv_create_comp_channel(id->verbs), "ibv_create_comp_channel");
  c->cq = must(ibv_create_cq(id->verbs, DEPTH + NRECV + NANSWERS, NULL, c->channel, 0), "ibv_create_cq");
  fcntl(c->channel->fd, F_SETFL, O_NONBLOCK);
  struct ibv_qp_init_attr attributes = { .qp_context = c, .send_cq = c->cq, .recv_cq = c->cq, .qp_type = IBV_QPT_RC,
    .cap = { .max_send_wr = DEPTH, .max_recv_wr = NRECV, .max_send_sge = 1, .max_recv_sge = 1 } };
  bool made = !rdma_create_qp(id, c->pd, &attributes);
  if (!made) perror("rdma_create_qp");
  for (int i = 0; i < NREGIONS; i++)
    c->regions[i] = allocate(c, i == NREGIONS - 1 ? c->other : c->pd, KINDS[i].length, KINDS[i].access);
  pattern(c->regions[1]->at, KINDS[1].length, 0);
  c->commands = allocate(c, c->pd, SIZE * NRECV, LOCAL);
  c->answers = allocate(c, c->pd, SIZE * NANSWERS, LOCAL);
  for (int i = 0; made && i < NRECV; i++) post_receive(c, i);
  return made;
}
// The connection is agreed on: carries out commands to its end. Greeting: sends the answer to a HELLO without a HELLO.
static void converse(struct conversation *c, bool greeting) {
  struct order *copy = must(malloc(SIZE), "malloc"), first = { .number = htobe16(HELLO) };
  while (!c->established && !c->over) progress(c);
  if (greeting && !c->over) hello(c, &first);
  while (!c->over) {
    if (!c->waiting) { progress(c); continue; }
    int slot = c->received[0], length = c->lengths[0];
    c->waiting--;
    memmove(c->received, c->received + 1, c->waiting * sizeof *c->received);
    memmove(c->lengths, c->lengths + 1, c->waiting * sizeof *c->lengths);
    memcpy(copy, c->commands->at + slot * SIZE, length);
    if (c->posted + c->waiting < c->keep) post_receive(c, slot);
    carry_out(c, copy, length);
  }
  free(copy);
}
static void end(struct conversation *c, int port) {
  if (c->id->qp) rdma_disconnect(c->id);
  for (int i = 0; i < 40 && c->outstanding; i++) progress(c) ? i-- : i; // what is flushed comes at once
  pthread_mutex_lock(&lock);
  struct ending *e = &endings[ended++ % NENDINGS];
  uint32_t numbers[6] = { c->delivered, c->good, c->failed, c->flushed, c->outstanding, c->clean && !c->broken };
  e->port = port;
  for (int i = 0; i < 6; i++) e->numbers[i] = htobe32(numbers[i]);
  memcpy(e->memory, c->regions[0]->at, KEPT);
  pthread_cond_broadcast(&one_ended);
  pthread_mutex_unlock(&lock);
  if (c->id->qp) rdma_destroy_qp(c->id);
  for (struct memory *m = c->memory, *next; m; m = next) {
    if (m->mr) ibv_dereg_mr(m->mr);
    next = m->next, free(m->at), free(m);
  }
  struct rdma_event_channel *events = c->id->channel;
  ibv_destroy_cq(c->cq), ibv_destroy_comp_channel(c->channel), ibv_dealloc_pd(c->pd), ibv_dealloc_pd(c->other);
  rdma_destroy_id(c->id), rdma_destroy_event_channel(events);
}

// Marks conversations whose queue pair the device took away in error.
static void *watch(void *verbs) {
  struct ibv_async_event event;
  while (!ibv_get_async_event(verbs, &event)) {
    bool about_a_qp = event.event_type == IBV_EVENT_QP_FATAL || event.event_type == IBV_EVENT_QP_REQ_ERR ||
      event.event_type == IBV_EVENT_QP_ACCESS_ERR;
    if (about_a_qp) ((struct conversation *)event.element.qp->qp_context)->broken = true;
    ibv_ack_async_event(&event);
  }
  return NULL;
}
static void start(void *(*work)(void *), void *with) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, with)) die("pthread_create");
  pthread_detach(thread);
}
static void own_events(struct rdma_event_channel *events) { fcntl(events->fd, F_SETFL, O_NONBLOCK); }
// The next event of a channel that blocks; false if it is another than this.
static bool awaited(struct rdma_event_channel *events, enum rdma_cm_event_type type) {
  struct rdma_cm_event *event;
  if (rdma_get_cm_event(events, &event)) return false;
  bool as_wished = event->event == type;
  rdma_ack_cm_event(event);
  return as_wished;
}

struct request { struct rdma_cm_id *id; uint8_t length; char data[256]; };
static struct rdma_conn_param depths(const void *data, int length) {
  return (struct rdma_conn_param){ .private_data = data, .private_data_len = length, .responder_resources = 16, .initiator_depth = 16,
    .retry_count = 7, .rnr_retry_count = 7 };
}
static void *serve(void *argument) {
  struct request *r = argument;
  struct conversation c;
  struct rdma_event_channel *events = must(rdma_create_event_channel(), "rdma_create_event_channel");
  int port = ntohs(rdma_get_dst_port(r->id));
  rdma_migrate_id(r->id, events);
  own_events(events);
  if (!strncmp(r->data, "refuse", 6)) {
    rdma_reject(r->id, r->data, r->length);
    rdma_destroy_id(r->id), rdma_destroy_event_channel(events);
  } else {
    struct rdma_conn_param with = depths(r->data, r->length < MAXPRIV ? r->length : MAXPRIV);
    if (!prepare(&c, r->id)) c.over = true;
    else if (rdma_accept(r->id, &with)) perror("rdma_accept"), c.over = true;
    converse(&c, !strncmp(r->data, "send-first", 10));
    end(&c, port);
  }
  free(r);
  return NULL;
}
static void listen_at(struct sockaddr *address) {
  struct rdma_event_channel *events = must(rdma_create_event_channel(), "rdma_create_event_channel");
  struct rdma_cm_id *listener;
  struct rdma_cm_event *event;
  bool watched = false;
  if (rdma_create_id(events, &listener, NULL, RDMA_PS_TCP) || rdma_bind_addr(listener, address) || rdma_listen(listener, 64))
    die("cannot listen");
  printf("listening on port %d\n", ntohs(rdma_get_src_port(listener))), fflush(stdout);
  while (!rdma_get_cm_event(events, &event)) {
    struct request *r = NULL;
    if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
      r = must(calloc(1, sizeof *r), "calloc");
      r->id = event->id, r->length = event->param.conn.private_data_len;
      if (r->length) memcpy(r->data, event->param.conn.private_data, r->length);
      if (!watched) start(watch, r->id->verbs), watched = true;
    }
    rdma_ack_cm_event(event); // before the id is given away: it waits for that
    if (r) start(serve, r);
  }
  die("rdma_get_cm_event");
}
// One connection to a tester that waits there.
static void connect_to(struct sockaddr *address, bool *watched) {
  struct rdma_event_channel *events = must(rdma_create_event_channel(), "rdma_create_event_channel");
  struct rdma_cm_id *id;
  struct conversation c;
  if (rdma_create_id(events, &id, NULL, RDMA_PS_TCP)) die("rdma_create_id");
  if (rdma_resolve_addr(id, NULL, address, 2000) || !awaited(events, RDMA_CM_EVENT_ADDR_RESOLVED) ||
      rdma_resolve_route(id, 2000) || !awaited(events, RDMA_CM_EVENT_ROUTE_RESOLVED)) die("no RDMA device leads there");
  if (!*watched) start(watch, id->verbs), *watched = true;
  if (!prepare(&c, id)) die("rdma_create_qp");
  struct rdma_conn_param with = depths("jct1", 4);
  char words[256] = "";
  struct rdma_cm_event *event;
  if (!rdma_connect(id, &with) && !rdma_get_cm_event(events, &event)) {
    c.established = event->event == RDMA_CM_EVENT_ESTABLISHED;
    if (c.established && event->param.conn.private_data_len)
      memcpy(words, event->param.conn.private_data, event->param.conn.private_data_len);
    rdma_ack_cm_event(event);
  }
  own_events(events);
  if (c.established && strncmp(words, "refuse", 6)) converse(&c, true);
  int port = ntohs(rdma_get_src_port(id)), nobody = !c.established;
  end(&c, port);
  if (nobody) usleep(50000);
}

int main(int count, char **words) {
  char *colon = count == 3 ? strrchr(words[2], ':') : NULL;
  bool listens = count == 3 && !strcmp(words[1], "--listen");
  if (count != 3 || (!listens && (!colon || strcmp(words[1], "--connect")))) {
    fprintf(stderr, "usage: conform-target --listen [ADDRESS:]PORT | --connect ADDRESS:PORT\n");
    return 2;
  }
  struct addrinfo *found, hints = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_family = colon ? AF_UNSPEC : AF_INET,
    .ai_socktype = SOCK_STREAM };
  if (colon) *colon = 0;
  int error = getaddrinfo(colon ? words[2] : NULL, colon ? colon + 1 : words[2], &hints, &found);
  if (error) { fprintf(stderr, "%s: %s\n", words[2], gai_strerror(error)); return 2; }
  if (listens) listen_at(found->ai_addr);
  for (bool watched = false;;) connect_to(found->ai_addr, &watched);
}
