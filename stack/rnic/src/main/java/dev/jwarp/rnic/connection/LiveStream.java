package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.progress.OwnerAnswer;

/** A connection that is not over yet, as the context sees it. Any thread. */
interface LiveStream {
    /** {@return whether it ends in order or with a Terminate, so that it pays to wait for it} */
    boolean ending();

    /** Aborts it. */
    void fail();

    /** {@return whether its queue pair is of this domain} */
    boolean isIn(RnicProtectionDomain domain);

    /**
     * {@return what is given when the owner has finished the call it is in now, if it is in one, or the connection is over}
     *
     * @throws dev.jwarp.verbs.RdmaException INTERNAL if the owner is dead: it takes no tasks
     */
    OwnerAnswer fence();
}
