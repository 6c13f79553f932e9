package dev.jwarp.rnic.stat;

import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.ObservedRow;
import java.util.List;
import java.util.Map;

/**
 * An open context, as it is shown to others. Called by a thread of its own at any time, also while the context is being closed;
 * must neither wait for the context's owner nor change anything.
 */
public interface RowSource {
    /** {@return the link, such as {@code jwarp0/1}: what is counted of one link is summed over its contexts} */
    String link();

    /** {@return the row that describes the link} */
    ObservedRow linkRow();

    /** {@return how many there are of everything, by the kind of row, in order} */
    Map<String, Long> counts();

    /** {@return every counter} */
    List<Counter> counters();

    /** Writes a row for each limit, with how much of it is used. */
    void limits(RowSink sink);

    /** Writes a row for each object. */
    void objects(RowSink sink);
}
