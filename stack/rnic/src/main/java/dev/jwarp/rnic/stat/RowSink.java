package dev.jwarp.rnic.stat;

import dev.jwarp.verbs.ObservedRow;

/** Takes rows, not more of a kind than there is room for. One thread. */
public interface RowSink {
    /** {@return whether more rows of this kind are welcome; if not, the caller need not make any} */
    boolean wants(String object);

    /** Takes a row. */
    void row(ObservedRow row);
}
