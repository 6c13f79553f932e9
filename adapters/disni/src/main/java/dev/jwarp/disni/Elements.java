package dev.jwarp.disni;

import com.ibm.disni.verbs.IbvSge;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What lists of work requests have in common. */
final class Elements {
    private Elements() {}

    /** {@return the scatter/gather elements that count: the program says how many of its list do} */
    static List<IbvSge> of(@Nullable List<IbvSge> all, int count) throws IOException {
        int there = all == null ? 0 : all.size();
        if (count < 0 || count > there) {
            throw new IOException("num_sge is " + count + ", and the list has " + there + " scatter/gather elements.");
        }
        return all == null ? List.of() : all.subList(0, count);
    }

    /** {@return the exception of a post that met a full queue} */
    static IOException full(JwarpQp queuePair, int posted, int of) {
        return new IOException("Queue pair " + queuePair.queuePair.number() + " is full: " + posted + " of " + of
                + " work requests were posted. Take completions first, then post the rest.");
    }
}
