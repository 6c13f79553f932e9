package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Octets;

/** Replies of the tester with any values. */
public final class Replies {
    private Replies() {}

    /** RESOLVED to nothing in particular. */
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
        return x.question(Kind.RESOLVED, body)
                .to(Datagram.RESOLVER)
                .from(Datagram.RESOLVER)
                .key(Datagram.RESOLVER_KEY);
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

    public static Datagram challenge(Exchange x, Datagram question, byte[] cookie) {
        return x.reply(Kind.CHALLENGE, question, cookie);
    }
}
