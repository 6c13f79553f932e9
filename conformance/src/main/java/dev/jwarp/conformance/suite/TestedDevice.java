package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.util.List;

/** A device under test that speaks TCP: gives a new connection for each conversation. One thread at a time. */
public interface TestedDevice extends Subject {
    /** Its role in MPA's start-up. */
    Role role();

    /** A new TCP connection with it. */
    Wire connect() throws IOException;

    /** A new TCP connection with another port of it, where it is the responder; the next one where it is the initiator. */
    Wire connect(int port) throws IOException;

    /** The program above it, for one connection. */
    Application application();

    /** It has been waited for in vain so often that no connection will come any more. */
    default boolean gone() {
        return false;
    }

    /** It takes one connection and no other while it runs. */
    default boolean single() {
        return false;
    }

    /** What is known of it. */
    Survey survey();

    /** What was said, in lines, by what makes the device connect; empty where nothing does or it is not seen. */
    default List<String> said() {
        return List.of();
    }

    @Override
    default Attempt attempt(TestCase test, Patience patience) {
        return new Trial(this, patience, test.needs());
    }

    /** A device that is another one but for how a connection with it is made. */
    interface Wrapped extends TestedDevice {
        /** The other one. */
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
    }
}
