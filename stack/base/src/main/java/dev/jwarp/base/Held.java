package dev.jwarp.base;

import org.jspecify.annotations.Nullable;

/**
 * An entry of a {@link HeldTable}.
 *
 * @param <E> the class that extends this one
 */
public abstract class Held<E extends Held<E>> {
    long hash;
    int holders;

    /** The chain of the table, or of free ones. */
    @Nullable
    E link;

    /** Not held yet. */
    protected Held() {}

    /** {@return the hash that it is found by} */
    public final long hash() {
        return hash;
    }
}
