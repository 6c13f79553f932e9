"""AES-128-GCM (NIST SP 800-38D) with a nonce of 12 octets: the standard library has none. Slow, and not in constant time: for tests only."""
import hmac


def _sbox():
    """FIPS 197, section 5.1.1. The inverse of the power i of 3 is the power 255 - i."""
    powers, x = [], 1
    for _ in range(255):
        powers.append(x)
        x = (x ^ x << 1 ^ (0x11B if x & 0x80 else 0)) & 0xFF
    box = [0x63] * 256
    for i, x in enumerate(powers):
        inverse = powers[-i % 255]
        for n in range(5):
            box[x] ^= (inverse << n | inverse >> (8 - n)) & 0xFF
    return box


SBOX = _sbox()
DOUBLE = [(x << 1 ^ (0x11B if x & 0x80 else 0)) & 0xFF for x in range(256)]
SHIFT = [(i + 4 * (i % 4)) % 16 for i in range(16)]  # ShiftRows: where an octet comes from


class Gcm:
    def __init__(self, key):
        words, constant = [list(key[i:i + 4]) for i in range(0, 16, 4)], 1
        for i in range(4, 44):
            word = words[-1]
            if i % 4 == 0:
                word = [SBOX[x] for x in word[1:] + word[:1]]
                word[0] ^= constant
                constant = DOUBLE[constant]
            words.append([x ^ y for x, y in zip(words[-4], word)])
        self.rounds = [sum(words[i:i + 4], []) for i in range(0, 44, 4)]
        self.h = int.from_bytes(self.block(bytes(16)), 'big')

    def block(self, octets):
        state = [x ^ y for x, y in zip(octets, self.rounds[0])]
        for number, key in enumerate(self.rounds[1:], 1):
            state = [SBOX[state[i]] for i in SHIFT]
            if number < 10:
                mixed = []
                for c in range(0, 16, 4):
                    column = state[c:c + 4]
                    every = column[0] ^ column[1] ^ column[2] ^ column[3]
                    mixed += [column[i] ^ every ^ DOUBLE[column[i] ^ column[(i + 1) % 4]] for i in range(4)]
                state = mixed
            state = [x ^ y for x, y in zip(state, key)]
        return bytes(state)

    def crypt(self, nonce, octets):
        out = b''
        for i in range(0, len(octets), 16):
            stream = self.block(nonce + (2 + i // 16).to_bytes(4, 'big'))
            out += bytes(x ^ y for x, y in zip(octets[i:i + 16], stream))
        return out

    def tag(self, nonce, clear, encrypted):
        hashed, padded = 0, b''.join(x + bytes(-len(x) % 16) for x in (clear, encrypted))
        padded += (8 * len(clear)).to_bytes(8, 'big') + (8 * len(encrypted)).to_bytes(8, 'big')
        for i in range(0, len(padded), 16):
            x, v, hashed = hashed ^ int.from_bytes(padded[i:i + 16], 'big'), self.h, 0
            for bit in range(127, -1, -1):
                hashed ^= v if x >> bit & 1 else 0
                v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        return bytes(x ^ y for x, y in zip(hashed.to_bytes(16, 'big'), self.block(nonce + bytes([0, 0, 0, 1]))))

    def seal(self, nonce, clear, octets):
        encrypted = self.crypt(nonce, octets)
        return encrypted + self.tag(nonce, clear, encrypted)

    def open(self, nonce, clear, octets):
        """What was encrypted; None if the tag is wrong."""
        right = hmac.compare_digest(self.tag(nonce, clear, octets[:-16]), octets[-16:])
        return self.crypt(nonce, octets[:-16]) if right else None
