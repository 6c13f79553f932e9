/*
 * libfabric over its tcp provider, connected endpoints: a stream of messages, by fi_write or fi_send, both ends polling. Both ends are in
 * this process, each with a fabric and a domain of its own.
 */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 32, RECEIVES = 64, NOTE = 16, KEY = 0x1234 };

struct end {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_eq *events;
    struct fid_domain *domain;
    struct fid_cq *completions;
    struct fid_ep *endpoint;
    struct fid_mr *memory;
    void *local; /* libfabric's descriptor of the memory */
    char *octets;
    int posted, done, received;
};

static size_t size;
static int by_write;
static struct end near_end, far;
static struct fid_pep *listener;
static uint64_t remote_address, remote_key;

static void check(const char *what, ssize_t status) {
    if (status < 0) {
        fprintf(stderr, "fabric: %s: %s\n", what, fi_strerror((int)-status));
        _exit(1);
    }
}

static struct fi_info *information(const char *port, uint64_t flags) {
    struct fi_info *hints = fi_allocinfo(), *info;
    hints->ep_attr->type = FI_EP_MSG;
    hints->caps = FI_MSG | FI_RMA;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->fabric_attr->prov_name = strdup("tcp");
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->domain_attr->threading = FI_THREAD_DOMAIN; /* one thread for each end: the least locking */
    check("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", port, flags, hints, &info));
    fi_freeinfo(hints);
    return info;
}

static void open_fabric(struct end *end) {
    struct fi_eq_attr events = {.wait_obj = FI_WAIT_UNSPEC};
    check("fi_fabric", fi_fabric(end->info->fabric_attr, &end->fabric, NULL));
    check("fi_eq_open", fi_eq_open(end->fabric, &events, &end->events, NULL));
}

static void receive(struct end *end) {
    check("fi_recv", fi_recv(end->endpoint, end->octets, size, end->local, 0, NULL));
}

static void open_endpoint(struct end *end, struct fi_info *info) {
    struct fi_cq_attr completions = {.format = FI_CQ_FORMAT_MSG, .size = 4 * RECEIVES, .wait_obj = FI_WAIT_NONE};
    end->octets = calloc(1, size + NOTE);
    check("fi_domain", fi_domain(end->fabric, info, &end->domain, NULL));
    check("fi_cq_open", fi_cq_open(end->domain, &completions, &end->completions, NULL));
    check("fi_endpoint", fi_endpoint(end->domain, info, &end->endpoint, NULL));
    check("fi_ep_bind", fi_ep_bind(end->endpoint, &end->events->fid, 0));
    check("fi_ep_bind", fi_ep_bind(end->endpoint, &end->completions->fid, FI_TRANSMIT | FI_RECV));
    check("fi_enable", fi_enable(end->endpoint));
    check("fi_mr_reg", fi_mr_reg(end->domain, end->octets, size + NOTE, FI_SEND | FI_RECV | FI_WRITE | FI_REMOTE_WRITE,
                                 0, KEY + (end == &far), 0, &end->memory, NULL));
    end->local = fi_mr_desc(end->memory);
    for (int i = 0; i < RECEIVES; i++) {
        receive(end);
    }
}

/* Waits for an event of a connection and checks its kind. */
static struct fi_info *event(struct end *end, uint32_t wanted) {
    struct fi_eq_cm_entry entry = {0};
    uint32_t kind = 0;
    ssize_t n = fi_eq_sread(end->events, &kind, &entry, sizeof entry, 10000, 0);
    check("event", n);
    if (kind != wanted) {
        fprintf(stderr, "fabric: event %u in place of %u\n", kind, wanted);
        _exit(1);
    }
    return entry.info;
}

/* Polls completions, which must be successful: counts sent messages, and received bytes by length. */

static int progress(struct end *end, int *sent, int *short_ones) {
    struct fi_cq_msg_entry entry[16];
    ssize_t n = fi_cq_read(end->completions, entry, 16);
    if (n == -FI_EAGAIN) {
        return 0;
    }
    if (n == -FI_EAVAIL) {
        struct fi_cq_err_entry error = {0};
        fi_cq_readerr(end->completions, &error, 0);
        check("completion", -error.err);
    }
    check("fi_cq_read", n);
    for (ssize_t i = 0; i < n; i++) {
        if (entry[i].flags & FI_RECV) {
            *short_ones += entry[i].len == NOTE;
            receive(end);
        } else {
            (*sent)++;
        }
    }
    return (int)n;
}

static void give(struct end *end, size_t length) {
    ssize_t status;
    int sent = 0, notes_came = 0;
    while ((status = fi_send(end->endpoint, end->octets, length, end->local, 0, NULL)) == -FI_EAGAIN) {
        progress(end, &sent, &notes_came);
        end->done += sent;
        end->received += notes_came;
        sent = notes_came = 0;
    }
    check("fi_send", status);
}

static void *answer(void *unused) {
    for (;;) {
        int sent = 0, notes_came = 0;
        if (!turn) {
            await_turn();
        }
        progress(&far, &sent, &notes_came);
        while (notes_came--) {
            give(&far, NOTE);
        }
    }
    return unused;
}

static void pour(uint64_t nanos) {
    uint64_t start = now();
    do {
        while (near_end.posted - near_end.done < WINDOW) {
            ssize_t status = by_write
                ? fi_write(near_end.endpoint, near_end.octets, size, near_end.local, 0, remote_address, remote_key, NULL)
                : fi_send(near_end.endpoint, near_end.octets, size, near_end.local, 0, NULL);
            if (status == -FI_EAGAIN) {
                break;
            }
            check("post", status);
            near_end.posted++;
            figures.operations++;
        }
        progress(&near_end, &near_end.done, &near_end.received);
    } while (now() - start < nanos);
    int before = near_end.received;
    give(&near_end, NOTE);
    near_end.posted++;
    while (near_end.received == before || near_end.done < near_end.posted) {
        progress(&near_end, &near_end.done, &near_end.received);
    }
    figures.nanos = now() - start;
    figures.octets = figures.operations * size;
}

static void *accept_one(void *unused) {
    struct fi_info *request = event(&far, FI_CONNREQ);
    open_endpoint(&far, request);
    check("fi_accept", fi_accept(far.endpoint, NULL, 0));
    event(&far, FI_CONNECTED);
    remote_key = fi_mr_key(far.memory);
    remote_address = request->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)far.octets : 0;
    return unused;
}

struct contender fabric_stream(void) {
    struct sockaddr_in address;
    size_t length = sizeof address;
    char port[8];
    pthread_t accepting;
    size = (size_t)number("size", 65536);
    by_write = !is("op", "send");
    far.info = information("0", FI_SOURCE);
    open_fabric(&far);
    check("fi_passive_ep", fi_passive_ep(far.fabric, far.info, &listener, NULL));
    check("fi_pep_bind", fi_pep_bind(listener, &far.events->fid, 0));
    check("fi_listen", fi_listen(listener));
    check("fi_getname", fi_getname(&listener->fid, &address, &length));
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    near_end.info = information(port, 0);
    open_fabric(&near_end);
    open_endpoint(&near_end, near_end.info);
    pthread_create(&accepting, NULL, accept_one, NULL);
    check("fi_connect", fi_connect(near_end.endpoint, near_end.info->dest_addr, NULL, 0));
    event(&near_end, FI_CONNECTED);
    pthread_join(accepting, NULL);
    far_end(answer);
    struct contender contender = {pour};
    return contender;
}
