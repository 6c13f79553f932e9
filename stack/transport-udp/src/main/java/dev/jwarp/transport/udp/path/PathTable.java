package dev.jwarp.transport.udp.path;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.transport.udp.source.SourceTable;
import dev.jwarp.transport.udp.wire.DatagramLength;
import org.jspecify.annotations.Nullable;

/**
 * The paths to the addresses that the ports of one owner send to, shared by all ports of an address (RFC 9040). The
 * least recently used path is evicted; users that hold it keep its state. Owner thread only; allocates for a new
 * address only.
 */
public final class PathTable {
    /** Addresses that are remembered. */
    static final int ENTRIES = 4_096;

    /** The MTU of a path while nothing else is known: that of Ethernet. */
    static final int USUAL_MTU = 1_500;

    /** An interface with this MTU is the loopback interface: packets of this length do not leave the host. */
    private static final int NO_WIRE = 65_535;

    private final SourceTable addresses;
    private final @Nullable PathMtuSearch[] paths = new PathMtuSearch[ENTRIES];
    private final DatagramAddress key = new DatagramAddress();

    private final long raiseNanos;

    public PathTable(long secret, long raiseNanos) {
        this.raiseNanos = raiseNanos;
        addresses = new SourceTable(ENTRIES, secret);
    }

    /** {@return the path to that address; null if it is not known} */
    @Nullable
    public PathMtuSearch find(DatagramAddress to) {
        int slot = addresses.find(withoutPort(to));
        return slot < 0 ? null : paths[slot];
    }

    /** {@return the path to that address; a new path begins with the MTUs that the driver reports} */
    public PathMtuSearch of(DatagramAddress to, DatagramDriver driver) {
        int slot = addresses.put(withoutPort(to));
        PathMtuSearch known = paths[slot];
        if (known == null || addresses.fresh()) {
            known = search(to, driver);
            paths[slot] = known;
        }
        return known;
    }

    private DatagramAddress withoutPort(DatagramAddress to) {
        return key.set(to.high(), to.low(), 0, to.scope());
    }

    private PathMtuSearch search(DatagramAddress to, DatagramDriver driver) {
        int device = driver.interfaceMtu(to);
        int route = driver.routeMtu(to);
        if (device <= 0) {
            device = route > 0 ? route : USUAL_MTU;
        }
        boolean here = device >= NO_WIRE;
        // DG-6-14
        int begin = here ? device : Math.min(route > 0 ? route : device, USUAL_MTU);
        int headers = to.headers();
        int largest = Math.min(device - headers, DatagramLength.LARGEST);
        // DG-6-14: where fragments cannot be forbidden, a probe that comes through proves nothing; a group sends no
        // replies.
        boolean probes = !here && !to.group() && driver.keepsWhole();
        return new PathMtuSearch(to, begin - headers, largest, probes ? raiseNanos : 0);
    }
}
