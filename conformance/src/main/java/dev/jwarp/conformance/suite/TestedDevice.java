package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.util.List;

/** A device under test that speaks TCP, with a new connection for each conversation. For one thread at a time. */
public interface TestedDevice extends Subject {
    /** The device's role in MPA's start-up. */
    Role role();

    /** Makes a new TCP connection with the device. */
    Wire connect() throws IOException;

    /** Makes a new TCP connection with another port of a responder; takes the next connection of an initiator. */
    Wire connect(int port) throws IOException;

    /** The program above the device, for one connection. */
    Application application();

    /** Whether so many waits for the device were in vain that no further connection is to be expected. */
    default boolean gone() {
        return false;
    }

    /** Whether the device serves one connection only while it runs. */
    default boolean single() {
        return false;
    }

    /** The facts that are known about the device. */
    Survey survey();

    /**
     * Output lines of the process that makes the device connect; empty if there is none or its output is not visible.
     */
    default List<String> said() {
        return List.of();
    }

    @Override
    default Attempt attempt(TestCase test, Patience patience) {
        return new Trial(this, patience, test.needs());
    }

    /** A device that changes only how connections with another device are made. */
    interface Wrapped extends TestedDevice {
        TestedDevice device();

        @Override
        default Role role() {
            return device().role();
        }

        @Override
        default Wire connect(int port) throws IOException {
            return device().connect(port);
        }

        @Override
        default Application application() {
            return device().application();
        }

        @Override
        default boolean gone() {
            return device().gone();
        }

        @Override
        default boolean single() {
            return device().single();
        }

        @Override
        default boolean survived() {
            return device().survived();
        }

        @Override
        default Survey survey() {
            return device().survey();
        }

        @Override
        default List<String> said() {
            return device().said();
        }

        @Override
        default void close() {
            device().close();
        }
    }
}
