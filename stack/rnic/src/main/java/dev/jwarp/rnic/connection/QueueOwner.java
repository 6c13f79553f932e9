package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.memory.WindowUser;
import org.jspecify.annotations.Nullable;

/** A queue pair as its queues see it. Its words are those for sentences. Any thread. */
interface QueueOwner extends WindowUser {
    /** Throws CLOSED if it is closed. */
    void checkOpen();

    /** {@return how far it has come; changes that matter to posts only while no post is under way} */
    QueuePairPhase phase();

    /** {@return what carries out what is posted; null while there is no connection} Changes only while no post is under way. */
    @Nullable
    PostTarget stream();

    /** Something threw behind the publication of a request: it is posted, and the program must not hear otherwise. Throws nothing. */
    void notTold(Throwable cause);

    /** As {@link #notTold}, of a send whose stream does not know of it: the stream ends, and with it what was posted. */
    void sendNotTold(Throwable cause);
}
