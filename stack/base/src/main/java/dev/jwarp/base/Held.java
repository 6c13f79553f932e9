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

    /** Link in a chain of the table, or of free entries. */
    @Nullable
    E link;

    /** Creates an entry without holders. */
    protected Held() {}

    /** {@return the hash that identifies the entry in the table} */
    public final long hash() {
        return hash;
    }
}
