package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvSge;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Helpers for lists of work requests. */
final class Elements {
    private Elements() {}

    /** {@return the first {@code count} scatter/gather elements of a list} */
    static List<IbvSge> of(@Nullable List<IbvSge> all, int count) throws IOException {
        int there = all == null ? 0 : all.size();
        if (count < 0 || count > there) {
            throw new IOException("num_sge is " + count + ", and the list has " + there + " scatter/gather elements.");
        }
        return all == null ? List.of() : all.subList(0, count);
    }

    /** {@return the exception for a post to a full queue} */
    static IOException full(JwarpQp queuePair, int posted, int of) {
        return new IOException("Queue pair " + queuePair.queuePair.number() + " is full: " + posted + " of " + of
                + " work requests were posted. Take completions first, then post the rest.");
    }
}
