package dev.jwarp.conformance.capture;

import java.util.Arrays;

/** What a frame carries, as far as this package goes down. */
public sealed interface Packet {
    /** The frame it came in; of several fragments that of the last one. */
    Frame frame();

    /**
     * A TCP segment.
     *
     * @param sequence its 32 bits
     * @param acknowledged its 32 bits; means nothing without flag ACK
     * @param data holds the payload
     * @param at where the payload begins
     * @param length bytes of payload that were captured
     * @param cut bytes of payload that a snapshot length cut off
     */
    record Tcp(
            Frame frame,
            Endpoint source,
            Endpoint target,
            int sequence,
            int acknowledged,
            int flags,
            byte[] data,
            int at,
            int length,
            int cut)
            implements Packet {
        public static final int FIN = 1;
        public static final int SYN = 2;
        public static final int RST = 4;
        public static final int ACK = 16;
        private static final byte[] NONE = {};

        public boolean has(int flag) {
            return (flags & flag) != 0;
        }

        /** The same without the rest of its frame: what is kept costs no more than its payload. */
        public Tcp alone() {
            return new Tcp(
                    new Frame(frame.number(), frame.nanos(), frame.linkType(), NONE, frame.originalLength()),
                    source,
                    target,
                    sequence,
                    acknowledged,
                    flags,
                    Arrays.copyOfRange(data, at, at + length),
                    0,
                    length,
                    cut);
        }
    }

    /**
     * A UDP datagram.
     *
     * @param octets what was captured of its payload
     * @param cut bytes of payload that a snapshot length cut off
     */
    record Udp(Frame frame, Endpoint source, Endpoint target, byte[] octets, int cut) implements Packet {}

    /**
     * Anything else.
     *
     * @param reason why nothing was made of it
     */
    record Other(Frame frame, Reason reason) implements Packet {}

    /** Why nothing was made of a frame. */
    enum Reason {
        LINK_TYPE("of a link type that is not read here"),
        NOT_IP("not of IP"),
        NOT_TCP_UDP("of IP, but neither TCP nor UDP"),
        FRAGMENT("an IP fragment that waits for the others"),
        MALFORMED("malformed"),
        CUT("cut before the end of their headers");

        private final String words;

        Reason(String words) {
            this.words = words;
        }

        /** What such frames are, in words. */
        public String words() {
            return words;
        }
    }
}
