"""Ports of datagram-iWARP: sockets, checks 1 to 9, answers, resolving, groups (sections 5, 9, 10 of docs/draft-jwarp-datagram-iwarp-00.md, and its extensions)."""
import hmac
import os
import random
import select
import socket
import time
from collections import Counter, OrderedDict, deque
from types import SimpleNamespace

import path
import rd
from qp import T_IDLE, Qp, Region, status_of
from sealing import OVERHEAD, Sealing
from wire import *


class Port:
    """One UDP socket with its queue pairs. Without an address it has no socket: `sent` gets what it sends."""

    keys = None  # those that every port made from now on has

    def __init__(self, address=None, now=None, mtu=1500):
        self.sealing = Sealing(Port.keys, lambda octets, to: self.send_octets(octets, to)) if Port.keys else None
        self.envelope = OVERHEAD if self.sealing else 0
        self.sockets, self.payload, self.clock = {}, mtu - (48 if ':' in (address or '') else 28) - self.envelope, now or time.monotonic
        self.qps, self.default, self.regions, self.counters = {}, None, {}, Counter()
        self.records, self.seen, self.services, self.resolves = {}, OrderedDict(), {}, {}
        self.allowed, self.proved, self.secret, self.limits = {'127.0.0.1', '::1'}, {}, os.urandom(32), Counter()
        self.resolver_qp = SimpleNamespace(qpn=RESOLVER_QPN, type='RESOLVER', qkey=RESOLVER_KEY, handles=set())
        self.resolver_mid, self.answers, self.groups = random.getrandbits(32), OrderedDict(), {}
        self.sent, self.heard, self.lose_in, self.lose_out = [], [], None, None
        if address:
            family = socket.AF_INET6 if ':' in address else socket.AF_INET
            self.socket = self._open(socket.socket(family, socket.SOCK_DGRAM), None)
            self.socket.bind((address, 0))
            if family == socket.AF_INET:
                self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton('127.0.0.1'))
            self.address = self.socket.getsockname()[:2]

    def _open(self, sock, group):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        sock.setblocking(False)
        self.sockets[sock] = group
        return sock

    def now(self):
        return self.clock()

    def qp(self, type_, qpn=None, qkey=None):
        qp = Qp(self, type_, qpn or random.randrange(16, 0xFFFFFF), qkey if qkey is not None else random.getrandbits(32))
        self.qps[qp.qpn] = qp
        return qp

    def register(self, length, rights, stag=None, base=None, peer=None):
        region = Region(stag or random.getrandbits(32), random.getrandbits(61) if base is None else base, bytearray(length), rights,
                        peer)
        self.regions[region.stag] = region
        return region

    def join(self, qp, address, port, qkey):
        if address not in self.groups:
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((address, port))
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(address) + socket.inet_aton('127.0.0.1'))
            self.groups[address] = self._open(sock, address)
        qp.groups.add((address, qkey))

    # -------------------------------------------------------------------------------------------- sending
    def send(self, d, to):
        octets = encode(d)
        self.sent.append((octets, to))
        if self.sockets and not (self.lose_out and self.lose_out(d)):
            self.send_inner(octets, to)

    def send_inner(self, octets, to):
        (self.sealing.send if self.sealing else self.send_octets)(octets, to)

    def send_octets(self, octets, to):
        self.socket.sendto(octets, to)

    def limited(self, kind, source, each, all_):
        second = int(self.now())
        for key in [k for k in self.limits if k[0] != second]:
            del self.limits[key]
        self.limits[second, kind, source] += 1
        self.limits[second, kind] += 1
        over = self.limits[second, kind, source] > each or self.limits[second, kind] > all_
        self.counters['tx_limited'] += over
        return over

    def answer(self, qp, d, source, answer):
        """Section 9: NOTIFY or CHALLENGE for an offender."""
        if answer == 'CHALLENGE':
            if self.limited('challenge', source[0], 10_000, 50_000):
                return None
            return self.send(d.reply(CHALLENGE, cookie_given=self.cookie(d, source)), source)
        known = self.validated(qp, d, source)
        if not self.limited(('notify', qp.qpn), source, 10 if known else 1, 100 if known else 10):
            self.send(d.reply(NOTIFY, code=answer if known else (0, 1, 0xFF), index=d.index, size=d.size), source)

    def cookie(self, d, source, slot=0):
        words = repr((source, d.src, int(self.now() / 60) - slot)).encode()
        return hmac.new(self.secret, words, 'sha256').digest()[:16]

    def proves(self, d, source):
        """Whether this very datagram is proved (section 9.1)."""
        if d.has(C) and d.cookie in (self.cookie(d, source), self.cookie(d, source, 1)):
            self.proved[source] = self.now()
            return True
        return source[0] in self.allowed

    def validated(self, qp, d, source):
        return self.proves(d, source) or source in qp.handles or self.proved.get(source, -1e9) > self.now() - 60

    # -------------------------------------------------------------------------------------------- receiving
    def input(self, octets, source, group=None):
        """One datagram. `group`: the address of the group whose socket it came from."""
        try:
            self._input(octets, source, group)
            self.counters['rx_ok'] += 1
        except Drop as drop:
            self.counters[drop.counter] += 1

    def _input(self, octets, source, group):
        try:
            d = decode(octets, source)
        except Drop as drop:
            if drop.answer:
                self._other_version(drop.answer[1], source)
            raise
        if d.kind == VERSION_LIST:
            return self._version_list(d, source)
        if d.has(G) != bool(group):
            raise Drop('rx_group')
        if d.has(G):
            return self._group(d, source, group)
        qp = self._at(d.dst)
        if qp is None:
            raise Drop('rx_qpn')
        channel = d.has(D) or RD_OPEN <= d.kind <= RD_RESET
        wanted = ('RD',) if channel else ('UD',) if d.kind in (DATA, NOTIFY, PATH_PROBE, PATH_REPLY) else ('RESOLVER',) if d.kind in (RESOLVE, RESOLVED) \
            else ('UD', 'RD', 'RESOLVER')
        if qp.type not in wanted or channel and d.dst == 0:
            raise Drop('rx_qp_type')
        if not d.has(R) and not d.has(D) and d.key != qp.qkey:
            raise Drop('rx_key')
        if channel:
            return rd.receive(qp, d, source)
        if d.kind == RESOLVE:
            return self._resolve(d, source)
        if d.kind == RESOLVED:
            return self._resolved(d, source)
        if d.kind == CHALLENGE:
            return self._challenge(qp, d, source)
        if d.kind == PATH_PROBE and d.has(R) and qp.asked(d, source) is None:  # one behind an answer to our Read
            raise Drop('rx_reply_unmatched')
        if d.kind == PATH_PROBE:
            return path.answer(qp, d, source, d.key)
        if d.kind == PATH_REPLY:
            return path.answered(qp, d, source)
        asked = qp.asked(d, source) if d.has(R) else None
        if d.has(R) and (asked is None or d.kind == DATA and asked is True):
            raise Drop('rx_reply_unmatched')
        if d.kind == NOTIFY:
            qp.events.append(dict(what='notify', mid=d.mid, code=d.code, source=source))
            if asked is not True:
                qp.end_read(asked, status_of(d.code))
            return None
        try:
            return qp.data(d, source)
        except Drop as drop:
            if drop.answer and not d.has(R):
                self.answer(qp, d, source, drop.answer)
            raise

    def _at(self, qpn):
        if qpn == RESOLVER_QPN:
            return self.resolver_qp if self.services or self.resolves else None
        return self.default if qpn == 0 else self.qps.get(qpn)

    def _group(self, d, source, group):
        if d.dst != GROUP_QPN:
            raise Drop('rx_qpn')
        members = [qp for qp in self.qps.values() if (group, d.key) in qp.groups]
        if not members:
            raise Drop('rx_key')
        for qp in members:
            qp.data(d, source)

    def _other_version(self, d, source):
        qp = self._at(d.dst) if d.dst != 0 else None
        resolver = d.dst == RESOLVER_QPN and self.services
        if d.version and qp and (resolver or d.dst != RESOLVER_QPN) and d.key == qp.qkey and not d.flags & (R | G) \
                and not self.limited(('notify', d.dst), source, 10, 100):
            self.send(Datagram(kind=VERSION_LIST, dst=d.src, src=d.dst, key=d.key, mid=d.mid, versions=2), source)

    def _version_list(self, d, source):
        resolve = self.resolves.get(d.mid)
        if resolve and (resolve.to, 1, RESOLVER_KEY) == (source, d.src, d.key):
            del self.resolves[d.mid]
            resolve.result = SimpleNamespace(status=5, versions=d.versions)
        elif d.dst in self.qps and self.qps[d.dst].asked(d, source):
            self.qps[d.dst].events.append(dict(what='versions', mid=d.mid, versions=d.versions, source=source))
        else:
            raise Drop('rx_version')

    def _challenge(self, qp, d, source):
        if qp.type == 'RESOLVER':
            question = self.resolves.get(d.mid)
            fits = question and (question.to, 1, RESOLVER_KEY) == (source, d.src, d.key)
        elif qp.type == 'RD':
            return rd.challenged(qp, d, source)
        else:
            question = qp.asked(d, source)
            fits = question not in (None, True)
        if not fits or question.challenges >= 2 or question.cookie == d.cookie_given:
            raise Drop('rx_reply_unmatched')
        if qp.type != 'RESOLVER':
            return qp.challenged(question, d.cookie_given)
        question.challenges += 1
        question.cookie = d.cookie_given
        self._ask(question)

    # -------------------------------------------------------------------------------------------- resolving
    def resolve(self, to, service, types, private=b'', versions=2):
        """Asks; the answer appears as `result` of what is returned: a RESOLVED, or status None when it was given up."""
        self.resolver_mid = (self.resolver_mid + 1) % 2**32
        question = SimpleNamespace(to=to, mid=self.resolver_mid, service=service, types=types, private=private, versions=versions,
                                   cookie=None, challenges=0, result=None, began=self.now(), due=deque([0.25, 0.75, 1.75, 3.75, 5]))
        self.resolves[question.mid] = question
        self._ask(question)
        return question

    def _ask(self, q):
        self.send(Datagram(version=1, kind=RESOLVE, flags=C if q.cookie else 0, dst=1, src=1, key=RESOLVER_KEY, mid=q.mid,
                           cookie=q.cookie, service=q.service, types=q.types, versions=q.versions, private=q.private), q.to)

    def _resolved(self, d, source):
        question = self.resolves.get(d.mid)
        if not question or (question.to, 1, RESOLVER_KEY) != (source, d.src, d.key):
            raise Drop('rx_reply_unmatched')
        del self.resolves[d.mid]
        question.result = d

    def _resolve(self, d, source):
        """services: service id to a queue pair, or to a handler: private data to (status, queue pair, private data)."""
        if not self.services:
            raise Drop('rx_qpn')
        shown = d.has(C) and self.proves(d, source)
        if self.limited('resolve', None if shown else source, 1000 if shown else 10, 1000):
            return
        kept = self.answers.get((source, d.mid))
        if kept and kept[1] > self.now() - 5:
            return self.send(kept[0], source)
        service, qp, status, private = self.services.get(d.service), None, 0, b''
        if callable(service) and not self.validated(self.resolver_qp, d, source):
            return self.answer(self.resolver_qp, d, source, 'CHALLENGE')
        if not d.versions & 2:
            status = 5
        elif service is None:
            status = 1
        elif callable(service):
            status, qp, private = service(d.private)
        else:
            qp = service
        if not status and not d.types & (1 if qp.type == 'UD' else 2):
            status, qp = 3, None
        named = dict(type=1 if qp.type == 'UD' else 2, qpn=qp.qpn, qkey=qp.qkey, max_payload=65507, max_message=qp.longest,
                     max_read=qp.longest_read) if not status else dict(type=0, qpn=0, qkey=0, max_payload=0, max_message=0, max_read=0)
        reply = d.reply(RESOLVED, status=status, versions=2, port=0, private=private, **named)
        self.answers[source, d.mid] = (reply, self.now())
        self.send(reply, source)

    # -------------------------------------------------------------------------------------------- turning
    def turn(self, timeout=0.0):
        """Takes what has come, waits for at most `timeout` seconds for it, and looks at the timers."""
        now = self.now()
        for sock in select.select(list(self.sockets), [], [], timeout)[0]:
            while True:
                try:
                    octets, source = sock.recvfrom(65536)
                except BlockingIOError:
                    break
                source = source[:2]
                try:
                    octets = self.sealing.unwrap(octets, source, self.sockets[sock]) if self.sealing else octets
                except Drop as drop:
                    self.counters[drop.counter] += 1
                    continue
                try:
                    lost = self.lose_in and self.lose_in(decode(octets, source))
                except Drop:
                    lost = False
                if not lost:
                    self.heard.append((octets, source))
                    self.input(octets, source, self.sockets[sock])
        self.tick(now)

    def tick(self, now):
        """What is over at that time; whatever had come by then has been taken (7)."""
        for key, record in list(self.records.items()):
            timed = record.qp.type == 'UD'
            if timed and (now >= record.new + T_IDLE or now >= record.first + 1 + record.length / 1e6):
                del self.records[key]
                record.qp.end_record(record, record.shape[2], 'PARTIAL', key)
        for qp in list(self.qps.values()):
            qp.tick(now)
        for question in list(self.resolves.values()):
            if now >= question.began + question.due[0]:
                question.due.popleft()
                if question.due:
                    self._ask(question)
                else:
                    del self.resolves[question.mid]
                    question.result = SimpleNamespace(status=None)

    def until(self, condition, timeout=5.0):
        """Turns until the condition holds; False if it does not in time."""
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                return False
            self.turn(0.002)
        return True
