package dev.jwarp.rnic;

import dev.jwarp.rnic.completion.CompletionQueues;
import dev.jwarp.rnic.connection.Connections;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.datagram.Datagrams;
import dev.jwarp.verbs.Context;

/** What tests of the parts of a context need of it. */
public final class Inside {
    private Inside() {}

    /** {@return what everything that is made from it has} */
    public static ContextCore core(Context context) {
        return ((RnicContext) context).core();
    }

    /** {@return its completion queues and channels} */
    public static CompletionQueues completionQueues(Context context) {
        return ((RnicContext) context).completionQueues();
    }

    /** {@return what it has for connections} */
    public static Connections connections(Context context) {
        return ((RnicContext) context).connections();
    }

    /** {@return what it has for datagrams} */
    public static Datagrams datagrams(Context context) {
        return ((RnicContext) context).datagrams();
    }
}
