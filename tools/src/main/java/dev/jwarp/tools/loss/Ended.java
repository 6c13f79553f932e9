package dev.jwarp.tools.loss;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one end of a trial says when it is over.
 *
 * @param counters of its context, as far as they are not 0
 * @param receiveBuffer bytes that the kernel grants each socket; 0 for connections
 * @param trouble what went wrong, in words; null if nothing did
 */
record Ended(
        Map<String, Long> counters,
        int receiveBuffer,
        @Nullable String trouble) {
    /** {@return the same with one more counter} */
    Ended with(String name, long value) {
        Map<String, Long> more = new HashMap<>(counters);
        more.put(name, value);
        return new Ended(more, receiveBuffer, trouble);
    }

    long counter(String name) {
        return counters.getOrDefault(name, 0L);
    }
}
