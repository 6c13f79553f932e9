package dev.jwarp.ddp.llp.sim;

import java.util.random.RandomGenerator;

/**
 * Something that goes wrong with a simulated byte stream, once, at a given byte of one of its directions.
 *
 * @param kind what goes wrong
 * @param direction in which direction bytes are counted
 * @param octet how many bytes of that direction arrive before it happens
 * @param mask {@link Kind#CORRUPT}: the bits that flip in the byte behind those
 */
public record StreamFault(Kind kind, Direction direction, long octet, int mask) {
    /** What goes wrong. */
    public enum Kind {
        /** The connection attempt gets no answer. */
        LOST_CONNECT,
        /** Both directions end, as if both sides had closed; what is under way is lost. */
        CLOSE,
        /** The direction ends; what is sent later is lost. The other one goes on. */
        HALF_CLOSE,
        /** Both sides see a reset. */
        RESET,
        /** Both sides see that the other one does not answer, as with TCP's keep-alive. */
        TIMED_OUT,
        /** Bits of one byte flip. */
        CORRUPT,
        /** Nothing more arrives in this direction, without notice. */
        BLACKHOLE
    }

    /** A direction of a stream. */
    public enum Direction {
        /** From the side that connected. */
        TO_RESPONDER,
        /** From the side that listened. */
        TO_INITIATOR
    }

    private static final Kind[] OF_OPEN_STREAMS = {Kind.CLOSE, Kind.HALF_CLOSE, Kind.RESET, Kind.CORRUPT, Kind.BLACKHOLE
    };

    /** {@return a fault by which no answer comes to the connection attempt} */
    public static StreamFault lostConnect() {
        return new StreamFault(Kind.LOST_CONNECT, Direction.TO_RESPONDER, 0, 0);
    }

    /** {@return a fault that ends both directions after {@code octet} bytes of one} */
    public static StreamFault closeAfter(Direction direction, long octet) {
        return new StreamFault(Kind.CLOSE, direction, octet, 0);
    }

    /** {@return a fault that ends one direction after {@code octet} bytes of it} */
    public static StreamFault halfCloseAfter(Direction direction, long octet) {
        return new StreamFault(Kind.HALF_CLOSE, direction, octet, 0);
    }

    /** {@return a fault that resets the stream after {@code octet} bytes of a direction} */
    public static StreamFault resetAfter(Direction direction, long octet) {
        return new StreamFault(Kind.RESET, direction, octet, 0);
    }

    /** {@return a fault by which both sides give the other one up after {@code octet} bytes of a direction} */
    public static StreamFault timedOutAfter(Direction direction, long octet) {
        return new StreamFault(Kind.TIMED_OUT, direction, octet, 0);
    }

    /** {@return a fault that flips bit {@code bit}, 0 to 7, of the byte behind the first {@code octet}} */
    public static StreamFault flipBitAfter(Direction direction, long octet, int bit) {
        return new StreamFault(Kind.CORRUPT, direction, octet, 1 << bit);
    }

    /** {@return a fault that swallows everything behind the first {@code octet} bytes of a direction} */
    public static StreamFault blackholeAfter(Direction direction, long octet) {
        return new StreamFault(Kind.BLACKHOLE, direction, octet, 0);
    }

    /** {@return any fault of an open stream, in either direction, behind fewer than {@code octets} bytes} */
    public static StreamFault any(RandomGenerator random, long octets) {
        Kind kind = OF_OPEN_STREAMS[random.nextInt(OF_OPEN_STREAMS.length)];
        Direction direction = random.nextBoolean() ? Direction.TO_RESPONDER : Direction.TO_INITIATOR;
        return new StreamFault(kind, direction, random.nextLong(octets), 1 << random.nextInt(8));
    }
}
