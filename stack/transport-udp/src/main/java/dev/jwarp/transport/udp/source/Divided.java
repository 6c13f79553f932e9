package dev.jwarp.transport.udp.source;

import dev.jwarp.base.ShareWatcher;
import dev.jwarp.base.SourceKey;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpCounter;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is divided among the sources of datagrams: counts and tells when one has to give something back. Owner thread only. */
public final class Divided implements ShareWatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Divided.class);

    private final Consumer<UdpCounter> counts;
    private final UdpCounter takenBack;

    /**
     * For one resource.
     *
     * @param counts adds one to a counter
     * @param takenBack moves when one had to give something back; a refusal is counted by the part that was asked
     */
    public Divided(Consumer<UdpCounter> counts, UdpCounter takenBack) {
        this.counts = counts;
        this.takenBack = takenBack;
    }

    /** {@return whose share it is: one host, whatever its ports} */
    public static long source(DatagramAddress address) {
        return address.ipv4() ? SourceKey.ofIpv4((int) address.low()) : SourceKey.ofIpv6(address.high());
    }

    @Override
    public void onTakenBack(long units) {
        counts.accept(takenBack);
    }

    @Override
    public void say(String sentence) {
        LOG.warn("{}", sentence);
    }
}
