package dev.jwarp.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A wake-up queue: any thread rings a bell, and the owner takes all rung bells at once. Each entry has its own bell and
 * is queued at most once, so a ring allocates nothing, and a repeated ring is cheap.
 *
 * <p>For each taken bell the owner calls {@link #next}, then {@link #heard}, and only then examines the entry. So the
 * owner sees everything written before a ring that came too late to queue the bell again.
 *
 * @param <T> what rings
 */
public final class Bells<T> {
    /** The bit that {@link #ring(Bell)} sets. */
    public static final int RUNG = 1;

    /**
     * The bell of one entry; it belongs to at most one {@code Bells}.
     *
     * @param <T> what rings
     */
    public static final class Bell<T> {
        private static final VarHandle FLAGS = flags();

        private final T of;
        private volatile int flags;
        private @Nullable Bell<T> next;

        /** Creates a bell that is not rung. */
        public Bell(T of) {
            this.of = of;
        }

        /** {@return what rings} */
        public T of() {
            return of;
        }

        /** {@return whether the bell is rung and not yet heard} Any thread. */
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

    /** Creates an empty queue. */
    public Bells() {}

    /** {@return whether nothing waits to be taken} Any thread. */
    public boolean isEmpty() {
        return head.get() == null;
    }

    /**
     * {@return whether the bell was not rung before; otherwise the pending examination sees the caller's writes} Any
     * thread.
     */
    public boolean ring(Bell<T> bell) {
        return ring(bell, RUNG);
    }

    /**
     * Rings and passes bits. Any thread.
     *
     * @param wish bits besides {@link #RUNG}; {@link #heard} returns them, or-ed with those of other rings
     * @return whether the bell was not rung before
     */
    public boolean ring(Bell<T> bell, int wish) {
        // The write is needed even if all bits are set: the later examination must see earlier writes.
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

    /** {@return the first rung bell; {@link #next} returns the others; null if there is none} */
    public @Nullable Bell<T> takeAll() {
        return head.get() == null ? null : head.getAndSet(null);
    }

    /**
     * {@return the bell after a taken one} Call it before {@link #heard}: after that the bell may ring again and have
     * another successor.
     */
    public @Nullable Bell<T> next(Bell<T> bell) {
        Bell<T> next = bell.next;
        bell.next = null;
        return next;
    }

    /** {@return the or-ed bits of all rings} From now on the bell can ring again. */
    public int heard(Bell<T> bell) {
        // A read as well as a write: it sees everything written before a ring that came too late.
        return (int) Bell.FLAGS.getAndSet(bell, 0);
    }
}
