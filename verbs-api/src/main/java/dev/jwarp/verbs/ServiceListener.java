package dev.jwarp.verbs;

import java.net.InetSocketAddress;

/** A service that can be resolved; close it to take it back. Threads: any. */
public interface ServiceListener extends AutoCloseable {
    /** {@return where it is to be asked for, with the real port} */
    InetSocketAddress localAddress();

    /** {@return its id} */
    long serviceId();

    /** Takes it back: from now on there is no such service. More calls do nothing. */
    @Override
    void close();
}
