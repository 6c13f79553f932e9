package dev.jwarp.tools.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

/** Forwards data between both sides. One thread. */
interface Gateway extends AutoCloseable {
    /** {@return the address on which it listens} */
    InetSocketAddress address() throws IOException;

    /**
     * Forwards until {@code ends}, or until so many clients were served and have left.
     *
     * @param most number of clients; 0 for any number
     */
    void run(long most, BooleanSupplier ends) throws IOException;

    /** {@return the totals: fields for JSON, and {@code toString} for the user} */
    Object totals();

    /** Ends all connections and sessions. */
    @Override
    void close() throws IOException;
}
