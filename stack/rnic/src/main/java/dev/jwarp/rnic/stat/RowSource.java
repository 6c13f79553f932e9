package dev.jwarp.rnic.stat;

import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.ObservedRow;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An open context, as observers see it. Methods are called by the observers' thread at any time, even while the context
 * is being closed; they must neither wait for the context's owner nor change anything.
 */
public interface RowSource {
    /** Takes rows, up to a limit for each kind. One thread. */
    interface Sink {
        /** {@return whether the sink takes more rows of this kind} */
        boolean wants(String object);

        /** Takes a row. */
        void row(ObservedRow row);
    }

    /** {@return the link, such as {@code jwarp0/1}; counters of a link are the sums over its contexts} */
    String link();

    /** {@return the local addresses of listeners, connections and datagram queue pairs, without wildcard addresses} */
    Set<InetAddress> localAddresses();

    /**
     * {@return the row that describes the link}
     *
     * @param local addresses of all contexts of the link, which determine the interfaces shown
     */
    ObservedRow linkRow(Set<InetAddress> local);

    /** {@return the number of objects by kind of row, in order} */
    Map<String, Long> counts();

    /** {@return all counters} */
    List<Counter> counters();

    /** Writes a row for each limit, with its current use. */
    void limits(Sink sink);

    /** Writes a row for each object. */
    void objects(Sink sink);
}
