package dev.jwarp.conformance.capture;

import java.util.Arrays;

/** The content of a frame, as far as this package parses it. */
public sealed interface Packet {
    /** The number of the frame that brought the packet; for fragments the last one. */
    Frame frame();

    /**
     * A TCP segment.
     *
     * @param sequence the 32-bit sequence number
     * @param acknowledged the 32-bit acknowledgement number; without meaning unless flag ACK is set
     * @param data holds the payload
     * @param at index of the payload in {@code data}
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

        /** The same segment with a copy of its payload, so that it does not hold the memory of its frame. */
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
     * @param octets the bytes of the payload that are in the file
     * @param cut bytes of payload that a snapshot length cut off
     */
    record Udp(Frame frame, Endpoint source, Endpoint target, byte[] octets, int cut) implements Packet {}

    /**
     * Any other content.
     *
     * @param reason why it was not parsed
     */
    record Other(Frame frame, Reason reason) implements Packet {}

    /** Why a frame was not parsed. */
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

        /** The description of such frames in words. */
        public String words() {
            return words;
        }
    }
}
