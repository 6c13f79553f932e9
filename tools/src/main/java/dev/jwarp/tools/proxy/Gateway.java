package dev.jwarp.tools.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

/** Carries what comes to one side to the other one, and back. One thread. */
interface Gateway extends AutoCloseable {
    /** {@return where it listens} */
    InetSocketAddress address() throws IOException;

    /** Carries until it is to end, or so many clients were served and are gone; 0: any number. */
    void run(long most, BooleanSupplier ends) throws IOException;

    /** {@return what it has carried: its fields are for programs, and its words for people} */
    Object totals();

    /** Ends all that is open. */
    @Override
    void close() throws IOException;
}
