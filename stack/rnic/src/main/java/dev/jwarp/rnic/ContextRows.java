package dev.jwarp.rnic;

import dev.jwarp.base.HostPort;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.PathControl;
import dev.jwarp.rdmap.datagram.DatagramLimit;
import dev.jwarp.rdmap.datagram.DatagramSettings;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.connection.CmIdState;
import dev.jwarp.rnic.connection.RnicCmId;
import dev.jwarp.rnic.connection.RnicQueuePair;
import dev.jwarp.rnic.core.QueuePairCounts;
import dev.jwarp.rnic.core.RnicCounter;
import dev.jwarp.rnic.datagram.RnicAddressHandle;
import dev.jwarp.rnic.datagram.RnicDatagramQueuePair;
import dev.jwarp.rnic.memory.RnicMemoryRegion;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.rnic.queuepair.QueuePairBase;
import dev.jwarp.rnic.stat.RowSource;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.PortAttributes;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairInformation;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a context for other processes. Names are those of iproute2's {@code rdma}. Rows are read without locks,
 * so a concurrent change may be visible in part. The rows contain neither Q_Keys nor the contents of memory. They do
 * contain STags, because only processes of the same user read the rows, and such a process can read the memory of this
 * process anyway.
 */
final class ContextRows implements RowSource {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final int PORT = 1;

    private final RnicContext context;
    private final int number = NUMBERS.incrementAndGet();
    private final String dev;
    private final String link;

    ContextRows(RnicContext context) {
        this.context = context;
        dev = context.device().name();
        link = dev + "/" + PORT;
    }

    @Override
    public String link() {
        return link;
    }

    @Override
    public Set<InetAddress> localAddresses() {
        Stream<InetSocketAddress> all = Stream.concat(
                ids().stream().map(RnicCmId::localAddress).filter(Objects::nonNull),
                datagramQueuePairs().stream().map(RnicDatagramQueuePair::localAddress));
        return all.map(InetSocketAddress::getAddress)
                .filter(address -> address != null && !address.isAnyLocalAddress())
                .collect(Collectors.toSet());
    }

    /**
     * {@return the port, once for each interface that has one of these addresses, in ascending order of MTU; the
     * default port if no interface has one}
     */
    private List<PortAttributes> ports(Set<InetAddress> local) {
        Map<String, PortAttributes> byName = new TreeMap<>();
        for (InetAddress address : local) {
            HostInterface has = HostInterface.of(address);
            if (has != null) {
                byName.put(has.name(), context.device().port(has));
            }
        }
        return byName.isEmpty()
                ? List.of(context.device().port(PORT))
                : byName.values().stream()
                        .sorted(Comparator.comparingInt(PortAttributes::interfaceMtu))
                        .toList();
    }

    @Override
    public ObservedRow linkRow(Set<InetAddress> local) {
        List<PortAttributes> ports = ports(local);
        PortAttributes port = ports.get(0);
        boolean up = ports.stream().allMatch(each -> each.state() == PortAttributes.PortState.ACTIVE);
        return ObservedRow.of("link")
                .with("link", link)
                .with("ifindex", 0)
                .with("state", (up ? PortAttributes.PortState.ACTIVE : PortAttributes.PortState.DOWN).name())
                .with("physical_state", up ? "LINK_UP" : "DISABLED")
                .with(
                        "netdev",
                        ports.stream().map(PortAttributes::interfaceName).collect(Collectors.joining(",")))
                .with("netdev_mtu", port.interfaceMtu())
                .with("active_mtu", port.activeMtu())
                .with("max_msg_sz", port.maxMessageSize())
                .with(
                        "node_guid",
                        String.format(Locale.ROOT, "%016x", context.device().guid()));
    }

    // ---- numbers of objects

    @Override
    public Map<String, Long> counts() {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("qp", (long) connected().size() + datagramQueuePairs().size());
        counts.put("cq", (long) context.completionQueues().queues().size());
        counts.put("pd", (long) context.domains.size());
        counts.put("cm_id", (long) ids().size());
        counts.put("mr", inDomains(RnicProtectionDomain::regions));
        counts.put("ctx", 1L);
        counts.put("srq", inDomains(RnicProtectionDomain::sharedReceiveQueues));
        counts.put("ah", addressHandles());
        counts.put("mw", inDomains(RnicProtectionDomain::windows));
        return counts;
    }

    private List<RnicCmId> ids() {
        return context.hasConnections() ? List.copyOf(context.connections().ids()) : List.of();
    }

    private List<RnicQueuePair> connected() {
        return context.hasConnections()
                ? List.copyOf(context.connections().queuePairs().all())
                : List.of();
    }

    private List<RnicDatagramQueuePair> datagramQueuePairs() {
        return context.hasDatagrams()
                ? List.copyOf(context.datagrams().queuePairs().all())
                : List.of();
    }

    private long inDomains(Function<RnicProtectionDomain, Set<?>> what) {
        long count = 0;
        for (RnicProtectionDomain domain : List.copyOf(context.domains)) {
            count += what.apply(domain).size();
        }
        return count;
    }

    private long addressHandles() {
        long count = 0;
        for (RnicDatagramQueuePair queuePair : datagramQueuePairs()) {
            count += queuePair.handles().size();
        }
        return count;
    }

    @Override
    public List<Counter> counters() {
        return context.counters();
    }

    // ---- use of limits

    @Override
    public void limits(RowSource.Sink sink) {
        DeviceAttributes most = context.core().attributes();
        Map<String, Long> counts = counts();
        LimitSink ofContext = (name, current, highWater, limit) -> limit(
                sink, ObservedRow.of("limit").with("link", link).with("ctxn", number), name, current, highWater, limit);
        ofContext.limit("qp", counts.getOrDefault("qp", 0L), most.maxQueuePairs());
        ofContext.limit("cq", counts.getOrDefault("cq", 0L), most.maxCompletionQueues());
        ofContext.limit("pd", counts.getOrDefault("pd", 0L), most.maxProtectionDomains());
        ofContext.limit("mr", counts.getOrDefault("mr", 0L), most.maxMemoryRegions());
        context.core().asyncEvents().limits(ofContext);
        context.limits(ofContext);
        datagramQueuePairs().forEach(queuePair -> limits(sink, queuePair));
    }

    private void limits(RowSource.Sink sink, RnicDatagramQueuePair queuePair) {
        if (!sink.wants("limit")) {
            return;
        }
        ObservedRow whose = ObservedRow.of("limit").with("link", link).with("lqpn", queuePair.number());
        Set<String> told = new HashSet<>();
        context.datagrams().limits(queuePair, (name, current, highWater, limit) -> {
            told.add(name);
            limit(sink, whose, name, current, highWater, limit);
        });
        // Limits without a current use: those of a source, and those that nothing uses up.
        DatagramSettings settings = context.datagrams().settings(queuePair);
        for (DatagramLimit limit : DatagramLimit.values()) {
            if (limit.isSize() && !told.contains(limit.key())) {
                sink.row(whose.with("name", limit.key()).with("limit", settings.get(limit)));
            }
        }
    }

    private static void limit(
            RowSource.Sink sink, ObservedRow whose, String name, long current, long highWater, long limit) {
        ObservedRow row = whose.with("name", name).with("current", current);
        sink.row((highWater == LimitSink.NOT_KEPT ? row : row.with("high-water", highWater)).with("limit", limit));
    }

    // ---- objects

    @Override
    public void objects(RowSource.Sink sink) {
        sink.row(device("ctx").with("progress", lower(context.progress().name())));
        each(sink, "cq", context.completionQueues().queues(), this::row);
        for (RnicProtectionDomain domain : List.copyOf(context.domains)) {
            each(sink, "pd", List.of(domain), this::row);
            each(sink, "mr", regions(sink, domain), this::row);
            each(sink, "srq", domain.sharedReceiveQueues(), this::row);
        }
        each(sink, "cm_id", ids(), this::row);
        each(sink, "qp", connected(), this::row);
        for (RnicDatagramQueuePair queuePair : datagramQueuePairs()) {
            each(sink, "qp", List.of(queuePair), this::row);
            each(
                    sink,
                    "ah",
                    sink.wants("ah") ? queuePair.handles().copy() : List.of(),
                    handle -> row(queuePair, handle));
        }
    }

    /**
     * {@return the regions of {@code domain} in the order of their registration; none if the sink does not want them}
     */
    private static List<RnicMemoryRegion> regions(RowSource.Sink sink, RnicProtectionDomain domain) {
        return !sink.wants("mr")
                ? List.of()
                : domain.regions().stream()
                        .sorted(Comparator.comparingInt(RnicMemoryRegion::number))
                        .toList();
    }

    private static <T> void each(RowSource.Sink sink, String object, Collection<T> all, Function<T, ObservedRow> row) {
        if (all.isEmpty() || !sink.wants(object)) {
            return;
        }
        for (T one : List.copyOf(all)) {
            if (!sink.wants(object)) {
                return;
            }
            sink.row(row.apply(one));
        }
    }

    private ObservedRow device(String object) {
        return ObservedRow.of(object).with("dev", dev).with("ctxn", number);
    }

    private ObservedRow port(String object) {
        return ObservedRow.of(object).with("link", link).with("ctxn", number);
    }

    private ObservedRow row(RnicCompletionQueue queue) {
        return device("cq")
                .with("cqn", queue.handle())
                .with("cqe", queue.capacity())
                .with("users", queue.users())
                .with("waiting", queue.waiting());
    }

    private ObservedRow row(RnicProtectionDomain domain) {
        return device("pd").with("pdn", domain.handle()).with("users", domain.users());
    }

    private ObservedRow row(RnicMemoryRegion region) {
        return device("mr")
                .with("mrn", region.number())
                .with("mrlen", region.length())
                .with("pdn", region.protectionDomain().handle())
                .with("rkey", String.format(Locale.ROOT, "0x%08x", region.rkey()))
                .with("lkey", String.format(Locale.ROOT, "0x%08x", region.lkey()))
                .with("iova", String.format(Locale.ROOT, "0x%x", region.address()))
                .with("access", access(region));
    }

    private static String access(RnicMemoryRegion region) {
        List<String> flags = region.access().stream().map(Enum::name).sorted().toList();
        return flags.isEmpty() ? "none" : lower(String.join(",", flags));
    }

    private ObservedRow row(RnicSharedReceiveQueue queue) {
        return device("srq")
                .with("srqn", queue.handle())
                .with("type", "BASIC")
                .with("pdn", queue.protectionDomain().handle())
                .with("rq-used", queue.posted())
                .with("rq-size", queue.capacity());
    }

    private ObservedRow row(RnicCmId id) {
        QueuePair queuePair = id.queuePair();
        ObservedRow row = port("cm_id");
        row = queuePair == null ? row : row.with("lqpn", queuePair.number());
        return row.with("qp-type", "RC")
                .with("state", word(id.life().state()))
                .with("ps", "TCP")
                .with("src-addr", text(id.localAddress()))
                .with("dst-addr", text(id.remoteAddress()));
    }

    /** The name of the state in rdma_cm. */
    private static String word(CmIdState state) {
        return switch (state) {
            case NEW -> "IDLE";
            case BOUND -> "ADDR_BOUND";
            case RESOLVED -> "ROUTE_RESOLVED";
            case LISTENING -> "LISTEN";
            case CONNECTING, REQUESTED, ACCEPTING, ESTABLISHED -> "CONNECT";
            case OVER -> "DISCONNECT";
            case CLOSED, GONE -> "DESTROYING";
        };
    }

    private ObservedRow row(RnicQueuePair queuePair) {
        QueuePairInformation is = queuePair.query();
        ObservedRow row = port("qp")
                .with("lqpn", queuePair.number())
                .with("type", "RC")
                .with("state", is.state().name())
                .with("iwarp-state", is.streamState())
                .with("pdn", queuePair.protectionDomain().handle())
                .with("src-addr", text(is.localAddress()))
                .with("dst-addr", text(is.remoteAddress()))
                .with("ird", is.ird())
                .with("ord", is.ord());
        return more(row, queuePair, is).with("failure", is.failure());
    }

    private ObservedRow row(RnicDatagramQueuePair queuePair) {
        ObservedRow row = port("qp")
                .with("lqpn", queuePair.number())
                .with("type", queuePair.type().name())
                .with("state", queuePair.state().name())
                .with("pdn", queuePair.protectionDomain().handle())
                .with("src-addr", text(queuePair.localAddress()))
                .with("ahs", queuePair.handles().size());
        return more(row, queuePair, queuePair.query());
    }

    /** {@return {@code row} with the columns that queue pairs of all types have} */
    private static ObservedRow more(ObservedRow row, QueuePairBase<?> queuePair, QueuePairInformation is) {
        QueuePairAttributes has = queuePair.attributes();
        RnicSharedReceiveQueue shared = queuePair.shared();
        ObservedRow more = row.with("sq-used", is.sendsOutstanding())
                .with("sq-size", has.maxSendWorkRequests())
                .with("rq-used", is.receivesOutstanding())
                .with("rq-size", has.maxReceiveWorkRequests())
                .with("scqn", queuePair.completer().sendCompletions().handle())
                .with("rcqn", queuePair.completer().receiveCompletions().handle());
        more = shared == null ? more : more.with("srqn", shared.handle());
        return counted(more, queuePair.completer().counts());
    }

    private static ObservedRow counted(ObservedRow row, QueuePairCounts counts) {
        ObservedRow more = row;
        for (RnicCounter counter : RnicCounter.values()) {
            if (QueuePairCounts.has(counter)) {
                more = more.with(lower(counter.name()), counts.get(counter));
            }
        }
        return more;
    }

    private ObservedRow row(RnicDatagramQueuePair queuePair, RnicAddressHandle handle) {
        ObservedRow row = device("ah")
                .with("lqpn", queuePair.number())
                .with("dst-addr", text(handle.address()))
                .with("rqpn", handle.queuePairNumber())
                .with("group", handle.group() ? "yes" : null)
                .with("path-mtu", handle.pathMtu())
                .with("pace", handle.pace());
        // Names as in ss; in bytes, bytes per second and nanoseconds. A path without congestion control has no such
        // columns.
        PathControl path = handle.peer().control();
        return path != null && path.smoothedRoundTrip() != 0
                ? row.with("cwnd", path.congestionWindow())
                        .with("rate", path.congestionRate())
                        .with("srtt", path.smoothedRoundTrip())
                : row;
    }

    private static @Nullable String text(@Nullable InetSocketAddress address) {
        return address == null ? null : HostPort.text(address);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
