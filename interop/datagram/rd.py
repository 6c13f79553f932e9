"""Reliable datagrams: channels, section 11 of docs/draft-jwarp-datagram-iwarp-00.md. A small window in place of section 11.4."""
import random
from collections import OrderedDict, deque

import path
from wire import *

WINDOW, CWND, GIVE_UP = 64, 4, 30.0


def ahead(a, b):
    """How far PSN a is ahead of b, as serial numbers (RFC 1982): negative if it is behind."""
    return (a - b + 2**31) % 2**32 - 2**31


def channel(qp, ah):
    peer = (ah.source, ah.qpn)
    if peer not in qp.channels:
        qp.channels[peer] = Channel(qp, peer, ah.qkey, ah.payload)
    return qp.channels[peer]


class Work:
    def __init__(self, opcode, mid):
        self.opcode, self.mid, self.last = opcode, mid, None


class Channel:
    def __init__(self, qp, peer, qkey, payload):
        self.qp, self.port, self.peer, self.qkey, self.payload = qp, qp.port, peer, qkey, payload
        self.reading = {}  # Reads whose request was accepted
        self.works, self.state, self.peer_tag, self.used = deque(), 'CLOSED', 0, self.port.now()
        self.tag = 0
        self.fresh()

    def fresh(self):
        """A new tag and first PSN, and nothing sent or kept."""
        self.tag = random.randrange(1, 2**32)
        self.first = self.una = self.next = random.getrandbits(32)
        self.queue, self.flight, self.kept = deque(), OrderedDict(), {}
        self.e, self.peer_window, self.limit, self.peer_rnr, self.rnr = 0, 1, 0, False, False
        self.ack_due, self.heard_at = None, self.port.now()
        self.count, self.code, self.half_open, self.challenges, self.probes = 0, None, None, 0, 0
        self.confirmed, self.open_d = False, None
        self.said, self.heard, self.last, self.last_at, self.duplicates, self.duplicate = 0, -1, 0, self.heard_at, 0, 0

    def send(self, d):
        self.port.send(d, self.peer[0])

    def shim(self, kind, key, mid=0, flags=R, **fields):
        return Datagram(version=1, kind=kind, flags=flags, dst=self.peer[1], src=self.qp.qpn, key=key, mid=mid, **fields)

    # -------------------------------------------------------------------------------------------- posting
    def post(self, opcode, payload, stag, to, padded, mid, flags=0):
        now, work = self.port.now(), Work(opcode, mid)
        if self.state == 'ERROR':
            return self.qp.complete(what='send', mid=mid, status='WR_FLUSH_ERR')
        if self.state == 'OPEN' and now > self.used + 60 and not self.flight:
            previous = self.peer_tag
            self.fresh()
            self.open(previous)
        elif self.state == 'CLOSED' or self.state == 'OPEN' and not self.confirmed and not self.open_d:
            self.open(0)
        self.used = now
        room = self.payload - 28 - 12 - (14 if TAGGED[opcode] else 18)
        shim = dict(dst=self.peer[1], src=self.qp.qpn, key=0, flags=D | flags)
        segments = cut(opcode, payload, mid, shim, room, stag, to, padded)
        work.segments, work.deadline = segments, now
        self.works.append(work)
        self.queue.extend((work, d) for d in segments)
        self.push()

    def open(self, previous):
        now = self.port.now()
        self.open_d = self.shim(RD_OPEN, self.qkey, self.qp.next_id(), 0, tag=self.tag, first_psn=self.first, previous=previous,
                                window=WINDOW)
        self.state = 'OPENING' if self.state != 'OPEN' or previous else 'OPEN'
        self.opened, self.step, self.again = now, 0.1, now + 0.1
        self.send(self.open_d)

    def push(self):
        """Sends what the window allows, flag A on the last datagram of the batch."""
        if self.state != 'OPEN' or self.peer_rnr or not self.confirmed:
            return
        batch = []
        while self.queue and len(self.flight) < min(CWND, self.peer_window) and ahead(self.next, self.limit) <= 0:
            work, d = self.queue.popleft()
            d.psn, d.key, work.last = self.next, self.peer_tag, self.next
            self.next = (self.next + 1) % 2**32
            self.flight[d.psn] = dict(d=d, work=work, sacked=False)
            batch.append(d)
        for d in batch:
            self.transmit(d, d is batch[-1])

    def transmit(self, d, ask):
        d.ack, d.window = self.e, WINDOW
        d.flags = d.flags | A if ask else d.flags & ~A
        entry = self.flight[d.psn]
        entry['at'] = self.port.now()
        entry.setdefault('first', entry['at'])
        if len(self.flight) == 1:
            self.heard_at = max(self.heard_at, entry['at'])
        if not self.kept:
            self.ack_due = None
        self.send(d)

    # -------------------------------------------------------------------------------------------- acknowledging
    def acknowledge(self, bare=False):
        """An RD-ACK; a bare one says nothing about kept datagrams."""
        sack, self.ack_due = [], self.ack_due if bare else None
        for psn in () if bare else self.kept:
            bit = ahead(psn, self.e) - 1
            if bit >= 0:
                while len(sack) <= bit // 64:
                    sack.append(0)
                sack[bit // 64] |= 1 << 63 - bit % 64
        delay = min(65535, int((self.port.now() - self.last_at) / 16e-6))
        self.send(self.shim(RD_ACK, self.peer_tag, self.said, ack=self.e, window=WINDOW, rnr=self.rnr, first=1024 * bare, echo=self.last, delay=delay,
                            duplicates=self.duplicates, last_duplicate=self.duplicate, sack=sack))
        self.said = (self.said + 1) % 2**32

    def acknowledged(self, ack, window, sack=(), first=0):
        """Takes an Ack, SACK words, and a window if there is one; Drop if it is of what was never sent, False if the Ack is old."""
        psns = [(ack + 1 + 64 * (first + w) + i) % 2**32 for w, word in enumerate(sack) for i in range(64) if word >> 63 - i & 1]
        if ahead(ack, self.next) > 0 or any(ahead(psn, self.next) >= 0 for psn in psns):
            raise Drop('rd_ack_bad')
        if ahead(ack, self.una) < 0:
            return False
        news = False
        self.una = ack
        if window:
            self.peer_window, self.limit = window, (ack + window) % 2**32
        for psn in [p for p in self.flight if ahead(p, ack) < 0]:
            del self.flight[psn]
            news = True
        for psn in psns:
            if psn in self.flight and not self.flight[psn]['sacked']:
                self.flight[psn]['sacked'] = news = True
        if news:
            self.heard_at, self.probes = self.port.now(), 0
        self.settle()
        highest = max((ahead(p, self.una) for p in self.flight if self.flight[p]['sacked']), default=0)
        for psn, entry in list(self.flight.items()):
            if not entry['sacked'] and ahead(psn, self.una) < highest - 2 and self.port.now() > entry['at'] + 0.01:
                self.transmit(entry['d'], True)
        return True

    def settle(self):
        """Completes works in their order, but Reads: 11.5."""
        while self.works:
            work = self.works[0]
            if work.last is None or ahead(work.last, self.una) >= 0 or any(w is work for w, _ in self.queue):
                return
            self.works.popleft()
            if work.opcode == READ_REQUEST:
                self.reading[work.mid] = work
            elif work.opcode != READ_RESPONSE:
                self.qp.complete(what='send', mid=work.mid, status='SUCCESS')

    def read_ended(self, mid, done):
        self.reading.pop(mid, None)
        self.works = deque(w for w in self.works if (w.mid, w.opcode) != (mid, READ_REQUEST))
        self.qp.complete(**done)

    # -------------------------------------------------------------------------------------------- receiving
    def data(self, d):
        if self.state == 'ERROR':
            return self.send(d.reply(RD_RESET, reflected=0, reason=2 if self.code else 3, code=self.code, key_=self.peer_tag))
        if self.state != 'OPEN':
            raise Drop('rd_early')
        far, now = ahead(d.psn, self.e), self.port.now()
        if not self.confirmed and self.open_d and abs(far) > WINDOW:
            raise Drop('rd_early')  # whoever sent that RD-OPEN, it was not the peer
        self.confirm()
        self.acknowledged(d.ack, d.window)
        self.last, self.last_at = d.psn, now
        if far < 0 or d.psn in self.kept:
            self.duplicates, self.duplicate = self.duplicates + 1, d.psn
        if far < 0 or far > WINDOW:
            self.acknowledge()
            raise Drop('rd_dup' if far < 0 else 'rd_ahead')
        self.used = now
        self.kept[d.psn] = d
        self.count += 1
        rnr = self.rnr
        self.take()
        if self.state != 'OPEN':
            return None
        if self.kept or d.has(A) or rnr or self.count % 16 == 0:
            self.acknowledge()
        elif self.ack_due is None:
            self.ack_due = now + 0.002
        self.push()
        return None

    def take(self):
        """Accepts what is next, and what was kept behind it."""
        import qp
        self.rnr = False
        while self.e in self.kept and self.state == 'OPEN':
            d = self.kept[self.e]
            try:
                self.qp.data(d, self.peer[0], self)
            except qp.Wait:
                self.rnr = True
                return
            except Drop as drop:
                self.port.counters[drop.counter] += 1
                if drop.counter != 'rx_reply_unmatched':
                    return self.violated(d, drop.answer or (0, 2, 0xFF))
            del self.kept[self.e]
            self.e = (self.e + 1) % 2**32

    def violated(self, d, code):
        self.code = code
        self.send(d.reply(RD_RESET, reflected=0, reason=2, code=code, key_=self.peer_tag))
        self.qp.events.append(dict(what='violation', code=code, source=self.peer[0], mid=d.mid))
        self.fail('WR_FLUSH_ERR')

    def fail(self, status, state='ERROR', only=lambda work: True):
        self.state = state
        for work in [w for w in [*self.reading.values(), *self.works] if only(w)]:
            self.works = deque(w for w in self.works if w is not work)
            self.reading.pop(work.mid, None)
            self.qp.reads.pop(work.mid, None)
            if work.opcode != READ_RESPONSE:
                self.qp.complete(what='read' if work.opcode == READ_REQUEST else 'send', mid=work.mid, status=status)
        for key in [k for k, r in self.port.records.items() if (k[0], k[1], k[2]) == (self.qp.qpn,) + self.peer]:
            record = self.port.records.pop(key)
            self.qp.end_record(record, record.shape[2], 'ABORTED', key)

    def opened_by(self, d):
        """RD-OPEN from a validated source."""
        if self.state == 'ERROR':
            return self.send(d.reply(RD_RESET, reflected=0, reason=4, code=None, key_=d.tag))
        if self.open_d and not self.confirmed and d.tag == self.open_d.previous != 0:
            return None  # an old one, of the channel that is opened anew
        met = self.state == 'OPEN' and not self.confirmed and self.open_d
        if self.state == 'OPEN' and d.tag != self.peer_tag and not met:
            if d.previous != self.tag:
                self.acknowledge(bare=True)
                return None
            self.anew()
            self.confirmed = True  # it has shown my tag as the previous one
        if self.state == 'CLOSED':
            self.half_open = self.port.now()
        if self.state != 'OPEN' or met:
            self.peer_tag, self.e, self.last, self.peer_window = d.tag, d.first_psn, (d.first_psn - 1) % 2**32, d.window
            self.limit, self.state = (self.first + d.window) % 2**32, 'OPEN'
            for entry in self.flight.values():
                entry['d'].key = self.peer_tag
        self.send(d.reply(RD_ACCEPT, tag=self.tag, first_psn=self.first, ack=self.e, window=WINDOW, key_=self.peer_tag))
        return self.push()

    def confirm(self):
        """The peer has shown my tag: data may go there."""
        if not self.confirmed:
            self.confirmed, self.open_d, self.half_open = True, None, None
            self.push()

    def anew(self):
        """The peer opens anew: records end; what is on its way goes again under the same PSNs."""
        flight = self.flight
        self.fail('', 'CLOSED', lambda work: False)
        queue, una, next_ = self.queue, self.una, self.next
        self.fresh()
        self.queue, self.flight, self.first, self.una, self.next = queue, flight, una, una, next_
        for entry in flight.values():
            entry['sacked'] = False

    def accepted(self, d):
        if self.state == 'OPENING' or self.state == 'OPEN' and not self.confirmed and self.open_d:
            if d.ack != self.first:
                raise Drop('rd_ack_bad')
            self.peer_tag, self.e, self.last, self.peer_window = d.tag, d.first_psn, (d.first_psn - 1) % 2**32, d.window
            self.limit, self.state, self.heard_at = (d.ack + d.window) % 2**32, 'OPEN', self.port.now()
            self.ack_due = self.port.now() + 0.002
            self.confirm()
        elif d.tag != self.peer_tag:
            raise Drop('rd_tag')
        else:
            self.confirm()

    def in_doubt(self):
        return {id(entry['work']) for entry in self.flight.values()} | {id(w) for w in self.reading.values()}

    def was_reset(self, d):
        if self.state == 'OPEN' and d.reason in (1, 3) and self.open_d and not self.confirmed:
            self.state = 'OPENING'  # it ends what the RD-OPEN said that met mine, which goes on
        elif self.state == 'OPEN' and d.reason in (1, 3):
            in_doubt = self.in_doubt()
            self.fail('PEER_RESET', 'CLOSED', lambda w: id(w) in in_doubt or w.opcode == READ_RESPONSE)
            waiting = list(self.works)
            self.fresh()
            if waiting:
                self.queue.extend((w, s) for w in waiting for s in w.segments)
                self.open(0)
        elif self.state == 'OPEN' and d.reason == 2:
            import qp
            in_doubt = self.in_doubt()
            self.fail(qp.status_of(d.code), 'ERROR', lambda w: id(w) in in_doubt)
            self.fail('WR_FLUSH_ERR')
        self.qp.events.append(dict(what='reset', reason=d.reason, mid=d.mid, code=d.code, source=self.peer[0]))

    def close(self):
        if self.state == 'OPEN':
            self.send(self.shim(RD_RESET, self.peer_tag, reflected=0, reason=3, code=None))
        self.fail('WR_FLUSH_ERR', 'CLOSED')
        self.qp.channels.pop(self.peer, None)

    def tick(self, now):
        if self.state == 'OPENING' or self.state == 'OPEN' and not self.confirmed and self.open_d:
            if now > self.opened + 5:
                self.fail('RETRY_EXC_ERR')
            elif now > self.again:
                self.step = min(1.0, self.step * 2)
                self.again = now + self.step
                self.send(self.open_d)
        if self.state != 'OPEN':
            return
        if self.half_open and now > self.half_open + 10:
            self.qp.channels.pop(self.peer, None)
            return
        if self.rnr:
            self.take()
            if not self.rnr and self.state == 'OPEN':
                self.acknowledge()
        if self.ack_due and now >= self.ack_due:
            self.acknowledge()
        if self.flight:
            oldest = [f['d'] for f in self.flight.values() if not f['sacked']][:2]
            patience = 30 if self.peer_rnr else GIVE_UP
            if now > next(iter(self.flight.values()))['first'] + patience and (self.peer_rnr or self.probes >= 5):
                self.fail('RNR_RETRY_EXC_ERR' if self.peer_rnr else 'RETRY_EXC_ERR')
            elif now > self.heard_at + min(1.0 if self.peer_rnr else 60.0, 0.03 * 2**self.probes):
                self.probes, self.heard_at = self.probes + 1, now
                for d in oldest:
                    self.transmit(d, True)


def given_up(ch, d):
    """The peer misses what a SACK word had: what its words do not name now is sent again (11.3)."""
    if d.rnr or d.ack != ch.una or not ch.flight.get(ch.una, {}).get('sacked'):
        return
    for psn, entry in ch.flight.items():
        bit = ahead(psn, d.ack) - 1 - 64 * d.first
        if bit < 0 and psn != d.ack or bit >= 64 * 128:
            continue  # it says nothing about this one
        entry['sacked'] = 0 <= bit < 64 * len(d.sack) and bool(d.sack[bit // 64] >> 63 - bit % 64 & 1)
        if not entry['sacked']:
            ch.transmit(entry['d'], True)


def challenged(qp, d, source):
    ch = qp.channels.get((source, d.src))
    if not ch or ch.confirmed or not ch.open_d or (ch.open_d.mid, ch.open_d.key) != (d.mid, d.key) or ch.challenges >= 2:
        raise Drop('rx_reply_unmatched')
    ch.challenges += 1
    ch.open_d.flags, ch.open_d.cookie = C, d.cookie_given
    ch.send(ch.open_d)


def receive(qp, d, source):
    """Checks 9 and 10, and the table of 11.1."""
    peer, port = (source, d.src), qp.port
    ch = qp.channels.get(peer)
    if d.kind == RD_OPEN:
        if (not ch or ch.state == 'CLOSED') and not port.validated(qp, d, source):
            return port.answer(qp, d, source, 'CHALLENGE')
        if not ch:
            ch = qp.channels[peer] = Channel(qp, peer, 0, port.payload)
        return ch.opened_by(d)
    if d.kind == RD_RESET:
        right = ch and d.key == (ch.peer_tag if d.reflected else ch.tag) and (d.reason == 1 or not d.reflected)
        if not right or ch.state == 'CLOSED':
            raise Drop('rd_reset_bad')
        return ch.was_reset(d)
    if not ch or ch.state == 'CLOSED' or d.key != ch.tag:
        if any(other.tag == d.key for other in qp.channels.values() if other.state != 'CLOSED'):
            raise Drop('rd_tag')  # something on the way has changed the source
        if not port.limited(('notify', qp.qpn), source, 10, 100):
            accept = d.kind == RD_ACCEPT
            if accept and ch and (ch.state == 'OPEN' and ch.peer_tag == d.tag or ch.open_d and not ch.confirmed):
                raise Drop('rd_tag')  # it answers an RD-OPEN that was not mine, or mine that is out will put it right
            port.send(d.reply(RD_RESET, reflected=not accept, reason=1, code=None, key_=d.tag if accept else d.key), source)
        raise Drop('rd_tag')
    if d.kind == RD_ACCEPT:
        return ch.accepted(d)
    if d.kind in (PATH_PROBE, PATH_REPLY):
        ch.confirm()
        return path.answer(qp, d, source, ch.peer_tag) if d.kind == PATH_PROBE else path.answered(qp, d, source)
    if d.kind == DATA:
        return ch.data(d)
    if ch.state == 'OPEN' and (ch.confirmed or not ch.open_d):
        ch.confirm()
        late = ahead(d.mid, ch.heard) <= 0  # one with a later number has come
        if not late:
            given_up(ch, d)
        if ch.acknowledged(d.ack, 0 if late else d.window, d.sack, d.first) and not late:
            ch.heard, ch.peer_rnr = d.mid, d.rnr
        ch.used = port.now()
        ch.push()
    return None
