#!/usr/bin/env python3
"""An iWARP device in Python with the conformance target above it (docs/conformance/target.md). Only for tests: whoever can connect can
read and write its memory."""
import argparse
import collections
import functools
import socket
import struct
import sys
import threading
import time

import mpa
from mpa import Fault, Lost
from rdmap import (ATOMIC, IMMEDIATE, READ, RECEIVE_SIZE, REGIONS, SEND, WRITE, Region, Stream, Work)

Config = collections.namedtuple('Config', 'markers crc peer_to_peer rtr revision emss ird ord opcodes takes')
USUAL = Config(markers=0, crc=1, peer_to_peer=0, rtr=7, revision=2, emss=0, ird=8, ord=8, opcodes=11, takes=0)
# emss 0: TCP's; opcodes: the highest one it has; takes: a revision of Requests that it reads as its own, which is lower
SETTINGS = 'markers', 'crc', 'rtr', 'revision', 'emss', 'ird', 'ord', 'opcodes', 'takes'
KINDS = (('rwa', 1 << 20), ('r', 1 << 16), ('w', 1 << 16), ('', 1 << 16), ('rwa', 1 << 16))  # the last of another domain
DONE, UNABLE, FAILED = 0, 1, 2
SHOWN, KEPT = 2048, 65536
OPCODES = (SEND, SEND + 2, SEND + 1, SEND + 3, IMMEDIATE, IMMEDIATE + 1)  # by the kinds of SENDS
FEATURE = {3: 1, 4: 2, 5: 3, 6: 4, 7: 11, 8: 7, 9: 8, 10: 14, 11: 12, 12: 15, 13: 9}  # the bit of each order that has one
Order = collections.namedtuple('Order', 'number tag a b c d data')

UNABLE_TO = set()  # orders
endings = collections.OrderedDict()  # by port: what END tells, and memory
one_ended = threading.Condition()
quiet = True


def note(words):
    if not quiet:
        print(words, file=sys.stderr, flush=True)


ROWS = [bytes((7 * k + first) & 255 for k in range(256)) for first in range(256)]


def pattern(length, i):
    return b''.join(ROWS[(31 * i + 13 * row + 1) & 255] for row in range(-(-length // 256)))[:length]


SOURCE = pattern(KINDS[1][1], 0)


def described(region):
    return struct.pack('>IIQQ', region.stag, 0, region.to, len(region.octets))


def awaited(port):
    """How a connection ended; None if it has not within 5 seconds."""
    with one_ended:
        one_ended.wait_for(lambda: port in endings, 5)
        return endings.get(port)


class Conversation:
    def __init__(self, stream, target, greeting):
        self.stream, self.target, self.greeting = stream, target, greeting
        self.regions = [Region(stream, length, rights) for rights, length in KINDS]
        self.regions[1].octets[:] = SOURCE
        self.regions[4].owner = None

    def run(self):
        stream = self.stream
        if self.greeting:
            self.hello(Order(1, 0, 0, 0, 0, 0, b''))
        while True:
            with stream.cond:
                stream.cond.wait_for(lambda: stream.messages or stream.over or stream.ended or stream.fault or stream.closing)
                if not stream.messages or stream.over or stream.fault or stream.closing:
                    stream.closing = True
                    stream.cond.notify_all()
                    return
                octets = stream.messages.popleft()
            if len(octets) < 32 or octets[:4] != b'JCT1':
                self.answer(Order(0, 0, 0, 0, 0, 0, b''), UNABLE)
                continue
            order = Order(*struct.unpack('>HHIIQQ', octets[4:32]), octets[32:])
            carry_out = self.ORDERS.get(order.number)
            able = order.number not in UNABLE_TO and (order.number not in FEATURE or self.target.features >> FEATURE[order.number] & 1)
            if not carry_out or not able or order.b > 100000 or (order.number in (3, 4, 5) and order.a * order.b > 1 << 26):
                self.answer(order, UNABLE)
            else:
                carry_out(self, order)

    def answer(self, order, status=DONE, number=0, data=b''):
        head = b'JCR1' + struct.pack('>HHIIQQ', order.number, order.tag, status, 0, number, 0)
        self.stream.post(Work(SEND, head + data))

    def all_done(self):
        stream = self.stream
        with stream.cond:
            stream.cond.wait_for(lambda: not stream.works or stream.over or stream.ended or stream.fault)
            return not stream.works

    def hello(self, order):
        data = struct.pack('>II', self.target.features, RECEIVE_SIZE)
        for i, region in enumerate(self.regions):
            data += described(region) if self.target.features >> min(4 + i, 6) & 1 else bytes(24)
        self.answer(order, data=data)

    def echo(self, order):
        self.answer(order, data=order.data)

    def sends(self, order):
        for i in range(order.b):
            opcode = OPCODES[order.c]
            stag = order.d & 0xFFFFFFFF if order.c in (2, 3) else 0
            self.stream.post(Work(opcode, pattern(8 if order.c > 3 else order.a, i), stag))

    def writes(self, order):
        for i in range(order.b):
            self.stream.post(Work(WRITE, pattern(order.a, i), order.d & 0xFFFFFFFF, order.c + i * order.a))
        self.answer(order)

    def reads(self, order):
        sink = Region(self.stream, order.a * order.b)
        for i in range(order.b):
            self.stream.post(Work(READ, b'', order.d & 0xFFFFFFFF, order.c + i * order.a, sink=sink, at=i * order.a, length=order.a))
        if self.all_done():
            last = order.a * (order.b - 1)
            self.answer(order, data=bytes(sink.octets[last:last + min(order.a, SHOWN)]))

    def peek(self, order):
        length = min(order.a, SHOWN)
        if not order.d:
            self.answer(order, data=bytes(self.regions[0].octets[order.c:order.c + length]))
            return
        ending = awaited(order.d)
        self.answer(order, DONE if ending else FAILED, 0, ending[1][order.c:order.c + length] if ending else b'')

    def receives(self, order):
        with self.stream.cond:
            self.stream.keep = order.a
            posted = self.stream.posted
        self.answer(order, number=posted)

    def deregister(self, order):
        if order.a >= len(KINDS):
            self.answer(order, UNABLE)
            return
        with self.stream.cond:
            self.regions[order.a].revoke()
        self.answer(order)

    def revocable(self, order):
        self.answer(order, data=described(Region(self.stream, 4096, 'rwa', revocable=True)))

    def close(self, order):
        self.sends(order._replace(a=64, b=order.a, c=0))
        with self.stream.cond:
            self.stream.closing = True
            self.stream.cond.notify_all()

    def end(self, order):
        ending = awaited(order.d)
        self.answer(order, DONE if ending else FAILED, 0, struct.pack('>6I', *ending[0]) if ending else b'')

    def configure(self, order):
        flags = order.a
        config = Config(flags & 1, flags >> 1 & 1, flags >> 2 & 1, flags >> 4 & 7 or 7, flags >> 8 & 15 or 2, order.b, order.c, order.d,
                        self.target.usual.opcodes, 0)
        self.answer(order, number=self.target.configure(config))

    def atomic(self, order):
        data, mask, compare, compare_mask = struct.unpack('>4Q', order.data[:32])
        if order.a == 0:
            compare, compare_mask = 0, 2**64 - 1
        sink = Region(self.stream, 8)
        for i in range(order.b or 1):
            request = struct.pack('>IIIQQQQQ', order.a, i + 1, order.d & 0xFFFFFFFF, order.c, data, mask, compare, compare_mask)
            self.stream.post(Work(ATOMIC, sink=sink, atomic=request))
        if self.all_done():
            self.answer(order, number=int.from_bytes(sink.octets, 'big'))

    def keep(self, port):
        """It has ended: what others may ask about it."""
        stream = self.stream
        for region in [r for r in REGIONS.values() if r.owner is stream or r is self.regions[4]]:
            region.revoke()
        with one_ended:
            numbers = stream.delivered, stream.good, 0, len(stream.works) + stream.posted, 0, int(stream.clean)
            endings[port] = numbers, bytes(self.regions[0].octets[:KEPT])
            while len(endings) > 64:
                endings.popitem(last=False)
            one_ended.notify_all()

    ORDERS = {1: hello, 2: echo, 3: sends, 4: writes, 5: reads, 6: peek, 7: receives, 8: deregister, 9: revocable, 10: close, 11: end,
              12: configure, 13: atomic}


class Target:
    def __init__(self, address, connects, usual, features):
        self.address, self.connects, self.usual, self.features, self.next = address, connects, usual, features, None

    def configure(self, config):
        if self.connects:
            self.next = config
            return 0
        listener = listening(self.address[0], 0)
        listener.settimeout(10)
        threading.Thread(target=self.serve, args=(listener, config, 1), daemon=True).start()
        return listener.getsockname()[1]

    def serve(self, listener, config, most=None):
        served = 0
        while served != most:
            try:
                sock, address = listener.accept()
            except OSError:
                break
            sock.setblocking(True)
            served += 1
            conversation = threading.Thread(target=self.converse, args=(sock, config, address[1]), daemon=True)
            conversation.start()
        listener.close()
        if served:
            conversation.join()

    def converse(self, sock, config, port):
        """A whole connection; port is that of the end that connected."""
        stream = Stream(sock, config, self.connects)
        conversation = None  # it has memory: not before there is a Request

        def requested(private):
            nonlocal conversation
            conversation = Conversation(stream, self, private.startswith(b'send-first'))
            return private.startswith(b'refuse'), private[:508]

        try:
            if self.connects:
                conversation = Conversation(stream, self, True)
                agreed = stream.connect(b'jct1', lambda private: not private.startswith(b'refuse'))
            else:
                agreed = stream.accept(requested)
            if agreed:
                stream.run(conversation.run)
        except (Lost, OSError) as e:
            note('port %d: %s' % (port, e))
        except Fault as fault:  # the word of RFC 6581 in a Reply
            stream.fail(fault)
            stream.sender()
            stream.discard()
        finally:
            sock.close()
            note('port %d ended: fault %s, clean %s' % (port, stream.fault, stream.clean))
            if conversation:
                conversation.keep(port)

    def connect(self, most):
        served = 0
        while served != most:
            config, self.next = self.next or self.usual, None
            try:
                sock = socket.create_connection(self.address, 2)
                sock.settimeout(None)
            except OSError:
                self.next = None if config is self.usual else config
                time.sleep(0.02)
                continue
            served += 1
            self.converse(sock, config, sock.getsockname()[1])


def listening(host, port):
    listener = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(64)
    return listener


def main():
    global quiet
    parser = argparse.ArgumentParser(description=__doc__)
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument('--listen', metavar='ADDRESS:PORT', help='until it is killed; port 0: any, it is printed')
    way.add_argument('--connect', metavar='ADDRESS:PORT', help='again and again, until it is killed')
    parser.add_argument('--wrong', metavar='NAME', action='append', default=[], help='does one thing wrong: a name of wrong.tsv')
    parser.add_argument('--connections', metavar='N', type=int, help='ends after so many')
    parser.add_argument('--slow', metavar='SECONDS', type=float, default=0.0, help='waits so long before whatever it sends')
    parser.add_argument('--unable', metavar='ORDER', type=int, action='append', default=[], help='answers this order with status 1, whatever '
                        'its HELLO says')
    parser.add_argument('--verbose', action='store_true', help='says how connections end')
    number = functools.partial(int, base=0)
    for name in SETTINGS:
        parser.add_argument('--' + name, type=number, default=getattr(USUAL, name), help='of its usual configuration (%(default)s)')
    parser.add_argument('--features', type=number, default=0xFFFF, help='what it says in a HELLO that it can (%(default)#x)')
    options = parser.parse_args()
    quiet = not options.verbose
    mpa.WRONG.update(options.wrong)
    mpa.SLOW = options.slow
    UNABLE_TO.update(options.unable)
    host, _, port = (options.listen or options.connect).rpartition(':')
    usual = USUAL._replace(**{name: getattr(options, name) for name in SETTINGS})
    options.features &= 0xF9FF | (options.opcodes > 9) << 9 | (options.opcodes > 7) << 10
    target = Target((host.strip('[]') or '127.0.0.1', int(port)), bool(options.connect), usual, options.features)
    if options.connect:
        target.connect(options.connections)
        return
    listener = listening(*target.address)
    print('listening on port %d' % listener.getsockname()[1], flush=True)
    target.serve(listener, usual, options.connections)


if __name__ == '__main__':
    main()
