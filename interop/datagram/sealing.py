"""The authenticated envelope, Kind 9 (section 4.8 of docs/draft-jwarp-datagram-iwarp-00.md): the standard library's HMAC-SHA-256."""
import base64
import hmac
import ipaddress
import os
import struct
import time

from wire import Drop, G, crc32c, seal

KIND_OCTET, SHIM, REST, TAG, OVERHEAD = 0x19, 24, 52, 16, 44
SHORTEST, ALGORITHM, T_FRESH, WINDOW = REST + TAG + 4, 1, 300, 1024


class Key:
    def __init__(self, words):
        number, use, secret, peers = words.split()
        how, text = secret.split(':', 1)
        self.id, self.sends = int(number, 0), use == 'send'
        self.secret = {'hex': bytes.fromhex, 'base64': base64.b64decode}[how](text)
        self.peers = None if peers == 'any' else [ipaddress.ip_network(p) for p in peers.split(',')]

    def for_peer(self, address):
        ip = ipaddress.ip_address(address.split('%')[0])
        return self.peers is None or any(ip in p for p in self.peers)

    def tag(self, octets):
        return hmac.new(self.secret, octets, 'sha256').digest()[:TAG]


def read_keys(file):
    with open(file, encoding='utf-8') as lines:
        return [Key(line) for line in map(str.strip, lines) if line and not line.startswith('#')]


class Sealing:
    """What a port with keys has between its socket and the rest: its origin, a number for each key, and what has come."""

    def __init__(self, keys, clock=time.time):
        self.keys, self.clock, self.origin, self.began = keys, clock, os.urandom(8), int(clock())
        self.sent, self.windows = {}, {}

    def wrap(self, octets, to):
        key = next(k for k in self.keys if k.sends and k.for_peer(to[0]))
        self.sent[key.id] = self.sent.get(key.id, 0) + 1
        return self.build(octets, key, self.origin, self.sent[key.id], int(self.clock()))

    @staticmethod
    def build(octets, key, origin, sequence, now):
        octets = bytes(octets)
        fields = struct.pack('>IBBH8sQI', key.id, octets[0], ALGORITHM, len(octets) + OVERHEAD, origin, sequence, now & 0xFFFFFFFF)
        covered = bytes([KIND_OCTET]) + octets[1:SHIM] + fields + octets[SHIM:-4]
        return seal(covered + key.tag(covered))

    def unwrap(self, octets, source):
        """The datagram within; raises Drop. The checks are in the order of the document."""
        if len(octets) < 28:
            raise Drop('rx_short')
        if crc32c(octets[:-4]) != struct.unpack('<I', octets[-4:])[0]:
            raise Drop('rx_crc')
        if octets[0] != KIND_OCTET:
            raise Drop('rx_unsealed')
        if len(octets) < SHORTEST:
            raise Drop('rx_short')
        number, first, algorithm, length, origin, sequence, stated = struct.unpack_from('>IBBH8sQI', octets, SHIM)
        if length != len(octets):
            raise Drop('rx_malformed')
        key = next((k for k in self.keys if k.id == number and k.for_peer(source[0])), None)
        if key is None or algorithm != ALGORITHM or not hmac.compare_digest(key.tag(octets[:-20]), octets[-20:-4]):
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
        return seal(bytes([first]) + octets[1:SHIM] + octets[REST:-20])
