package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Octets;

/** Datagrams of reliable channels with any values (datagram-iWARP §4.4). */
public final class RdBodies {
    private RdBodies() {}

    public static Datagram open(Exchange x, long tag, long psn, long previous, int window) {
        return x.question(
                Kind.RD_OPEN,
                new Octets().u32(tag).u32(psn).u32(previous).u16(window).u16(0).bytes());
    }

    public static Datagram accept(Exchange x, long key, long id, long tag, long psn, long ack, int window) {
        return x.question(
                        Kind.RD_ACCEPT,
                        new Octets()
                                .u32(tag)
                                .u32(psn)
                                .u32(ack)
                                .u16(window)
                                .u16(0)
                                .bytes())
                .key(key)
                .id(id);
    }

    public static Datagram ack(Exchange x, long key, long ack, int window, boolean notReady, long... words) {
        Octets body = new Octets().u32(ack).u16(window).u8(notReady ? 1 : 0).u8(words.length);
        for (long word : words) {
            body.u64(word);
        }
        return x.question(Kind.RD_ACK, body.bytes()).key(key).id(0);
    }

    public static Datagram reset(Exchange x, long key, boolean reflected, int reason, int code) {
        return x.question(
                        Kind.RD_RESET,
                        new Octets()
                                .u8(reflected ? 1 : 0)
                                .u8(reason)
                                .u16(0)
                                .u16(code)
                                .u16(0)
                                .bytes())
                .key(key)
                .id(0);
    }
}
