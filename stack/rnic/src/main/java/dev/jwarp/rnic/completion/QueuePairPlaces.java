package dev.jwarp.rnic.completion;

import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.WorkCompletion;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of a context, each at a place of its own while it is open. Completions carry the place: a reference in each
 * would cost a write barrier at each step, and keep queue pairs alive that are closed. Any thread; a look-up allocates nothing.
 */
public final class QueuePairPlaces implements WorkCompletion.QueuePairs {
    /** Of a queue pair that is at no place. */
    public static final int NOWHERE = -1;

    // Changed under the monitor.
    private final BitSet taken = new BitSet();
    private volatile @Nullable QueuePair[] pairs = new QueuePair[16];

    /** {@return the place of {@code pair} from now on} */
    public synchronized int add(QueuePair pair) {
        int place = taken.nextClearBit(0);
        if (place == pairs.length) {
            pairs = Arrays.copyOf(pairs, 2 * place);
        }
        taken.set(place);
        pairs[place] = pair;
        return place;
    }

    /** The queue pair at {@code place} is closed. */
    public synchronized void remove(int place) {
        if (place != NOWHERE) {
            pairs[place] = null;
            taken.clear(place);
        }
    }

    @Override
    public @Nullable QueuePair find(int place, int number) {
        // A completion of a queue pair comes after the array that the
        // queue pair was put into: this thread sees that array.
        @Nullable QueuePair[] all = pairs;
        QueuePair found = place < 0 || place >= all.length ? null : all[place];
        return found != null && found.number() == number ? found : null; // else there is another one by now
    }
}
