package dev.jwarp.sim;

import java.util.random.RandomGenerator;

/**
 * A fault of a simulated byte stream, once, at a given byte of one of its directions.
 *
 * @param kind kind of fault
 * @param direction direction of the counted bytes
 * @param octet number of bytes that {@code direction} carries before the fault happens
 * @param mask {@link Kind#CORRUPT}: the bits to invert in the next byte
 */
public record StreamFault(Kind kind, Direction direction, long octet, int mask) {
    /** Kinds of faults. */
    public enum Kind {
        /** The connection attempt gets no answer. */
        LOST_CONNECT,
        /** Both directions end, as if both sides had closed; bytes in flight are lost. */
        CLOSE,
        /** The direction ends; later bytes are lost. The other direction continues. */
        HALF_CLOSE,
        /** Both sides see a reset. */
        RESET,
        /** Both sides time out, as with TCP's keep-alive. */
        TIMED_OUT,
        /** Bits of one byte are inverted. */
        CORRUPT,
        /** Nothing more arrives in this direction, without an indication. */
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

    /** {@return a fault without an answer to the connection attempt} */
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

    /** {@return a fault by which both sides time out after {@code octet} bytes of a direction} */
    public static StreamFault timedOutAfter(Direction direction, long octet) {
        return new StreamFault(Kind.TIMED_OUT, direction, octet, 0);
    }

    /** {@return a fault that inverts bit {@code bit}, 0 to 7, of the byte after the first {@code octet}} */
    public static StreamFault flipBitAfter(Direction direction, long octet, int bit) {
        return new StreamFault(Kind.CORRUPT, direction, octet, 1 << bit);
    }

    /** {@return a fault that drops everything after the first {@code octet} bytes of a direction} */
    public static StreamFault blackholeAfter(Direction direction, long octet) {
        return new StreamFault(Kind.BLACKHOLE, direction, octet, 0);
    }

    /** {@return a random fault of an open stream, in either direction, after fewer than {@code octets} bytes} */
    public static StreamFault any(RandomGenerator random, long octets) {
        Kind kind = OF_OPEN_STREAMS[random.nextInt(OF_OPEN_STREAMS.length)];
        Direction direction = random.nextBoolean() ? Direction.TO_RESPONDER : Direction.TO_INITIATOR;
        return new StreamFault(kind, direction, random.nextLong(octets), 1 << random.nextInt(8));
    }
}
