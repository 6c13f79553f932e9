package dev.jwarp.transport.udp.engine;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.DatagramEngine;
import dev.jwarp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.path.PathTable;
import dev.jwarp.transport.udp.port.PortQueuePair;
import dev.jwarp.transport.udp.seal.PortSeal;
import dev.jwarp.transport.udp.source.AnswerSources;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Creates the engines of one owner, which share their tables of sources. Owner only, except for the constructor. */
public final class UdpEngineFactory implements DatagramEngineFactory {
    final UdpSettings settings;
    final Tally<UdpCounter> counters;
    final PortQueuePair.Factory reliable;
    final RandomGenerator random;
    final @Nullable Supplier<PortSeal> seals;
    final AnswerSources sources;
    private @Nullable PathTable paths;

    /**
     * A factory.
     *
     * @param reliable creates the lower layer of reliable queue pairs
     * @param random unpredictable numbers (in production a {@link java.security.SecureRandom})
     * @param seals creates the seal of a port; null without keys
     */
    public UdpEngineFactory(
            UdpSettings settings,
            Tally<UdpCounter> counters,
            PortQueuePair.Factory reliable,
            RandomGenerator random,
            @Nullable Supplier<PortSeal> seals) {
        this.seals = seals;
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

    /** {@return the paths of the ports of this owner} */
    PathTable paths() {
        PathTable known = paths;
        if (known == null) {
            known = new PathTable(random.nextLong(), TimeUnit.SECONDS.toNanos(settings.number(UdpSetting.PATH_RAISE)));
            paths = known;
        }
        return known;
    }
}
