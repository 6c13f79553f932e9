package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Octets;

/**
 * Datagrams of the tester with any values in their bodies (datagram-iWARP §4.4): answers, and datagrams of channels.
 */
public final class Bodies {
    /** Bytes of the shortest PATH-PROBE. */
    public static final int LEAST = 60;

    private Bodies() {}

    /** A RESOLVED that answers no RESOLVE. */
    public static Datagram resolved(
            Exchange x, int status, int type, int number, long key, int port, byte... privateData) {
        byte[] body = new Octets()
                .u8(status)
                .u8(type)
                .u16(2)
                .u32(number)
                .u32(key)
                .u16(port)
                .u16(status == 0 ? 65507 : 0)
                .u32(status == 0 ? 1 << 20 : 0)
                .u32(status == 0 ? 1 << 20 : 0)
                .u16(privateData.length)
                .u16(0)
                .add(privateData)
                .bytes();
        return x.question(Kind.RESOLVED, body).ofResolvers();
    }

    /** A VERSION LIST that answers a question. */
    public static Datagram versions(Exchange x, Datagram question, long versions) {
        return x.reply(Kind.VERSION_LIST, question).resized(28).length(versions);
    }

    /** A NOTIFY that answers a datagram with a code, {@code 0xLTCC}. */
    public static Datagram notify(Exchange x, Datagram offender, int code) {
        return x.reply(Kind.NOTIFY, offender, new Octets().u16(code).u16(0).bytes())
                .put(20, 4, offender.get(20, 4));
    }

    public static Datagram probe(Exchange x, long token, int size) {
        byte[] body = new Octets()
                .u32(0)
                .u64(token)
                .u16(65_507)
                .zeros(2 + size - LEAST + 16)
                .bytes();
        return x.question(Kind.PATH_PROBE, body);
    }

    public static Datagram open(Exchange x, long tag, long psn, long previous, int window) {
        return x.question(Kind.RD_OPEN, opening(tag, psn, previous, window));
    }

    public static Datagram accept(Exchange x, long key, long id, long tag, long psn, long ack, int window) {
        return x.question(Kind.RD_ACCEPT, opening(tag, psn, ack, window))
                .key(key)
                .id(id);
    }

    private static byte[] opening(long tag, long psn, long third, int window) {
        byte[] featuresAndPad = new byte[16];
        return new Octets()
                .u32(tag)
                .u32(psn)
                .u32(third)
                .u16(window)
                .u16(0)
                .add(featuresAndPad)
                .bytes();
    }

    /** An RD-ACK with number 0, whose echo is the datagram before the one expected, without a delay. */
    public static Datagram ack(Exchange x, long key, long ack, int window, boolean notReady, long... words) {
        byte[] countsOfMarksAndDuplicates = new byte[16];
        Octets body = new Octets()
                .u32(ack)
                .u16(window)
                .u8(notReady ? 1 : 0)
                .u8(words.length)
                .u16(0)
                .u16(0)
                .u32(ack - 1)
                .add(countsOfMarksAndDuplicates);
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
