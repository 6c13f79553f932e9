package dev.jwarp.transport.udp.source;

import dev.jwarp.base.ShareWatcher;
import dev.jwarp.base.SourceKey;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpCounter;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs when a source of datagrams loses a part of a shared resource to another source. Owner thread only.
 */
public final class Divided implements ShareWatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Divided.class);

    private final Consumer<UdpCounter> counts;
    private final UdpCounter takenBack;

    /**
     * For one resource.
     *
     * @param counts adds one to a counter
     * @param takenBack the counter of such losses; refusals are counted by the resource itself
     */
    public Divided(Consumer<UdpCounter> counts, UdpCounter takenBack) {
        this.counts = counts;
        this.takenBack = takenBack;
    }

    /** {@return the key of a source's share: its host, whatever the port} */
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
