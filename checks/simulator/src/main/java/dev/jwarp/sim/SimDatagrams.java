package dev.jwarp.sim;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramEngineFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The datagrams of a {@link SimNetwork}: hosts with ports, groups, and raw sockets of tests, which may forge their
 * source address. A datagram to an address without a port is dropped. The thread of the network only.
 */
public final class SimDatagrams {
    /** Observes every sent datagram, including lost ones. */
    public interface Tap {
        /** A datagram is sent; its bytes are between position and limit, valid only during the call. */
        void sent(InetSocketAddress from, InetSocketAddress to, ByteBuffer octets, long nowNanos);
    }

    /** The receiver of a raw socket. */
    public interface Receiver {
        /** A datagram arrived, in a separate buffer. */
        void receive(InetSocketAddress from, ByteBuffer octets);
    }

    private record Direction(InetAddress from, InetAddress to) {}

    private final SimNetwork network;
    private final Map<InetSocketAddress, Receiver> sockets = new HashMap<>();
    private final Map<InetSocketAddress, List<SimDatagramPort>> groups = new HashMap<>();
    private final Map<Direction, DatagramFaults> faults = new HashMap<>();
    private final Set<String> hosts = new TreeSet<>();
    private final List<Tap> taps = new ArrayList<>();
    private final Map<Direction, SimBottleneck> bottlenecks = new HashMap<>();
    private Predicate<ByteBuffer> vanishing = octets -> false;
    private DatagramFaults usualFaults = DatagramFaults.NONE;
    private int largestDatagram = 65_507;
    private boolean coalesces;
    private SimDevice device = SimDevice.ENDLESS;

    /** Adds datagrams to a network. */
    public SimDatagrams(SimNetwork network) {
        this.network = network;
    }

    /** {@return the network} */
    public SimNetwork network() {
        return network;
    }

    /** Adds a host; {@code engines} creates the engines of its ports. */
    public SimDatagramTransport host(InetAddress host, DatagramEngineFactory engines) {
        if (!hosts.add(host.getHostAddress())) {
            throw new IllegalArgumentException("The network already has a host " + host.getHostAddress());
        }
        return new SimDatagramTransport(this, host, engines);
    }

    /** Sets the default faults. */
    public void faults(DatagramFaults usual) {
        usualFaults = usual;
    }

    /** Sets the faults of the path from one host to another. */
    public void faults(InetAddress from, InetAddress to, DatagramFaults what) {
        faults.put(new Direction(from, to), what);
    }

    /** Routes datagrams from one host to another through a bottleneck; not for groups. */
    public void bottleneck(InetAddress from, InetAddress to, SimBottleneck link) {
        bottlenecks.put(new Direction(from, to), link);
    }

    /** Sets a filter that drops datagrams; it must not change the buffer. */
    public void lose(Predicate<ByteBuffer> which) {
        vanishing = which;
    }

    /** Sets the size of the largest datagram that can be sent, in bytes. */
    public void largestDatagram(int octets) {
        largestDatagram = octets;
    }

    /**
     * From now on ports receive several datagrams at a time, as with UDP_GRO: datagrams of one time and source with the
     * length of the first, and a shorter last one.
     */
    public void coalesce() {
        coalesces = true;
    }

    /** Sets the device of ports opened from now on. */
    public void device(SimDevice what) {
        device = what;
    }

    /** Sets the observer of datagrams sent from now on. */
    public void tap(Tap tap) {
        taps.add(tap);
    }

    /** Opens a raw socket; its address must be unused. */
    public void socket(InetSocketAddress at, Receiver receiver) {
        if (sockets.putIfAbsent(at, receiver) != null) {
            throw new IllegalArgumentException("The port " + at + " is taken");
        }
    }

    /** Sends the bytes between position and limit, with any source address {@code from}. */
    public void send(InetSocketAddress from, InetSocketAddress to, ByteBuffer octets) {
        send(from, to, octets, network.now(), host -> true);
    }

    /** @param reaches where it comes to members, if it is for a group */
    void send(
            InetSocketAddress from,
            InetSocketAddress to,
            ByteBuffer octets,
            long departureNanos,
            Predicate<InetAddress> reaches) {
        for (Tap tap : taps) {
            tap.sent(from, to, octets.duplicate(), network.now());
        }
        List<SimDatagramPort> members = groups.get(to);
        if (members != null) {
            for (SimDatagramPort member : members) {
                InetAddress where = member.localAddress().getAddress();
                if (reaches.test(where)) {
                    pipe(from, where, arrived -> member.arrived(from, arrived, to))
                            .send(octets, departureNanos);
                }
            }
            return;
        }
        SimBottleneck link = bottlenecks.get(new Direction(from.getAddress(), to.getAddress()));
        long leaves = link == null ? departureNanos : link.pass(octets.remaining(), departureNanos);
        if (leaves < 0 || vanishing.test(octets)) {
            return;
        }
        pipe(from, to.getAddress(), arrived -> {
                    Receiver receiver = sockets.get(to);
                    if (receiver != null) {
                        receiver.receive(from, arrived);
                    }
                })
                .send(octets, leaves);
    }

    private SimDatagramPipe pipe(
            InetSocketAddress from, InetAddress to, java.util.function.Consumer<ByteBuffer> receiver) {
        DatagramFaults what = faults.getOrDefault(new Direction(from.getAddress(), to), usualFaults);
        return new SimDatagramPipe(network, what, receiver);
    }

    // For ports.

    boolean isTaken(InetSocketAddress at) {
        return sockets.containsKey(at);
    }

    int largestDatagram() {
        return largestDatagram;
    }

    boolean coalesces() {
        return coalesces;
    }

    SimDevice device() {
        return device;
    }

    void close(InetSocketAddress at) {
        sockets.remove(at);
    }

    void join(DatagramAddress group, SimDatagramPort port) {
        groups.computeIfAbsent(group.toSocketAddress(), key -> new ArrayList<>())
                .add(port);
    }

    void leave(DatagramAddress group, SimDatagramPort port) {
        List<SimDatagramPort> members = groups.get(group.toSocketAddress());
        if (members != null) {
            members.remove(port);
        }
    }

    void forget(InetAddress host) {
        hosts.remove(host.getHostAddress());
    }
}
