"""Queue pairs of datagram-iWARP: what they send, records, Reads (sections 5.2 to 8 of docs/draft-jwarp-datagram-iwarp-00.md)."""
import random
import struct
from collections import OrderedDict, deque
from types import SimpleNamespace

import rd
from wire import *

T_IDLE = 0.3  # more than the 0.1 s of section 14: test machines are busy


class Wait(Exception):
    """On RD a message waits for a receive, a record or a Read job."""


class Region:
    def __init__(self, stag, base, memory, rights, peer=None):
        self.stag, self.base, self.memory, self.rights, self.peer = stag, base, memory, rights, peer

    def covers(self, to, length):
        return self.base <= to and to + length <= self.base + len(self.memory)


class Record:
    """What is kept of a message of several segments (section 7), and of a Read's response (section 8)."""

    def __init__(self, d, memory, at, now):
        self.shape = (d.length, d.size, d.opcode, getattr(d, 'stag', 0), d.base)
        self.length, self.size, self.count = d.length, d.size, d.count
        self.memory, self.at, self.got, self.placed = memory, at, set(), 0
        self.first = self.new = now

    def place(self, d, now):
        at = self.at + d.index * d.size
        self.memory[at:at + len(d.payload)] = d.payload
        self.got.add(d.index)
        self.placed += len(d.payload)
        self.new = now
        return len(self.got) == self.count

    def valid(self):
        """The validity map: ranges [from, to) of the message that have arrived."""
        ranges = []
        for i in sorted(self.got):
            begin, end = i * self.size, min((i + 1) * self.size, self.length)
            if ranges and ranges[-1][1] == begin:
                ranges[-1][1] = end
            elif end > begin:
                ranges.append([begin, end])
        return ranges


class Qp:
    """A queue pair. completions and events are lists of dicts that the program empties."""

    def __init__(self, port, type_, qpn, qkey):
        self.port, self.type, self.qpn, self.qkey = port, type_, qpn, qkey
        self.longest, self.longest_read, self.read_jobs = 16 << 20, 1 << 20, 1024
        self.receives, self.completions, self.events, self.groups = deque(), [], [], set()
        self.counter, self.recent, self.reads = random.getrandbits(32), OrderedDict(), {}
        self.handles, self.channels, self.cookies = set(), {}, {}

    def next_id(self):
        self.counter = (self.counter + 1) % 2**32
        return self.counter

    def complete(self, **completion):
        self.completions.append(completion)

    def post_receive(self, length):
        self.receives.append(bytearray(length))

    # -------------------------------------------------------------------------------------------- asking
    def handle(self, address, port, qpn, qkey, group=False):
        if not group:
            self.handles.add((address, port))
        return SimpleNamespace(source=(address, port), qpn=qpn, qkey=qkey, payload=self.port.payload, flags=G if group else 0)

    def post(self, ah, opcode, payload, stag=0, to=0, padded=False, order=None, cookie=None, mid=None, complete=True):
        """Sends one message; `order` chooses which segments go and in what order (UD only). Returns the Message Id."""
        mid = self.next_id() if mid is None else mid
        if self.type == 'RD':
            rd.channel(self, ah).post(opcode, payload, stag, to, padded, mid)
            return mid
        self.recent[mid] = (ah.source, ah.qpn, ah.qkey)
        while len(self.recent) > 1024:
            self.recent.popitem(last=False)
        flags = ah.flags | (C if cookie else 0)
        shim = dict(dst=ah.qpn, src=self.qpn, key=ah.qkey, flags=flags)
        room = ah.payload - 28 - (14 if TAGGED[opcode] else 18) - (16 if cookie else 0)
        segments = cut(opcode, payload, mid, shim, room, stag, to, padded)
        for i in order(len(segments)) if order else range(len(segments)):
            segments[i].cookie = cookie
            self.port.send(segments[i], ah.source)
        if complete and opcode != READ_REQUEST:
            self.complete(what='send', mid=mid, status='SUCCESS')
        return mid

    def read(self, ah, stag, to, size, deadline=None):
        now = self.port.now()
        read = SimpleNamespace(ah=ah, sink_stag=random.getrandbits(32), sink_to=random.getrandbits(32) << 32, size=size,
                               buffer=bytearray(size), record=None, challenges=0, mid=self.next_id(),
                               deadline=now + (deadline or 1 + size / 1e6))
        read.request = struct.pack('>IQIIQ', read.sink_stag, read.sink_to, size, stag, to)
        self.reads[read.mid] = read
        cookie, until = self.cookies.get((ah.source, ah.qpn), (None, 0))
        read.cookie = cookie if self.type == 'UD' and now < until else None
        return self.post(ah, READ_REQUEST, read.request, mid=read.mid, cookie=read.cookie)

    def challenged(self, read, cookie):
        """Asks again for all Reads of that peer that have not shown this cookie (section 8)."""
        peer = (read.ah.source, read.ah.qpn)
        self.cookies[peer] = cookie, self.port.now() + 120
        for other in list(self.reads.values()):
            if (other.ah.source, other.ah.qpn) == peer and other.cookie != cookie and other.challenges < 2:
                other.challenges += 1
                other.cookie = cookie
                self.post(other.ah, READ_REQUEST, other.request, mid=other.mid, cookie=cookie)

    def end_read(self, read, status):
        del self.reads[read.mid]
        done = dict(what='read', mid=read.mid, status=status, data=bytes(read.buffer), map=read.record.valid() if read.record else [])
        if self.type == 'RD':
            rd.channel(self, read.ah).read_ended(read.mid, done)
        else:
            self.complete(**done)

    def asked(self, d, source):
        """What was asked recently and fits this reply (section 5.5): a Read, else True or None."""
        read = self.reads.get(d.mid)
        if read and (read.ah.source, read.ah.qpn, read.ah.qkey) == (source, d.src, d.key):
            return read
        return True if self.recent.get(d.mid) == (source, d.src, d.key) else None

    # -------------------------------------------------------------------------------------------- checks 11 to 20
    def data(self, d, source, channel=None):
        """Checks 11 to 20. Raises Drop, on RD also Wait."""
        check_data(d, self.longest)
        who, port = (source, d.src), self.port
        now, key = port.now(), (self.qpn, source, d.src, d.mid)
        if d.opcode == READ_RESPONSE:
            return self.response(d, source, now)
        record = port.records.get(key) if d.opcode != WRITE else None
        if record:
            if record.shape != (d.length, d.size, d.opcode, getattr(d, 'stag', 0), d.base):
                raise Drop('seg_conflict')
            if d.index in record.got:
                raise Drop('dup_segment')
        elif not channel and key in port.seen:
            raise Drop('late')
        if not record:
            record = getattr(self, {SEND: 'new_send', SEND_SE: 'new_send', READ_REQUEST: 'new_read'}.get(d.opcode, 'new_write'))(
                d, who, now, channel)
        if record is None:
            return None
        if record.place(d, now) or d.opcode == WRITE:
            if d.opcode != WRITE:
                port.records.pop(key, None)
            self.end_record(record, d.opcode, 'SUCCESS', key)
        else:
            record.qp, port.records[key] = self, record
        return None

    def new_send(self, d, who, now, channel):
        if not self.receives:
            raise Wait() if channel else Drop('no_recv_wr')
        if len(self.receives[0]) < d.length:
            raise Drop('recv_too_small', (1, 2, 5))
        return Record(d, self.receives.popleft(), 0, now)

    def region(self, stag, to, length, right, who, codes):
        """Checks 18 and 19: a counter and a code for each of STag, peer, right, wrap, bounds."""
        region = self.port.regions.get(stag)
        for wrong, code in zip((
                lambda: region is None, lambda: region.peer not in (None, who), lambda: right not in region.rights,
                lambda: to + length > 2**64, lambda: not region.covers(to, length)), codes):
            if wrong():
                raise Drop(*code)
        return region

    def new_write(self, d, who, now, channel):
        if d.opcode == WRITE and d.length == 0:
            return None
        right = 'REMOTE_WRITE' if d.opcode == WRITE else 'GROUP' if d.has(G) else 'RECORD'
        region = self.region(d.stag, d.base, d.length, right, who, (
            ('stag_invalid', (1, 1, 0)), ('stag_peer', (1, 1, 2)), ('stag_rights', (1, 1, 0)), ('to_wrap', (1, 1, 3)),
            ('to_bounds', (1, 1, 1))))
        return Record(d, region.memory, d.base - region.base, now)

    def new_read(self, d, who, now, channel):
        if d.count != 1 or d.length != 28:
            raise Drop('read_malformed', (0, 2, 0xFF))
        if not channel and not self.port.proves(d, who[0]):
            raise Drop('read_challenged', 'CHALLENGE')
        sink_stag, sink_to, size, stag, to = struct.unpack('>IQIIQ', d.payload)
        if size > self.longest_read:
            raise Drop('read_too_long', (2, 1, 2))
        data = b''
        if size:
            region = self.region(stag, to, size, 'REMOTE_READ', who, (
                ('read_stag_invalid', (0, 1, 0)), ('read_stag_peer', (0, 1, 3)), ('read_rights', (0, 1, 2)),
                ('read_wrap', (0, 1, 4)), ('read_bounds', (0, 1, 1))))
            data = region.memory[to - region.base:to - region.base + size]
        if not self.read_jobs:
            raise Wait() if channel else Drop('read_busy', (2, 1, 3))
        self.port.seen[self.qpn, who[0], who[1], d.mid] = True
        if channel:
            channel.post(READ_RESPONSE, data, sink_stag, sink_to, False, d.mid, R)
        else:
            shim = dict(dst=d.src, src=d.dst, key=d.key, flags=R)
            for segment in cut(READ_RESPONSE, data, d.mid, shim, self.port.payload - 42, sink_stag, sink_to):
                self.port.send(segment, who[0])
        return None

    def response(self, d, source, now):
        read = self.reads.get(d.mid)
        if not read or read.ah.source != source or (d.stag, d.base, d.length) != (read.sink_stag, read.sink_to, read.size):
            raise Drop('rx_reply_unmatched')
        read.record = read.record or Record(d, read.buffer, 0, now)
        if read.record.size != d.size and d.count > 1:
            raise Drop('seg_conflict')
        if d.index in read.record.got:
            raise Drop('dup_segment')
        if read.record.place(d, now):
            self.end_read(read, 'SUCCESS')

    def end_record(self, record, opcode, status, key):
        if opcode == WRITE:
            return
        self.port.seen[key] = True
        while len(self.port.seen) > 32768:
            self.port.seen.popitem(last=False)
        about = dict(status=status, len=record.length, placed=record.placed, mid=key[3], source=key[1], src=key[2])
        if opcode == WRITE_RECORD:
            self.complete(what='record', stag=record.shape[3], to=record.shape[4], map=record.valid(), **about)
        elif status == 'SUCCESS':
            self.complete(what='recv', se=opcode == SEND_SE, data=bytes(record.memory[:record.length]), **about)
        else:
            self.receives.appendleft(record.memory)

    def tick(self, now):
        for read in list(self.reads.values()):
            if now >= read.deadline and self.type == 'UD':
                self.end_read(read, 'PARTIAL' if read.record else 'RESP_TIMEOUT_ERR')
        for channel in list(self.channels.values()):
            channel.tick(now)


STATUS_OF = {(0, 2): 'REM_INV_REQ_ERR', (0, 1): 'REM_ACCESS_ERR', (1, 1): 'REM_ACCESS_ERR', (1, 2): 'REM_INV_REQ_ERR'}


def status_of(code):
    """Section 18: the status of the work request that a Terminate code ends."""
    if code[:2] == (1, 1) and code[2] == 4:
        return 'REM_INV_REQ_ERR'
    return STATUS_OF.get(code[:2]) or ('REM_OP_ERR' if code == (2, 1, 3) else 'REM_INV_REQ_ERR')
