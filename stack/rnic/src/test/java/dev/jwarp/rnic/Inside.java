package dev.jwarp.rnic;

import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.connection.Connections;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.datagram.Datagrams;
import dev.jwarp.verbs.Context;

/** Access to the parts of a context for tests. */
public final class Inside {
    private Inside() {}

    /** {@return the core of a context} */
    public static ContextCore core(Context context) {
        return ((RnicContext) context).core();
    }

    /** {@return the completion queues and channels of a context} */
    public static CompletionQueues completionQueues(Context context) {
        return ((RnicContext) context).completionQueues();
    }

    /** {@return the part of a context for connections} */
    public static Connections connections(Context context) {
        return ((RnicContext) context).connections();
    }

    /** {@return the part of a context for datagrams} */
    public static Datagrams datagrams(Context context) {
        return ((RnicContext) context).datagrams();
    }
}
