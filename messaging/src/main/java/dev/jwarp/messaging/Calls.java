package dev.jwarp.messaging;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calls of an endpoint that wait for replies. A correlation is the place of the call in a table, and above 20 bits
 * a count, so that a late reply meets no other call. Used under the lock of the endpoint.
 */
final class Calls {
    private static final int PLACE_BITS = 20;
    private static final int FEW = 64;

    private static final int MOST = 1 << PLACE_BITS;

    private @Nullable Call[] table = new Call[FEW];
    private int[] free = new int[FEW];
    private int left;
    private int used;
    private long count;

    Call begin(Peer peer, long deadline) {
        if (left == 0 && used == table.length) {
            if (used >= MOST) {
                throw new RdmaException(
                        RdmaErrorCode.QUEUE_FULL,
                        MOST + " calls wait for replies, which is the maximum: call again when one has completed.");
            }
            table = Arrays.copyOf(table, Math.min(MOST, 2 * used));
            free = Arrays.copyOf(free, table.length);
        }
        int place = left > 0 ? free[--left] : used++;
        Call made = new Call(peer, ++count << PLACE_BITS | place, deadline);
        table[place] = made;
        peer.calls++;
        return made;
    }

    void end(Call call) {
        free(place(call.correlation), call);
    }

    /** {@return the call with that correlation; null if there is none, or it is another peer's} */
    @Nullable
    Call find(Peer peer, long correlation) {
        int place = place(correlation);
        Call found = place < used ? table[place] : null;
        return found != null && found.correlation == correlation && found.peer == peer ? found : null;
    }

    private static int place(long correlation) {
        return (int) (correlation & MOST - 1);
    }

    private void free(int place, Call ended) {
        table[place] = null;
        free[left++] = place;
        ended.peer.calls--;
    }

    boolean any() {
        return left < used;
    }

    /** {@return the calls whose deadline has come, which end} */
    List<Call> late(long now) {
        return end(call -> call.deadline - now <= 0, null);
    }

    /** {@return the calls of a peer, which end for that cause} */
    List<Call> of(Peer peer, RdmaException cause) {
        return end(call -> call.peer == peer, cause);
    }

    private List<Call> end(Predicate<Call> which, @Nullable RdmaException cause) {
        List<Call> found = new ArrayList<>();
        for (int place = 0; place < used; place++) {
            Call each = table[place];
            if (each != null && (each.isDone() || which.test(each))) { // done: cancelled
                found.add(each);
                free(place, each);
            }
        }
        found.forEach(each -> each.peer.unanswered(each, cause));
        return found;
    }

    static RdmaException late(Peer peer) {
        return new RdmaException(RdmaErrorCode.TIMED_OUT, peer + " has not replied in the time of the call.");
    }
}
