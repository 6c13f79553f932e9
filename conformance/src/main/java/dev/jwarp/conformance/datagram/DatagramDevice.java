package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Attempt;
import dev.jwarp.conformance.suite.Subject;
import dev.jwarp.conformance.suite.TestCase;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A device that speaks datagrams, with a datagram target above it (docs/conformance/target.md).
 *
 * @param target the resolved address at which the target takes commands
 * @param keys the keys that the target can give to a port; null skips the cases that need keys
 */
public record DatagramDevice(
        InetSocketAddress target, @Nullable KeyRing keys) implements Subject {
    @Override
    public Attempt attempt(TestCase test, Patience patience) {
        return new DatagramTrial(target, keys, patience, test.id().hashCode());
    }

    @Override
    public void close() {
        // Each case closes its own exchanges.
    }
}
