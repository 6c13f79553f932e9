"""Datagram-iWARP, version 1, on the wire: sections 4, 5.1 and 5.2 of docs/draft-jwarp-datagram-iwarp-00.md, and nothing else."""
import ipaddress
import struct
from types import SimpleNamespace

DATA, NOTIFY, CHALLENGE, RESOLVE, RESOLVED, RD_OPEN, RD_ACCEPT, RD_ACK, RD_RESET = range(9)
PATH_PROBE, PATH_REPLY = 11, 12
VERSION_LIST = 15
KINDS = ['DATA', 'NOTIFY', 'CHALLENGE', 'RESOLVE', 'RESOLVED', 'RD-OPEN', 'RD-ACCEPT', 'RD-ACK', 'RD-RESET', None, None,
         'PATH-PROBE', 'PATH-REPLY']
KNOWN = set(range(9)) | {PATH_PROBE, PATH_REPLY}
R, C, D, G, A, P = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_SE, WRITE_RECORD = 0, 1, 2, 3, 5, 15
TAGGED = {WRITE: True, READ_REQUEST: False, READ_RESPONSE: True, SEND: False, SEND_SE: False, WRITE_RECORD: True}
RESOLVER_KEY, GROUP_QPN, RESOLVER_QPN = 0x80010000, 0xFFFFFF, 1


def _table():
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        yield n


_CRC = tuple(_table())


def crc32c(octets):
    crc, table = 0xFFFFFFFF, _CRC
    for octet in octets:
        crc = crc >> 8 ^ table[(crc ^ octet) & 0xFF]
    return crc ^ 0xFFFFFFFF


def seal(octets):
    """The octets with their CRC behind, least significant octet first (4.1)."""
    return bytes(octets) + struct.pack('<I', crc32c(octets))


class Drop(Exception):
    """A check of section 5 failed: the counter it moves, and the code of the NOTIFY or the name of the answer, if any."""

    def __init__(self, counter, answer=None):
        super().__init__(counter, answer)
        self.counter, self.answer = counter, answer


class Datagram(SimpleNamespace):
    """A datagram by its fields, named as in section 4; fields that its Kind has not are absent."""

    def has(self, flag):
        return bool(self.flags & flag)

    def reply(self, kind, key_=None, **fields):
        """The reply of this Kind: QPNs crossed, Message Id copied, and Key too if it is no tag (4.2, 4.3)."""
        key = self.key if key_ is None else key_
        return Datagram(version=1, kind=kind, flags=R, dst=self.src, src=self.dst, key=key, mid=self.mid, **fields)


# ---------------------------------------------------------------------------------------------------- encoding
def _body(d):
    if d.kind == NOTIFY:
        return code_octets(d.code)
    if d.kind == CHALLENGE:
        return d.cookie_given
    if d.kind == RESOLVE:
        return struct.pack('>QBBHHH', d.service, d.types, 0, d.versions, len(d.private), 0) + d.private
    if d.kind == RESOLVED:
        return struct.pack('>BBHIIHHIIHH', d.status, d.type, d.versions, d.qpn, d.qkey, d.port, d.max_payload, d.max_message,
                           d.max_read, len(d.private), 0) + d.private
    if d.kind == RD_OPEN:
        return struct.pack('>IIIHHI', d.tag, d.first_psn, d.previous, d.window, 0, 0) + bytes(12)
    if d.kind == RD_ACCEPT:
        return struct.pack('>IIIHHI', d.tag, d.first_psn, d.ack, d.window, 0, 0) + bytes(12)
    if d.kind == RD_ACK:
        first, delay, echo, ecn, ce, ect, *duplicates = (
            getattr(d, name, 0) for name in ('first', 'delay', 'echo', 'ecn', 'ce', 'ect', 'duplicates', 'last_duplicate'))
        return struct.pack('>IHBBHHIIIII', d.ack, d.window, int(d.rnr) | int(ecn) << 1, len(d.sack), first, delay, echo, ce, ect,
                           *duplicates) + b''.join(w.to_bytes(8, 'big') for w in d.sack)
    if d.kind == RD_RESET:
        return struct.pack('>BBH', int(d.reflected), d.reason, 0) + code_octets(d.code)
    if d.kind == PATH_PROBE:
        return struct.pack('>IQHH', d.features, d.token, d.max_payload, 0) + bytes(d.pad)
    if d.kind == PATH_REPLY:
        return struct.pack('>IQHHIIIHH', d.features, d.token, d.received_length, d.max_payload, d.received, d.ce, d.ect, d.delay, 0)
    raise ValueError(d.kind)


def code_octets(code):
    """Terminate Control (RFC 5040 section 4.8): layer, type, code, 16 bits of zero."""
    layer, kind, number = code or (0, 0, 0)
    return bytes([layer << 4 | kind, number, 0, 0])


def encode(d):
    if d.kind == VERSION_LIST:
        head = struct.pack('>IIIIII', 0x0F << 24 | d.dst, R << 24 | d.src, d.key, d.mid, d.versions, 0)
        return seal(head)
    out = bytearray()
    if d.has(C):
        out += d.cookie
    if d.has(D) and d.kind == DATA:
        out += struct.pack('>IIHH', d.psn, d.ack, d.window, 0)
    index, size = getattr(d, 'index', 0), getattr(d, 'size', 0)
    if d.kind == DATA:
        length = d.length
        control = d.t << 7 | d.last << 6 | 1
        if d.t:
            out += struct.pack('>BBIQ', control, 0x40 | d.opcode, d.stag, d.to)
        else:
            out += struct.pack('>BBIIII', control, 0x40 | d.opcode, 0, d.qn, d.msn, d.mo)
        out += d.payload
        if d.has(P):
            out += bytes(size - len(d.payload))
    else:
        body = _body(d)
        length = len(body)
        out += body
        if d.kind == RESOLVE:
            out += bytes(284 - 24 - len(out))
    head = struct.pack('>IIIIIHH', (0x10 | d.kind) << 24 | d.dst, d.flags << 24 | d.src, d.key, d.mid, length, index, size)
    return seal(head + out)


def cut(opcode, payload, mid, shim, room, stag=0, to=0, padded=False):
    """The segments of a message (4.5). `shim`: the fields dst, src, key, flags; `room`: octets for payload in a datagram."""
    largest, length = room // 4 * 4, len(payload)
    size = length if length <= room else largest
    if padded:
        size = max(size, min(largest, (length + 8) // 4 * 4))
    count = -(-length // size) if length else 1
    segments = []
    for i in range(count):
        offset = i * size
        piece = bytes(payload[offset:offset + size])
        last = i == count - 1
        d = Datagram(version=1, kind=DATA, mid=mid, length=length, index=i, size=size, t=TAGGED[opcode], last=last,
                     opcode=opcode, payload=piece, **shim)
        if last and padded:
            d.flags |= P
        if d.t:
            d.stag, d.to = stag, (to + offset) % 2**64
        else:
            d.qn, d.msn, d.mo = (1 if opcode == READ_REQUEST else 0), mid, offset
        segments.append(d)
    return segments


# ---------------------------------------------------------------------------------------------------- decoding
_FLAGS = {RESOLVE: {0, C}, RD_OPEN: {0, C}, PATH_PROBE: {0, C, D, R}, PATH_REPLY: {R, R | D}}
_FIXED = {NOTIFY: 4, CHALLENGE: 16, RESOLVE: 16, RESOLVED: 28, RD_OPEN: 32, RD_ACCEPT: 32, RD_ACK: 32, RD_RESET: 8,
          PATH_PROBE: 32, PATH_REPLY: 32}


def decode(octets, source=('127.0.0.1', 1)):
    """Checks 1 to 5. Raises Drop. What it returns is to be believed as far as its form goes."""
    if len(octets) < 28:
        raise Drop('rx_short')
    if seal(octets[:-4]) != bytes(octets):
        raise Drop('rx_crc')
    first, second, key, mid, length, index, size = struct.unpack_from('>IIIIIHH', octets)
    d = Datagram(version=octets[0] >> 4, kind=octets[0] & 15, dst=first & 0xFFFFFF, src=second & 0xFFFFFF, flags=octets[4], key=key,
                 mid=mid, length=length, index=index, size=size)
    if d.version == 0 and d.kind == VERSION_LIST:
        if d.flags != R or index or size:
            raise Drop('rx_flags')
        if len(octets) != 28:
            raise Drop('rx_malformed')
        d.versions = length
        _legal_source(d, source)
        return d
    if d.version != 1:
        raise Drop('rx_version', ('version', d))
    if d.kind not in KNOWN:
        raise Drop('rx_kind')
    if d.kind == DATA:
        bad = d.flags & 0xC0 or d.has(C) and d.flags & (D | G | R) or d.has(D) and d.has(G) or d.has(G) and d.has(R) \
            or d.has(A) and not d.has(D)
    else:
        bad = d.flags not in _FLAGS.get(d.kind, {R})
    if bad or d.kind not in (DATA, NOTIFY) and (index or size):
        raise Drop('rx_flags')
    (_decode_data if d.kind == DATA else _decode_other)(d, octets)
    _legal_source(d, source)
    return d


def _legal_source(d, source):
    qp = 16 <= d.src <= 0xFFFFFE
    if d.kind in (RESOLVE, RESOLVED):
        legal = d.src == 1
    elif d.kind in (CHALLENGE, VERSION_LIST):
        legal = qp or d.src <= 1
    elif d.kind in (NOTIFY, PATH_REPLY) or d.kind in (DATA, PATH_PROBE) and d.has(R):
        legal = qp or d.src == 0 and not d.has(D)
    else:
        legal = qp
    address = ipaddress.ip_address(source[0].split('%')[0])
    if not legal or source[1] == 0 or address.is_multicast or str(address) == '255.255.255.255':
        raise Drop('rx_malformed')


def _decode_data(d, octets):
    at = 24
    if len(octets) < at + (16 if d.has(C) else 12 if d.has(D) else 0) + 1 + 4:
        raise Drop('rx_short')
    if d.has(C):
        d.cookie, at = bytes(octets[24:40]), 40
    if d.has(D):
        d.psn, d.ack, d.window, zero = struct.unpack_from('>IIHH', octets, 24)
        at = 36
    control = octets[at]
    d.t, d.last, d.dv = bool(control & 0x80), bool(control & 0x40), control & 3
    header = 14 if d.t else 18
    if len(octets) < at + header + 4:
        raise Drop('rx_short')
    if d.has(D) and (zero or not d.window):
        raise Drop('rx_malformed')
    d.rv, d.opcode = octets[at + 1] >> 6, octets[at + 1] & 15
    if d.t:
        d.stag, d.to = struct.unpack_from('>IQ', octets, at + 2)
    else:
        d.qn, d.msn, d.mo = struct.unpack_from('>III', octets, at + 6)
    d.rest = bytes(octets[at + header:-4])


def _decode_other(d, octets):
    at = 24
    if d.has(C):
        d.cookie, at = bytes(octets[24:40]), 40
    body, fixed = bytes(octets[at:-4]), _FIXED[d.kind]
    if len(octets) < at + fixed + 4 or d.kind == RESOLVE and len(octets) < 288:
        raise Drop('rx_short')
    zero, legal = 0, True
    if d.kind == NOTIFY:
        d.code, zero = (body[0] >> 4, body[0] & 15, body[1]), int.from_bytes(body[2:4], 'big')
    elif d.kind == CHALLENGE:
        d.cookie_given = body[:16]
    elif d.kind == RESOLVE:
        d.service, d.types, zero, d.versions, n, zero2 = struct.unpack_from('>QBBHHH', body)
        legal, zero, fixed = 1 <= d.types <= 3 and n <= 216, zero | zero2, fixed + n
        d.private = body[16:fixed]
    elif d.kind == RESOLVED:
        (d.status, d.type, d.versions, d.qpn, d.qkey, d.port, d.max_payload, d.max_message, d.max_read, n,
         zero) = struct.unpack_from('>BBHIIHHIIHH', body)
        if d.status:
            legal = not any(body[4:24]) and not d.type and d.status <= 5
        else:
            legal = d.type in (1, 2) and 16 <= d.qpn <= 0xFFFFFE
        legal, fixed = legal and n <= 216, fixed + n
        d.private = body[28:fixed]
    elif d.kind == RD_OPEN:
        d.tag, d.first_psn, d.previous, d.window, zero, d.features = struct.unpack_from('>IIIHHI', body)
        legal = d.tag and d.window
    elif d.kind == RD_ACCEPT:
        d.tag, d.first_psn, d.ack, d.window, zero, d.features = struct.unpack_from('>IIIHHI', body)
        legal = d.tag and d.window
    elif d.kind == RD_RESET:
        d.reflected, d.reason, zero = struct.unpack_from('>BBH', body)
        d.code, zero2 = (body[4] >> 4, body[4] & 15, body[5]), int.from_bytes(body[6:8], 'big')
        legal = d.reflected <= 1 and 1 <= d.reason <= 4 and (d.reason == 2 or not any(body[4:8]))
        zero |= zero2
    elif d.kind == RD_ACK:
        (d.ack, d.window, flags, n, d.first, d.delay, d.echo, d.ce, d.ect, d.duplicates,
         d.last_duplicate) = struct.unpack_from('>IHBBHHIIIII', body)
        d.rnr, d.ecn, zero, fixed = bool(flags & 1), bool(flags & 2), flags & 0xFC, fixed + 8 * n
        legal = d.window and n <= 128 and d.first + n <= 1024 and (d.ecn or not d.ce | d.ect)
        d.sack = [int.from_bytes(body[32 + 8 * w:40 + 8 * w], 'big') for w in range(n)]
    elif d.kind == PATH_PROBE:
        d.features, d.token, d.max_payload, zero = struct.unpack_from('>IQHH', body)
        d.pad, fixed = len(body) - 16, max(fixed, d.length)
        if len(body) < fixed:
            raise Drop('rx_short')
    elif d.kind == PATH_REPLY:
        (d.features, d.token, d.received_length, d.max_payload, d.received, d.ce, d.ect, d.delay,
         zero) = struct.unpack_from('>IQHHIIIHH', body)
    if zero or not legal or d.length != fixed:
        raise Drop('rx_malformed')
    stated = 288 if d.kind == RESOLVE else at + fixed + 4
    if len(octets) != stated:
        raise Drop('rx_short' if len(octets) < stated else 'rx_malformed')


def check_data(d, longest):
    """Checks 11 to 15. Leaves payload, base (TO of segment 0) and count (number of segments) in the datagram."""
    if d.dv != 1:
        raise Drop('ddp_version', (1, 1, 4) if d.t else (1, 2, 6))
    if d.rv != 1:
        raise Drop('rdmap_version', (0, 2, 5))
    if d.opcode not in TAGGED or TAGGED[d.opcode] != d.t or d.has(R) != (d.opcode == READ_RESPONSE) \
            or d.opcode == WRITE and not d.has(D) or d.has(G) and d.opcode not in (SEND, SEND_SE, WRITE_RECORD):
        raise Drop('rdmap_opcode', (0, 2, 6))
    offset = d.index * d.size
    if not d.t:
        if d.qn != (1 if d.opcode == READ_REQUEST else 0):
            raise Drop('ddp_qn', (1, 2, 1))
        if d.msn != d.mid or d.mo != offset:
            raise Drop('ddp_mo', (1, 2, 4))
    d.count = 1 if d.length == 0 else -(-d.length // d.size) if d.size else 0
    n = min(d.size, d.length - offset)
    shaped = d.index < d.count and d.last == (d.index == d.count - 1) and (d.last or not d.has(P))
    if d.count > 1:
        shaped = shaped and d.size >= 256 and d.size % 4 == 0 and d.count <= 65536
    else:
        shaped = shaped and (d.size == d.length or d.size >= d.length and d.has(P))
    if not shaped or len(d.rest) != (d.size if d.has(P) or not d.last else n):
        raise Drop('seg_shape')
    d.payload = d.rest[:n]
    d.base = (d.to - offset) % 2**64 if d.t else 0
    if d.opcode != READ_RESPONSE and d.length > (min(longest, 65536) if d.has(G) else longest):
        raise Drop('msg_too_long', (1, 2, 5) if d.opcode in (SEND, SEND_SE) else (2, 1, 2))
