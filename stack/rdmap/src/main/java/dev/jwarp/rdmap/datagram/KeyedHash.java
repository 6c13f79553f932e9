package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramAddress;
import java.util.random.RandomGenerator;

/**
 * SipHash-1-3 over the numbers that identify a source or a message, so that a peer that chooses the numbers cannot
 * cause collisions (datagram-iWARP §17). Owner thread only; allocates nothing.
 */
final class KeyedHash {
    private static final int NEIGHBOUR_BITS = 3;

    private final long k0;
    private final long k1;
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    KeyedHash(RandomGenerator randomness) {
        k0 = randomness.nextLong();
        k1 = randomness.nextLong();
    }

    /**
     * {@return the hash of a message to a local queue pair: (local QP, address, port, source QPN, id)} Eight
     * consecutive ids have adjacent hashes: senders count ids up, so the table entry of the next message is in the
     * cache. A peer that chooses ids can make at most eight of them collide.
     */
    long message(int localQpn, DatagramAddress source, int sourceQpn, int messageId) {
        begin(localQpn);
        word(source.high());
        word(source.low());
        word((long) source.scope() << 32 | source.port());
        word((long) sourceQpn << 32 | (messageId >>> NEIGHBOUR_BITS));
        return (end() << NEIGHBOUR_BITS) | (messageId & ((1 << NEIGHBOUR_BITS) - 1));
    }

    /** {@return the hash of an address and port} */
    long source(DatagramAddress source) {
        begin(0);
        word(source.high());
        word(source.low());
        word((long) source.scope() << 32 | source.port());
        return end();
    }

    /**
     * {@return a number derived from {@code count} and the key, unpredictable without the key} Uses as many rounds as
     * SipHash-2-4 has for one word, because peers see these numbers.
     */
    long number(long count) {
        begin(0);
        v3 ^= count;
        round();
        round();
        v0 ^= count;
        round();
        return end();
    }

    private void begin(long tweak) {
        v0 = k0 ^ 0x736f_6d65_7073_6575L ^ tweak;
        v1 = k1 ^ 0x646f_7261_6e64_6f6dL;
        v2 = k0 ^ 0x6c79_6765_6e65_7261L;
        v3 = k1 ^ 0x7465_6462_7974_6573L;
    }

    private void word(long value) {
        v3 ^= value;
        round();
        v0 ^= value;
    }

    private long end() {
        v2 ^= 0xff;
        round();
        round();
        round();
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
    }
}
