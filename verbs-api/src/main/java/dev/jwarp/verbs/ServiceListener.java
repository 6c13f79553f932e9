package dev.jwarp.verbs;

import java.net.InetSocketAddress;

/** A registered service that peers can resolve. Threads: any. */
public interface ServiceListener extends AutoCloseable {
    /** {@return the address that peers send their requests to, with the actual port number} */
    InetSocketAddress localAddress();

    /** {@return the id of the service} */
    long serviceId();

    /**
     * Removes the service: later requests get the answer that there is no such service. Further calls have no effect.
     */
    @Override
    void close();
}
