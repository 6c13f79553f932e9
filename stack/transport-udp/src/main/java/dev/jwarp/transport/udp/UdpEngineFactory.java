package dev.jwarp.transport.udp;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.llp.datagram.DatagramDriver;
import dev.jwarp.ddp.llp.datagram.DatagramEngine;
import dev.jwarp.ddp.llp.datagram.DatagramEngineFactory;
import java.util.random.RandomGenerator;

/** Makes the engines of one owner, which share what they know of strangers. Owner only, but for the constructor. */
public final class UdpEngineFactory implements DatagramEngineFactory {
    private final UdpSettings settings;
    private final Tally<UdpCounter> counters;
    private final PortQueuePairFactory reliable;
    private final RandomGenerator random;
    private final AnswerSources sources;

    /**
     * A factory.
     *
     * @param reliable makes what stands below reliable queue pairs
     * @param random numbers that cannot be guessed (in earnest a {@link java.security.SecureRandom})
     */
    public UdpEngineFactory(
            UdpSettings settings, Tally<UdpCounter> counters, PortQueuePairFactory reliable, RandomGenerator random) {
        this.settings = settings;
        this.counters = counters;
        this.reliable = reliable;
        this.random = random;
        sources = new AnswerSources(settings, counters, random);
    }

    @Override
    public DatagramEngine open(DatagramDriver driver, long nowNanos) {
        return new UdpEngine(this, driver);
    }

    UdpSettings settings() {
        return settings;
    }

    Tally<UdpCounter> counters() {
        return counters;
    }

    PortQueuePairFactory reliable() {
        return reliable;
    }

    RandomGenerator random() {
        return random;
    }

    AnswerSources sources() {
        return sources;
    }
}
