"""DDP and RDMAP above MPA: a stream, its memory and its work requests. Written from RFC 5040, RFC 5041 and RFC 7306."""
import collections
import contextlib
import os
import struct
import sys
import threading
import time

from mpa import ANY, C, M, PATIENCE, R, REPLY, REQUEST, S, Fault, Lost, Mpa, Start, wrong

WRITE, READ, READ_RESPONSE, SEND, TERMINATE, IMMEDIATE, ATOMIC, ATOMIC_RESPONSE = 0, 1, 2, 3, 7, 8, 10, 11
QUEUE = {1: 1, 3: 0, 4: 0, 5: 0, 6: 0, 7: 2, 8: 0, 9: 0, 10: 1, 11: 3}  # of the untagged opcodes
FIXED = {1: 28, 8: 8, 9: 8, 10: 52, 11: 12}  # octets of messages that have no other size
RECEIVE_SIZE = 8192
REGIONS = {}  # by STag, of all streams
USED = set()  # STags are not given twice


class Region:
    def __init__(self, owner, length, rights='', revocable=False):
        self.owner, self.rights, self.revocable, self.octets = owner, rights, revocable, bytearray(length)
        self.to = struct.unpack('>Q', os.urandom(8))[0] >> 2 & ~0xFFF
        self.stag = 0
        while self.stag in USED or not self.stag:
            self.stag = struct.unpack('>I', os.urandom(4))[0]
        USED.add(self.stag)
        REGIONS[self.stag] = self

    def revoke(self):
        REGIONS.pop(self.stag, None)


def masked_add(value, add, mask):
    """RFC 7306 section 5.1.1: no carry passes a bit of the mask."""
    result, carry = 0, 0
    for bit in range(64):
        total = (value >> bit & 1) + (add >> bit & 1) + carry
        result |= (total & 1) << bit
        carry = 0 if mask >> bit & 1 else total >> 1
    return result


class Work:
    """A work request of the program: an opcode and what goes with it."""

    def __init__(self, opcode, octets=b'', stag=0, to=0, sink=None, at=0, length=0, atomic=b''):
        self.opcode, self.octets, self.stag, self.to, self.done = opcode, octets, stag, to, False
        self.sink, self.at, self.length, self.got, self.atomic = sink, at, length, 0, atomic


class Stream:
    """A connection. Three threads: one receives (run), one sends, and one is the program's. What they share is under cond."""

    def __init__(self, sock, config, initiator):
        self.mpa, self.config, self.initiator = Mpa(sock, config.emss), config, initiator
        self.cond = threading.Condition()
        self.ird, self.ord = config.ird, config.ord
        self.may_send = initiator
        self.over = self.closing = self.clean = False  # nothing moves any more; this side is about to end; it was good order
        self.ended = False  # the peer sends no more
        self.absorb = False  # an empty first Send means only that the peer is ready
        self.fault = None
        self.posted, self.keep, self.messages = 8, 8, collections.deque()  # receives, and what was delivered
        self.works, self.unsent, self.awaited = collections.deque(), collections.deque(), collections.deque()
        self.serving = 0  # requests of the peer not yet answered in whole
        self.responses = collections.deque()
        self.msn_out, self.msn_in = [1, 1, 1, 1], [1, 1, 1, 1]
        self.parts = [None] * 4  # of messages under way, by queue: opcode, octets
        self.delivered = self.good = 0

    # Start-up

    def flags(self, revision):
        return (M if self.config.markers and not wrong('markers-absent') else 0) | (C if self.config.crc else 0) | (S if revision > 1 else 0)

    def agree(self, mine, its):
        self.mpa.sent = 20 if wrong('markers-from-start') else 0
        self.mpa.crc = bool((mine.flags | its.flags) & C)
        self.mpa.markers_in, self.mpa.markers_out = bool(mine.flags & M), bool(its.flags & M) and not wrong('markers-absent')

    def accept(self, decide):
        """The responder's start-up. decide(private data) gives whether to refuse, and private data."""
        request = self.mpa.read_start(REQUEST, max(self.config.revision, self.config.takes), self.config.revision)
        request.revision = min(request.revision, self.config.revision)
        if self.mpa.more_is_there():
            raise Lost('more than the private data')
        refuse, private = decide(request.private)
        reply = Start(self.flags(request.revision) & ~(0 if request.flags & S else S), request.revision, private)
        if request.flags & S:
            reply.word = self.answer_word(*request.word)
        if refuse:
            reply.flags |= R
        self.mpa.sock.sendall(reply.octets(REPLY))
        self.agree(reply, request)
        self.may_send = wrong('speaks-first')
        return not refuse

    def answer_word(self, high, low):
        """RFC 6581 section 9."""
        its_ird, its_ord = high & ANY, low & ANY
        if its_ird != ANY:
            self.ord = min(self.ord, its_ird)
        offered = (high >> 14 & 1) << 2 | (low >> 15) << 1 | low >> 14 & 1  # 4 Send, 2 Write, 1 Read
        kinds = (offered & self.config.rtr or self.config.rtr) if high >> 15 else 0
        self.absorb = bool(kinds & 4)
        if kinds & 1 and self.ird == 0:
            self.ird = 1
        ird, ord_ = ANY if its_ord == ANY else self.ird, ANY if its_ird == ANY else self.ord
        return ((high & 0x8000) | (kinds >> 2) << 14 | ird, (kinds >> 1 & 1) << 15 | (kinds & 1) << 14 | ord_)

    def connect(self, private, decide):
        """The initiator's start-up."""
        own = self.config
        kinds = own.rtr if own.peer_to_peer else 0
        request = Start(self.flags(own.revision), own.revision, private, (
            own.peer_to_peer << 15 | (kinds >> 2) << 14 | self.ird, (kinds >> 1 & 1) << 15 | (kinds & 1) << 14 | self.ord))
        self.mpa.sock.sendall(request.octets(REQUEST))
        reply = self.mpa.read_start(REPLY, own.revision)
        if reply.flags & R:
            return False
        if request.flags & S and not reply.flags & S:
            raise Lost('a Reply without the word to a Request with it')
        self.agree(request, reply)
        if not decide(reply.private):
            return False
        high, low = reply.word
        if reply.flags & S:
            if low & ANY != ANY and low & ANY > self.ird:
                raise Fault(2, 0, 6)
            if high & ANY != ANY:
                self.ord = min(self.ord, high & ANY)
        if own.peer_to_peer and reply.flags & S:
            common = ((high >> 14 & 1) << 2 | (low >> 15) << 1 | low >> 14 & 1) & kinds if high >> 15 else 0
            if not common:
                raise Fault(2, 0, 7)
            if common & 2:
                self.post(Work(WRITE))
            elif common & 1:
                self.ord = max(1, self.ord)
                self.post(Work(READ, sink=Region(self, 0)))
            else:
                self.post(Work(SEND))
        return True

    # Sending

    def post(self, work):
        with self.cond:
            self.works.append(work)
            self.unsent.append(work)
            self.cond.notify_all()

    def completed(self):
        """Work requests complete in the order in which they were posted. Under cond."""
        while self.works and self.works[0].done:
            self.works.popleft()
            self.good += 1
        self.cond.notify_all()

    def next_message(self):
        """Segments of what is to be sent next, or None. Under cond."""
        if self.responses and self.may_send:
            response = self.responses.pop() if wrong('responses-backwards') else self.responses.popleft()
            return response()
        if not self.unsent or not self.may_send:
            return None
        work = self.unsent[0]
        if work.opcode in (READ, ATOMIC):
            if len(self.awaited) >= self.ord and not wrong('too-many-reads'):
                return None
            self.awaited.append(work)
        return self.segments(self.unsent.popleft())

    def segments(self, work):
        if work.opcode in (SEND, WRITE) and not work.octets and wrong('no-empty-send' if work.opcode == SEND else 'no-empty-write'):
            pass
        elif work.opcode == WRITE:
            yield from self.tagged(WRITE, work.stag, work.to, work.octets)
        elif work.opcode == READ:
            sink = work.sink
            yield from self.untagged(READ, struct.pack('>IQIIQ', sink.stag, sink.to + work.at, work.length, work.stag, work.to)
                                     + bytes(4 if wrong('read-request-long') else 0))
        elif work.opcode == ATOMIC:
            yield from self.untagged(ATOMIC, work.atomic)
        else:
            yield from self.untagged(work.opcode, work.octets, work.stag)
        with self.cond:
            work.done = work.opcode not in (READ, ATOMIC)
            self.completed()

    def untagged(self, opcode, octets, stag=0):
        queue = QUEUE[opcode]
        counter = 0 if wrong('msn-shared') else queue
        msn, at = self.msn_out[counter], 0
        self.msn_out[counter] = msn + 1 & 0xFFFFFFFF
        while True:
            part = bytes(octets[at:at + self.mpa.mulpdu() - 18])
            last = at + len(part) == len(octets)
            mo = struct.pack('<I' if wrong('mo-little-endian') else '>I', at)
            yield struct.pack('>BBIII', self.control(last), 0x40 | opcode, stag, queue, msn) + mo + part
            at += len(part)
            if last:
                return

    def tagged(self, opcode, stag, to, octets, before=lambda at, last: None):
        at = 0
        while True:
            part = bytes(octets[at:at + self.mpa.mulpdu() - 14])
            last = at + len(part) == len(octets)
            before(at, last)
            yield struct.pack('>BBIQ', 0x80 | self.control(last), 0x40 | opcode, stag, to + at & 2**64 - 1) + part
            at += len(part)
            if last:
                return

    def control(self, last):
        return 0x01 | (0x40 if last and not wrong('never-last') else 0) | (0x04 if wrong('ddp-reserved') else 0)

    def answered(self):
        with self.cond:
            self.serving -= 1

    def read_response(self, segment):
        sink, sink_to, size, source, source_to = struct.unpack('>IQIIQ', segment[18:])

        def still_valid(at, last):
            if size and source not in REGIONS:  # RFC 5040 section 4.8: what is left of it
                rest = struct.pack('>IQIIQ', sink, sink_to + at, size - at, source, source_to + at)
                raise Fault(0, 1, 0, segment, rest)
            if last:
                self.answered()

        octets = memoryview(REGIONS[source].octets)[source_to - REGIONS[source].to:][:size] if size and source in REGIONS else bytes(size)
        stag = int.from_bytes(sink.to_bytes(4, 'little'), 'big') if wrong('sink-stag-swapped') else sink
        return self.tagged(READ_RESPONSE, stag, sink_to, octets, still_valid)

    def atomic_response(self, region, at, request):
        _, kind, identifier, _, _, data, mask, compare, compare_mask = struct.unpack('>3sBIIQQQQQ', request)
        old = int.from_bytes(region.octets[at:at + 8], sys.byteorder)
        if kind & 15 == 0:
            new = masked_add(old, data, mask)
        else:
            new = old if (compare ^ old) & compare_mask else (old & ~mask) | (data & mask)
        region.octets[at:at + 8] = new.to_bytes(8, sys.byteorder)
        self.answered()
        yield from self.untagged(ATOMIC_RESPONSE, struct.pack('>IQ', identifier, old))

    def terminate(self, fault):
        """RFC 5040 section 4.8."""
        segment = fault.segment
        header = segment[:14 if segment and segment[0] & 0x80 else 18]
        payload = struct.pack('>BBBB', *fault.numbers, (0xC0 if segment else 0) | (0x20 if fault.read else 0), 0)
        if segment:
            payload += struct.pack('>H', len(segment)) + header + fault.read
        for ulpdu in self.untagged(TERMINATE, payload):
            self.mpa.send(ulpdu)

    def sender(self):
        message = None
        try:
            while True:
                with self.cond:
                    while not (self.over or self.fault):
                        message = message or self.next_message()
                        if message or self.closing:
                            break
                        self.cond.wait()
                    if self.over or self.fault or not message:
                        break
                try:
                    ulpdu = next(message, None)
                except Fault as fault:
                    self.fail(fault)
                    break
                if ulpdu is None:
                    message = None
                else:
                    self.mpa.send(ulpdu)
            if self.fault and self.may_send and not wrong('no-terminate'):
                self.terminate(self.fault)
            if self.fault and wrong('terminate-then-silence'):
                time.sleep(3600)
            if not self.over:
                self.mpa.sock.shutdown(1)
        except (Lost, OSError):
            self.end(False)

    # Receiving

    def fail(self, fault):
        if wrong('dies') and fault.numbers == (0x12, 0x01):
            os._exit(1)
        with self.cond:
            self.fault = self.fault or fault
            self.cond.notify_all()

    def end(self, clean):
        with self.cond:
            self.over, self.clean = True, clean and not self.over and not self.fault
            self.cond.notify_all()

    def run(self, program):
        """Full operation, to its end. program is called in a thread of its own."""
        threads = [threading.Thread(target=self.sender, daemon=True), threading.Thread(target=program, daemon=True)]
        for thread in threads:
            thread.start()
        try:
            while True:
                ulpdu = self.mpa.receive()
                if ulpdu is None:
                    break
                with self.cond:
                    self.may_send = True  # RFC 5044 section 7.1.2 (4)
                    self.cond.notify_all()
                    if not self.fault:
                        self.segment(ulpdu)
            with self.cond:
                self.clean = not any(self.parts)
                self.ended = True
                self.cond.notify_all()
            for thread in reversed(threads):
                thread.join()
        except Fault as fault:
            self.fail(fault)
            threads[0].join(3600 if wrong('terminate-then-silence') else PATIENCE)
            self.discard()
        except Lost:
            pass
        self.end(self.clean)
        with contextlib.suppress(OSError):
            self.mpa.sock.shutdown(2)  # a sender that the peer keeps waiting
        for thread in threads:
            thread.join(PATIENCE)
        self.mpa.sock.close()

    def discard(self):
        """RFC 5040 section 6.2.1: so that the Terminate arrives."""
        self.mpa.deadline = time.monotonic() + PATIENCE
        try:
            while True:
                self.mpa.take(1)
        except Lost:
            pass

    def segment(self, u):
        if len(u) < 2:
            raise Fault(0, 2, 0xFF)
        tagged, last, opcode = u[0] >> 7, bool(u[0] & 0x40), u[1] & 15
        whole = len(u) >= (14 if tagged else 18)
        if u[0] & 3 != 1:
            raise Fault(1, 1 if tagged else 2, 4 if tagged else 6, u if whole else b'')
        if not whole:
            raise Fault(0, 2, 0xFF)
        if u[1] >> 6 != 1:
            raise Fault(0, 2, 5, u)
        if opcode > self.config.opcodes or tagged != (opcode in (WRITE, READ_RESPONSE)):
            raise Fault(0, 2, 6, u)
        if tagged:
            stag, to = struct.unpack('>IQ', u[2:14])
            if opcode == WRITE:
                self.place(u, stag, to)
            else:
                self.response(u, stag, to, last)
        else:
            self.queued(u, opcode, last)

    def region(self, u, stag, to, length, right, layer, codes, read=b''):
        """Checks an access to memory; codes are those for unknown, another's, no right, wrapped, out of bounds."""
        region = REGIONS.get(stag)
        if not region:
            raise Fault(layer, 1, 2 if wrong('bad-stag-code') and layer else codes[0], u, read)
        if region.owner is not self:
            raise Fault(layer, 1, codes[1], u, read)
        if right not in region.rights:
            raise Fault(layer, 1, codes[2], u, read)
        if to + length >= 2**64:
            raise Fault(layer, 1, codes[3], u, read)
        if to < region.to or to + length > region.to + len(region.octets) + (1 if wrong('bounds-by-one') and layer else 0):
            raise Fault(layer, 1, codes[4], u, read)
        return region

    def place(self, u, stag, to):
        if len(u) > 14:
            region = self.region(u, stag, to, len(u) - 14, 'w', 1, (0, 2, 0, 3, 1))
            region.octets[to - region.to:to - region.to + len(u) - 14] = u[14:]

    def response(self, u, stag, to, last):
        work, length = self.awaited[0] if self.awaited else None, len(u) - 14
        if not work or work.opcode != READ:
            raise Fault(0, 2, 6, u)
        if length and stag != work.sink.stag:
            raise Fault(1, 1, 0, u)
        if work.got + length > work.length or (length and to != work.sink.to + work.at + work.got):
            raise Fault(1, 1, 1, u)
        work.sink.octets[work.at + work.got:work.at + work.got + length] = u[14:]
        work.got += length
        if last:
            if work.got != work.length:
                raise Fault(0, 2, 0xFF, u)
            self.arrived()

    def arrived(self):
        self.awaited.popleft().done = True
        self.completed()

    def queued(self, u, opcode, last):
        stag, queue, msn, mo = struct.unpack('>IIII', u[2:18])
        if opcode == TERMINATE:  # good or bad, it is not answered
            self.closing = True
            raise Lost('a Terminate')
        if queue != QUEUE[opcode]:
            raise Fault(1, 2, 1, u)
        if msn != self.msn_in[queue]:
            raise Fault(1, 2, 3, u)
        if not self.parts[queue]:
            if not (self.posted, self.serving < self.ird, 0, self.awaited and self.awaited[0].opcode == ATOMIC)[queue]:
                raise Fault(1, 2, 2, u)
            self.posted -= queue == 0
            self.parts[queue] = opcode, bytearray()
        first, octets = self.parts[queue]
        if opcode != first:
            raise Fault(0, 2, 6, u)
        if mo != len(octets):
            raise Fault(1, 2, 4, u)
        if mo + len(u) - 18 > (RECEIVE_SIZE if queue == 0 else FIXED[opcode]):
            raise Fault(1, 2, 5, u)
        octets += u[18:]
        if last:
            self.parts[queue], self.msn_in[queue] = None, msn + 1 & 0xFFFFFFFF
            if len(octets) != FIXED.get(opcode, len(octets)):
                raise Fault(0, 2, 0xFF, u)
            self.deliver(u, opcode, bytes(octets), stag)

    def deliver(self, u, opcode, octets, stag):
        if opcode == READ:
            _, _, size, source, to = struct.unpack('>IQIIQ', octets)
            if size:
                self.region(u, source, to, size, 'r', 0, (0, 3, 2, 4, 1), octets)
            self.serving += 1
            self.responses.append(lambda: self.read_response(u[:18] + octets))
        elif opcode == ATOMIC:
            kind, stag, to = octets[3] & 15, *struct.unpack('>IQ', octets[8:20])
            region = self.region(u, stag, to, 8, 'a', 0, (0, 3, 2, 4, 1))
            if to % 8:
                raise Fault(0, 2, 7, u)
            if kind not in (0, 2):
                raise Fault(0, 2, 6, u)
            self.serving += 1
            self.responses.append(lambda: self.atomic_response(region, to - region.to, octets))
        elif opcode == ATOMIC_RESPONSE:
            work = self.awaited[0]
            if octets[:4] != work.atomic[4:8]:
                raise Fault(0, 2, 0xFF, u)
            work.sink.octets[work.at:work.at + 8] = octets[4:]
            self.arrived()
        else:
            if opcode in (4, 6):  # Send with Invalidate
                region = REGIONS.get(stag)
                if not region or region.owner is not self or not region.revocable:
                    raise Fault(0, 1, 9, u)
                region.revoke()
            self.posted += self.posted < self.keep
            if self.absorb and not octets and opcode == SEND and not self.delivered:
                return  # RFC 6581 section 9.2: the Ready-to-Receive message
            self.delivered += 1
            self.good += 1
            self.messages.append(octets)
        self.cond.notify_all()
