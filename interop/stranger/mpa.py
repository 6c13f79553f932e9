"""MPA over a TCP socket: start-up frames, FPDUs, Markers, CRC32C. Written from RFC 5044 and RFC 6581."""
import socket
import struct
import time

SLOW = 0.0  # seconds before whatever it sends
WRONG = set()  # names of wrong.tsv: what this peer does wrong on purpose


def wrong(name):
    return name in WRONG


REQUEST, REPLY = b'MPA ID Req Frame', b'MPA ID Rep Frame'
M, C, R, S = 0x80, 0x40, 0x20, 0x10
ANY = 0x3FFF  # RFC 6581 section 9.1: a depth that is not negotiated
PATIENCE = 5  # seconds

# CRC32C of each octet alone, of each pair, and of each pair with two octets of zero behind it.
SINGLE = []
for _crc in range(256):
    for _ in range(8):
        _crc = (_crc >> 1) ^ (0x82F63B78 if _crc & 1 else 0)
    SINGLE.append(_crc)
PAIR = [SINGLE[SINGLE[pair & 0xFF] & 0xFF ^ pair >> 8] ^ SINGLE[pair & 0xFF] >> 8 for pair in range(65536)]
FIRST = [PAIR[crc & 0xFFFF] ^ crc >> 16 for crc in PAIR]


def crc32c(octets):
    """What it covers is a multiple of four octets, but of a device with a wrong pad."""
    crc, whole = 0xFFFFFFFF, len(octets) // 4 * 4
    for word in struct.unpack('<%dI' % (whole // 4), octets[:whole]):
        crc ^= word
        crc = FIRST[crc & 0xFFFF] ^ PAIR[crc >> 16]
    for octet in octets[whole:]:
        crc = SINGLE[crc & 0xFF ^ octet] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


class Lost(Exception):
    """Nothing more can be received or sent."""


class Fault(Exception):
    """A mistake of the peer that a Terminate tells it of; with the segment it is in, and the Read Request header if that is it."""

    def __init__(self, layer, kind, code, segment=b'', read=b''):
        super().__init__('%d/%d/%02x' % (layer, kind, code))
        self.numbers, self.segment, self.read = (layer << 4 | kind, code), segment, read


class Start:
    """A start-up frame (RFC 5044 section 7.1.1). With S, word is the two halves of RFC 6581 section 6."""

    def __init__(self, flags, revision, private=b'', word=(0, 0)):
        self.flags, self.revision, self.private, self.word = flags, revision, private, word

    def octets(self, key):
        private = (struct.pack('>HH', *self.word) if self.flags & S else b'') + self.private
        length = len(private) + (4 if wrong('private-length') else 0)
        flags = self.flags | (0x0F if wrong('start-reserved') else 0)
        revision = 0 if wrong('revision-0') else 3 if wrong('revision-3') else self.revision
        return key + struct.pack('>BBH', flags, revision, length) + private


PADS = {'pad-absent': lambda length: 0, 'pad-2': lambda length: -length % 2, 'pad-8': lambda length: -(2 + length) % 8,
        'pad-8-with-crc': lambda length: -(6 + length) % 8, 'pad-without-length': lambda length: -length % 4,
        'pad-never-empty': lambda length: 4 - (2 + length) % 4}


def padding(length, *both):
    """Octets of pad behind so long a ULPDU; of a wrong one that is sent only, or sent and taken alike."""
    for name, wrongly in PADS.items():
        if wrong(name + '-both') or (wrong(name) and not both):
            return wrongly(length)
    return -(2 + length) % 4


class Mpa:
    def __init__(self, sock, emss):
        self.sock, self.emss, self.deadline = sock, emss, None
        self.crc = self.markers_in = self.markers_out = False
        self.received = self.sent = 0  # octets since full operation began
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def take(self, length):
        octets = b''
        while len(octets) < length:
            try:
                if self.deadline:
                    self.sock.settimeout(max(0.001, self.deadline - time.monotonic()))
                more = self.sock.recv(length - len(octets))
            except OSError as e:
                raise Lost(str(e))
            if not more:
                raise Lost('the peer has ended')
            octets += more
        return octets

    def read_start(self, key, highest, known=2):
        """Section 7.1.1: any mistake ends the connection at once. What is newer than what it knows it reads as what it knows."""
        self.deadline = time.monotonic() + PATIENCE
        octets = self.take(20)
        flags, revision, length = struct.unpack('>BBH', octets[16:])
        if octets[:16] != key or not 1 <= revision <= highest or length > 512:
            raise Lost('a bad start-up frame: %s' % octets.hex())
        private, word = self.take(length), (0, 0)
        self.deadline = None
        self.sock.settimeout(None)
        if min(revision, known) < 2:
            flags &= ~S
        if flags & S:
            if length < 4:
                raise Lost('S without the word of RFC 6581')
            word, private = struct.unpack('>HH', private[:4]), private[4:]
        return Start(flags, revision, private, word)

    def more_is_there(self):
        self.sock.setblocking(False)
        try:
            return bool(self.sock.recv(1, socket.MSG_PEEK))
        except OSError:
            return False
        finally:
            self.sock.setblocking(True)

    def mulpdu(self):
        """Section 4.5."""
        emss = self.emss or self.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
        markers = 4 * -(-emss // 512) if self.markers_out else 0
        return min(64768, max(128, emss - (6 + markers + emss % 4)))

    def send(self, ulpdu):
        """Section 4.1. A Marker behind the CRC comes with the next FPDU (section 4.3)."""
        pad = padding(len(ulpdu))
        length = len(ulpdu) + (2 if wrong('length-counts-itself') else 0)
        words = struct.pack('>H', length) + ulpdu + (b'\x55' if wrong('pad-not-zero') else b'\0') * pad
        out = words
        if self.markers_out:
            out, begin = b'', None
            while True:
                if self.sent % 512 == 0:
                    pointer = 0 if begin is None else self.sent - begin
                    out, self.sent = out + struct.pack('>HH', 0x8000 if wrong('marker-reserved') else 0, pointer), self.sent + 4
                begin = self.sent if begin is None else begin
                if not words:
                    break
                part, words = words[:512 - self.sent % 512], words[512 - self.sent % 512:]
                out, self.sent = out + part, self.sent + len(part)
            self.sent += 0 if wrong('markers-forget-crc') else 4
        crc = crc32c(out) if self.crc and not wrong('crc-zero') else 0
        field = struct.pack('>I' if wrong('crc-big-endian') else '<I', crc)
        time.sleep(SLOW)
        try:
            self.sock.sendall(out if wrong('crc-absent') else out + field)
        except OSError as e:
            raise Lost(str(e))

    def receive(self):
        """The next ULPDU; None if the peer has ended its side between two FPDUs."""
        try:
            if not self.sock.recv(1, socket.MSG_PEEK):
                return None
        except OSError as e:
            raise Lost(str(e))
        octets = ulpdu = b''
        pointers, begin, left = [], None, 4
        while True:
            if self.markers_in and self.received % 512 == 0:
                marker = self.take(4)
                pointers.append((self.received, struct.unpack('>H', marker[2:])[0] & ~3))
                octets, self.received = octets + marker, self.received + 4
            if begin is None:
                begin = self.received
            if not left:
                break
            part = self.take(min(left, 512 - self.received % 512))
            octets, ulpdu, self.received, left = octets + part, ulpdu + part, self.received + len(part), left - len(part)
            if len(ulpdu) == 4:
                length = ulpdu[0] << 8 | ulpdu[1]
                left = 2 + length + padding(length, '-both') - 4
        field = self.take(4)
        self.received += 4
        if self.crc and field != struct.pack('<I', crc32c(octets)) and not wrong('crc-unchecked'):
            raise Fault(2, 0, 2)
        for at, pointer in pointers:
            if pointer != max(0, at - begin) & 0xFFFF:
                raise Fault(2, 0, 3)
        return ulpdu[2:2 + length]
