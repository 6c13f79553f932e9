package dev.jwarp.rnic.connection;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What is to be done to a stream as soon as no call into it is under way: a stream must not be called from within its own
 * callbacks. Owner of the connection only.
 */
final class StreamWishes {
    /** In the order in which they are fulfilled. */
    enum Wish {
        FLUSH,
        PERFORM_LOCAL,
        DISCONNECT,
        TERMINATE,
        FAIL;

        /** {@return whether the connection is to end} */
        boolean ends() {
            return this == DISCONNECT || this == TERMINATE || this == FAIL;
        }
    }

    private final Consumer<Wish> fulfil;
    private final Set<Wish> wishes = EnumSet.noneOf(Wish.class);
    private boolean any;
    private boolean inStream;

    StreamWishes(Consumer<Wish> fulfil) {
        this.fulfil = fulfil;
    }

    boolean inStream() {
        return inStream;
    }

    void add(Wish wish) {
        wishes.add(wish);
        any = true;
    }

    /** A call into the stream begins. */
    void enter() {
        inStream = true;
    }

    /** A call into the stream is over. */
    void leave() {
        while (any) {
            any = false;
            for (Wish wish : Wish.values()) {
                if (wishes.remove(wish)) {
                    fulfil.accept(wish);
                }
            }
        }
        inStream = false;
    }
}
