"""The authenticated envelope, Kind 9 (docs/draft-jwarp-datagram-iwarp-keys-00.md)."""
import base64
import hmac
import ipaddress
import os
import struct
import time

from gcm import Gcm
from wire import Drop, G, crc32c, seal

KIND_OCTET, SHIM, REST, TAG, OVERHEAD, GREETING = 0x19, 24, 60, 16, 52, 112
NOBODY, NONE, T_GREET, T_HOLD = bytes(8), bytes(16), 0.2, 1
SHORTEST, T_FRESH, WINDOW, EPOCH = REST + TAG + 4, 300, 1024, 22
ALGORITHMS = {'hmac-sha-256': 1, 'aes-128-gcm': 2}


class Key:
    def __init__(self, words):
        number, use, secret, peers, *more = words.split()  # this side heeds no lifetimes
        self.algorithm = ALGORITHMS[next((word for word in more if '=' not in word), 'aes-128-gcm')]
        how, text = secret.split(':', 1)
        self.id, self.sends = int(number, 0), use == 'send'
        secret = {'hex': bytes.fromhex, 'base64': base64.b64decode}[how](text)
        self.extracted, self.derived = hmac.digest(b'datagram-iwarp 1', secret, 'sha256'), {}
        self.peers = None if peers == 'any' else [ipaddress.ip_network(p) for p in peers.split(',')]

    def for_peer(self, address):
        ip = ipaddress.ip_address(address.split('%')[0])
        return self.peers is None or any(ip in p for p in self.peers)

    def traffic(self, octets):
        """The traffic key of an envelope, and its nonce."""
        origin, sequence = struct.unpack_from('>8sQ', octets, 32)
        info = struct.pack('>BI8sQB', self.algorithm, self.id, origin, sequence >> EPOCH, 1)
        if info not in self.derived:
            key = hmac.digest(self.extracted, info, 'sha256')
            self.derived[info] = key if self.algorithm == 1 else Gcm(key[:16])
        return self.derived[info], struct.pack('>IQ', 0, sequence)

    def protect(self, octets):
        """An envelope up to its tag, from its octets up to there."""
        key, nonce = self.traffic(octets)
        if self.algorithm == 1:
            return octets + hmac.digest(key, octets, 'sha256')[:TAG]
        return octets[:REST] + key.seal(nonce, octets[:REST], octets[REST:])

    def restore(self, octets):
        """What was protected; None if the tag is wrong."""
        if self.algorithm == 1:
            return octets[:-TAG] if hmac.compare_digest(self.protect(octets[:-TAG]), octets) else None
        key, nonce = self.traffic(octets)
        rest = key.open(nonce, octets[:REST], octets[REST:])
        return None if rest is None else octets[:REST] + rest


def read_keys(file):
    with open(file, encoding='utf-8') as lines:
        return [Key(line) for line in map(str.strip, lines) if line and not line.startswith('#')]


class Sealing:
    """What a port with keys has between its socket and the rest: its origin, a number for each envelope, what has come, and whom it knows."""

    def __init__(self, keys, output, clock=time.time):
        self.keys, self.output, self.clock, self.origin, self.began = keys, output, clock, os.urandom(8), int(clock())
        self.sent, self.windows, self.known, self.held, self.secret = 0, {}, {}, {}, os.urandom(32)

    def send(self, octets, to):
        """Sends a datagram in an envelope, at once or when its receiver is known."""
        if to in self.known or ipaddress.ip_address(to[0].split('%')[0]).is_multicast:
            return self.output(self.wrap(octets, to, self.known.get(to, NOBODY)), to)
        asked, waiting = self.held.get(to, (0, []))
        if self.clock() - asked >= T_GREET:
            asked = self.clock()
            self.greet(to, self.number(to), NONE, NOBODY)
        self.held[to] = asked, [(at, o) for at, o in waiting + [(self.clock(), bytes(octets))] if self.clock() - at < T_HOLD]
        return None

    def wrap(self, octets, to, receiver):
        key = next(k for k in self.keys if k.sends and k.for_peer(to[0]))
        self.sent += 1
        return self.build(octets, key, self.origin, self.sent, int(self.clock()), receiver)

    def number(self, to):
        """What only a port that receives datagrams at this address can answer."""
        return hmac.digest(self.secret, repr(to).encode(), 'sha256')[:16]

    def greet(self, to, asks, answers, receiver):
        self.output(self.wrap(self.greeting(asks, answers), to, receiver), to)

    @staticmethod
    def greeting(asks, answers):
        """A greeting, as if it were a datagram."""
        return bytes(SHIM) + asks + answers + bytes(4)

    def greeted(self, plain, origin, receiver, source):
        asks, answers = plain[REST:REST + 16], plain[REST + 16:]
        if receiver == self.origin and hmac.compare_digest(answers, self.number(source)):
            self.known[source] = origin
            for _, octets in self.held.pop(source, (0, []))[1]:
                self.send(octets, source)
        if asks != NONE:
            self.greet(source, NONE if self.known.get(source) == origin else self.number(source), asks, origin)

    @staticmethod
    def build(octets, key, origin, sequence, now, receiver):
        octets = bytes(octets)
        fields = struct.pack('>IBBH8sQI8s', key.id, octets[0], key.algorithm, len(octets) + OVERHEAD, origin, sequence, now & 0xFFFFFFFF,
                             receiver)
        covered = bytes([KIND_OCTET]) + octets[1:SHIM] + fields + octets[SHIM:-4]
        return seal(key.protect(covered))

    def unwrap(self, octets, source, group=None):
        """The datagram within; raises Drop. The checks are in the order of the document."""
        if len(octets) < 28:
            raise Drop('rx_short')
        if crc32c(octets[:-4]) != struct.unpack('<I', octets[-4:])[0]:
            raise Drop('rx_crc')
        if octets[0] != KIND_OCTET:
            raise Drop('rx_unsealed')
        if len(octets) < SHORTEST:
            raise Drop('rx_short')
        number, first, algorithm, length, origin, sequence, stated, receiver = struct.unpack_from('>IBBH8sQI8s', octets, SHIM)
        if length != len(octets) or first == 0 and (length != GREETING or any(octets[1:SHIM])):
            raise Drop('rx_malformed')
        key = next((k for k in self.keys if k.id == number and k.for_peer(source[0])), None)
        plain = key.restore(octets[:-4]) if key and algorithm == key.algorithm else None
        if plain is None:
            raise Drop('rx_seal_bad')
        if origin == self.origin and not octets[4] & G:  # a member of a group hears itself
            raise Drop('rx_seal_replay')
        if (number, origin) not in self.windows:
            now = int(self.clock())
            at = now + (stated - now + 2**31) % 2**32 - 2**31
            if not max(self.began, now - T_FRESH) <= at <= now + T_FRESH:
                raise Drop('rx_seal_late')
        latest = self.windows.setdefault((number, origin), {})
        if not latest.get(sequence % WINDOW, 0) < sequence < 2**63:
            raise Drop('rx_seal_replay')
        latest[sequence % WINDOW] = sequence
        mine = receiver == (NOBODY if octets[4] & G else self.origin) or first == 0 and receiver == NOBODY
        if not mine or group and first == 0:
            if not group and length >= GREETING and self.clock() - latest.get('asked', 0) >= T_GREET:
                latest['asked'] = self.clock()
                self.greet(source, self.number(source), NONE, NOBODY)
            raise Drop('rx_seal_other')
        if first == 0:
            self.greeted(plain, origin, receiver, source)
            raise Drop('rx_greeting')
        return seal(bytes([first]) + plain[1:SHIM] + plain[REST:])
