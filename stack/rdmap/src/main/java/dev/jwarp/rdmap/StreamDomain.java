package dev.jwarp.rdmap;

/** The protection domain of a stream, as the stream sees it. Any thread. */
public interface StreamDomain {
    /** {@return the number under which the memory of this domain is registered} */
    long id();

    /**
     * {@return whether more than one stream belongs to this domain now} If so, an STag open to all streams of the
     * domain is shared, and no peer may invalidate it (RFC 5040 §8.1.1 (7), SEC-6.4.5-1).
     */
    boolean shared();
}
