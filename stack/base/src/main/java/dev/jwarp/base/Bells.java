package dev.jwarp.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Things that want to be looked at: any thread rings, the owner takes all at once. Each is in it at most once, by a bell of its
 * own, so that a ring allocates nothing, and a second one before the first is heard is short.
 *
 * <p>For each bell that was taken the owner calls {@link #next}, then {@link #heard}, and only then looks: that look sees what was
 * written before a ring that came too late to be heard again.
 *
 * @param <T> what rings
 */
public final class Bells<T> {
    /** What {@link #ring(Bell)} leaves. */
    public static final int RUNG = 1;

    /**
     * The bell of one thing; in one {@code Bells} at most.
     *
     * @param <T> what rings
     */
    public static final class Bell<T> {
        private static final VarHandle FLAGS = flags();

        private final T of;
        private volatile int flags;
        private @Nullable Bell<T> next;

        /** The bell of that one; it does not ring. */
        public Bell(T of) {
            this.of = of;
        }

        /** {@return what rings} */
        public T of() {
            return of;
        }

        /** {@return whether it rings and was not heard yet} Any thread. */
        public boolean rings() {
            return flags != 0;
        }

        private static VarHandle flags() {
            try {
                return MethodHandles.lookup().findVarHandle(Bell.class, "flags", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    private final AtomicReference<@Nullable Bell<T>> head = new AtomicReference<>();

    /** Creates an empty one. */
    public Bells() {}

    /** {@return whether nothing waits to be taken} Any thread. */
    public boolean isEmpty() {
        return head.get() == null;
    }

    /** {@return whether it did not ring before: else the look that is due will see what this caller has to show} Any thread. */
    public boolean ring(Bell<T> bell) {
        return ring(bell, RUNG);
    }

    /**
     * Rings, and says more. Any thread.
     *
     * @param wish bits besides {@link #RUNG}, which {@link #heard} gives together with those of other rings
     * @return whether it did not ring before
     */
    public boolean ring(Bell<T> bell, int wish) {
        // This writes even where all is set: the look that follows sees what was written before.
        if ((int) Bell.FLAGS.getAndBitwiseOr(bell, wish | RUNG) != 0) {
            return false;
        }
        Bell<T> next;
        do {
            next = head.get();
            bell.next = next;
        } while (!head.compareAndSet(next, bell));
        return true;
    }

    // ---- owner

    /** {@return the first of all that rang, to be followed with {@link #next}; null if there are none} */
    public @Nullable Bell<T> takeAll() {
        return head.get() == null ? null : head.getAndSet(null);
    }

    /** {@return the bell behind one that was taken} Before {@link #heard}: it may ring again from then on, and have another behind it. */
    public @Nullable Bell<T> next(Bell<T> bell) {
        Bell<T> next = bell.next;
        bell.next = null;
        return next;
    }

    /** {@return what its rings wished} From now on it rings anew. */
    public int heard(Bell<T> bell) {
        // Reads too: what was written before a ring that came too late is seen.
        return (int) Bell.FLAGS.getAndSet(bell, 0);
    }
}
