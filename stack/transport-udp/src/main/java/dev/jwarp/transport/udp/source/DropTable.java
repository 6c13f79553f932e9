package dev.jwarp.transport.udp.source;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.SourceDrops;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sources whose datagrams a port dropped, each with the number of drops and the cause of the last one. The table
 * keeps the most recent sources, {@link UdpSetting#SOURCES} of them (datagram-iWARP §13). All memory is allocated at
 * the first drop. Owner thread only.
 */
public final class DropTable {
    private final Tally<UdpCounter> counters;
    private final int most;
    private final long secret;
    private @Nullable SourceTable sources;
    private long[] counts = new long[0];
    private @Nullable String[] causes = new String[0];

    public DropTable(UdpSettings settings, Tally<UdpCounter> counters, long secret) {
        this.counters = counters;
        most = (int) settings.number(UdpSetting.SOURCES);
        this.secret = secret;
    }

    /** A datagram of that source was dropped; {@code cause} is the counter's name. */
    public void note(DatagramAddress source, String cause) {
        SourceTable known = sources;
        if (known == null) {
            known = SourceTable.divided(most, secret);
            sources = known;
            counts = new long[most];
            causes = new String[most];
        }
        int slot = known.put(source);
        if (known.fresh()) {
            if (counts[slot] > 0) {
                counters.count(UdpCounter.DROPS_FORGOTTEN);
            }
            counts[slot] = 0;
        }
        counts[slot]++;
        causes[slot] = cause;
    }

    /** {@return all sources, the most recent first} */
    public List<SourceDrops> all() {
        SourceTable known = sources;
        if (known == null) {
            return List.of();
        }
        List<SourceDrops> all = new ArrayList<>();
        DatagramAddress source = new DatagramAddress();
        for (int slot = known.newest(); slot >= 0; slot = known.olderThan(slot)) {
            known.get(slot, source);
            all.add(new SourceDrops(source.toSocketAddress(), counts[slot], String.valueOf(causes[slot])));
        }
        return List.copyOf(all);
    }
}
