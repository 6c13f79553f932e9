package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.suite.Attempt;
import dev.jwarp.conformance.suite.Subject;
import dev.jwarp.conformance.suite.TestCase;
import java.net.InetSocketAddress;

/** A device that speaks datagrams, with a datagram target above it (docs/conformance/target.md). */
public final class DatagramDevice implements Subject {
    private final InetSocketAddress target;

    /** @param target where the target takes orders, resolved */
    public DatagramDevice(InetSocketAddress target) {
        this.target = target;
    }

    @Override
    public Attempt attempt(TestCase test, Patience patience) {
        return new DatagramTrial(target, patience, test.id().hashCode());
    }

    @Override
    public void close() {
        // Each case closes what it opened.
    }
}
