package dev.jwarp.sockets.stream;

/**
 * What an end makes of a stream with credits.
 *
 * @param direct it offers data that are not copied
 * @param messages it needs that a write is a message, whose end its reader sees
 * @param mostKept bytes of the peer's data that are not copied that this end keeps while it waits itself for its peer to read; 0: none, and it {@link CreditEngine#bothWriteAt tells} so;
 *     negative: it waits
 */
public record CreditOptions(boolean direct, boolean messages, int mostKept) {
    /** {@return the options without which it takes no part, a bit each} */
    int needs() {
        return messages ? StreamRecord.MESSAGES : 0;
    }

    /** {@return the options that it offers} */
    int offers() {
        return direct ? StreamRecord.DIRECT : 0;
    }
}
