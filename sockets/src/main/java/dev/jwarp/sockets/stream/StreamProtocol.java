package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.util.Locale;

/** Protocols of streams. The names are stable. */
public enum StreamProtocol {
    /** That of librdmacm's rsockets: RDMA Writes, and words behind them. */
    RSOCKETS(0),
    /** jwarp's own: messages into receive buffers, as many as the receiver has given credits for. */
    CREDITS(1);

    private final int code;

    StreamProtocol(int code) {
        this.code = code;
    }

    /**
     * Looks at a peer's record before anything is made for it.
     *
     * @param privateData of the peer; not changed
     * @param own what this end makes of a stream with credits
     * @throws StreamException if there is no stream of this protocol to be had with it
     */
    public void check(ByteBuffer privateData, CreditEngine.Options own) throws StreamException {
        switch (this) {
            case RSOCKETS -> RsocketRecord.read(privateData);
            case CREDITS -> StreamRecord.read(privateData, own);
        }
    }

    /** {@return its number in a record} */
    int code() {
        return code;
    }

    /** {@return its name in a sentence} */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the name in a sentence of the one that has a number} */
    static String word(int code) {
        for (StreamProtocol one : values()) {
            if (one.code == code) {
                return one.word();
            }
        }
        return "protocol " + code;
    }
}
