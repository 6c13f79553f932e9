package dev.jwarp.rnic.connection;

import java.util.function.Consumer;

/**
 * What is to be done to a stream as soon as no call into it is under way: a stream must not be called from within its own
 * callbacks. Owner of the connection only.
 */
final class StreamWishes {
    /** In the order in which they are fulfilled. */
    enum Wish {
        FLUSH(1),
        PERFORM_LOCAL(2),
        DISCONNECT(4),
        TERMINATE(8),
        FAIL(16);

        private final int bit;

        Wish(int bit) {
            this.bit = bit;
        }

        /** {@return whether the connection is to end} */
        boolean ends() {
            return this == DISCONNECT || this == TERMINATE || this == FAIL;
        }
    }

    private final Consumer<Wish> fulfil;
    /** A bit for each. */
    private int wishes;

    private boolean inStream;

    StreamWishes(Consumer<Wish> fulfil) {
        this.fulfil = fulfil;
    }

    boolean inStream() {
        return inStream;
    }

    void add(Wish wish) {
        wishes |= wish.bit;
    }

    /** A call into the stream begins. */
    void enter() {
        inStream = true;
    }

    /** A call into the stream is over. */
    void leave() {
        while (wishes != 0) {
            for (Wish wish : Wish.values()) {
                if ((wishes & wish.bit) != 0) {
                    wishes &= ~wish.bit;
                    fulfil.accept(wish);
                }
            }
        }
        inStream = false;
    }
}
