package dev.jwarp.rnic.connection;

import dev.jwarp.llp.LlpConnection;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done to a stream by the owner of its connection, once no call into the stream is under way: a stream must not
 * be called from within its own callbacks. Any thread may ask, also before the transport has told who the owner is.
 */
final class StreamWishes {
    /** In the order in which they are fulfilled. */
    enum Wish {
        FLUSH(1),
        PERFORM_LOCAL(2),
        DISCONNECT(4),
        TERMINATE(8),
        FAIL(16);

        private static final Wish[] ALL = values();

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
    private final Runnable leave;
    private volatile @Nullable LlpConnection owner;

    /** A bit for each wish from before the owner was known; guarded by this. */
    private int early;

    // The rest belongs to the owner.

    /** A bit for each wish. */
    private int wishes;

    private boolean inStream;

    /**
     * There are none.
     *
     * @param fulfil carries one out, by the owner, out of all calls into the stream
     * @param leave calls {@link #leave}, as after any call into the stream
     */
    StreamWishes(Consumer<Wish> fulfil, Runnable leave) {
        this.fulfil = fulfil;
        this.leave = leave;
    }

    // ---- any thread

    @Nullable
    LlpConnection owner() {
        return owner;
    }

    /** The connection is known: what was asked before is due now. */
    void owner(LlpConnection made) {
        int due;
        synchronized (this) {
            owner = made;
            due = early;
            early = 0;
        }
        if (due != 0) {
            made.execute(() -> add(due));
        }
    }

    /** Has the owner fulfil a wish: at once, soon, or when there is an owner. */
    void ask(Wish wish) {
        if (owner == null) {
            synchronized (this) {
                if (owner == null) {
                    early |= wish.bit;
                    return;
                }
            }
        }
        execute(() -> add(wish));
    }

    /** Runs a task on the owner, which is known. */
    void execute(Runnable task) {
        Objects.requireNonNull(owner).execute(task);
    }

    // ---- owner

    void add(Wish wish) {
        add(wish.bit);
    }

    private void add(int more) {
        wishes |= more;
        if (!inStream) {
            inStream = true;
            leave.run();
        }
    }

    boolean inStream() {
        return inStream;
    }

    /** A call into the stream begins. */
    void enter() {
        inStream = true;
    }

    /** A call into the stream is over. */
    void leave() {
        while (wishes != 0) {
            for (Wish wish : Wish.ALL) {
                if ((wishes & wish.bit) != 0) {
                    wishes &= ~wish.bit;
                    fulfil.accept(wish);
                }
            }
        }
        inStream = false;
    }
}
