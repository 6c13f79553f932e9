package dev.jwarp.rnic.stat;

import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.ObservedRow;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An open context, as it is shown to others. Called by a thread of its own at any time, also while the context is being closed;
 * must neither wait for the context's owner nor change anything.
 */
public interface RowSource {
    /** Takes rows, not more of a kind than there is room for. One thread. */
    interface Sink {
        /** {@return whether more rows of this kind are welcome; if not, the caller need not make any} */
        boolean wants(String object);

        /** Takes a row. */
        void row(ObservedRow row);
    }

    /** {@return the link, such as {@code jwarp0/1}: what is counted of one link is summed over its contexts} */
    String link();

    /** {@return the addresses of this host where it listens, is connected or has datagrams; never the wildcard} */
    Set<InetAddress> localAddresses();

    /**
     * {@return the row that describes the link}
     *
     * @param local addresses of all its contexts: the interfaces that have them stand for it
     */
    ObservedRow linkRow(Set<InetAddress> local);

    /** {@return how many there are of everything, by the kind of row, in order} */
    Map<String, Long> counts();

    /** {@return every counter} */
    List<Counter> counters();

    /** Writes a row for each limit, with how much of it is used. */
    void limits(Sink sink);

    /** Writes a row for each object. */
    void objects(Sink sink);
}
