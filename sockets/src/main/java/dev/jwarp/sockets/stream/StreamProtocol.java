package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.util.Locale;

/** Protocols of streams. The names are stable. */
public enum StreamProtocol {
    /** The protocol of librdmacm's rsockets: RDMA Writes followed by words. */
    RSOCKETS(0),
    /** A protocol of jwarp: messages to receive buffers, limited by credits of the receiver. */
    CREDITS(1);

    private final int code;

    StreamProtocol(int code) {
        this.code = code;
    }

    /**
     * Checks a peer's record before resources are allocated for it.
     *
     * @param privateData of the peer; not changed
     * @param own options of this end for a credit stream
     * @throws StreamException if no stream of this protocol is possible with the peer
     */
    public void check(ByteBuffer privateData, CreditEngine.Options own) throws StreamException {
        switch (this) {
            case RSOCKETS -> RsocketRecord.read(privateData);
            case CREDITS -> StreamRecord.read(privateData, own);
        }
    }

    /** {@return the number of the protocol in a record} */
    int code() {
        return code;
    }

    /** {@return the name of the protocol for messages} */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the name, for messages, of the protocol with a number} */
    static String word(int code) {
        for (StreamProtocol one : values()) {
            if (one.code == code) {
                return one.word();
            }
        }
        return "protocol " + code;
    }
}
