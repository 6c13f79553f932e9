package dev.jwarp.rnic;

import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.Progressing;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.DeviceLimits;
import dev.jwarp.rnic.core.RnicSetting;
import dev.jwarp.rnic.progress.InlineProgression;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.SingleProgression;
import dev.jwarp.rnic.progress.ThreadedProgression;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.EventLoops;
import dev.jwarp.verbs.PortAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The device of the software RNIC. A context of the device supports connections, datagrams or both: whatever the class
 * path has transports for.
 */
public final class RnicDevice implements Device {
    private static final int LARGEST_MTU = 4096;
    private static final int SMALLEST_MTU = 256;
    private static final long LARGEST_MESSAGE = 0xffff_ffffL;
    private static final long NANOS_PER_MICRO = 1_000L;

    private final RnicProvider provider;
    private final String name;
    private final HostInterface host;

    RnicDevice(RnicProvider provider, String name, HostInterface host) {
        this.provider = provider;
        this.name = name;
        this.host = host;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<QueuePairType> queuePairTypes() {
        Set<QueuePairType> types = EnumSet.noneOf(QueuePairType.class);
        if (provider.carries(false)) {
            types.add(QueuePairType.RC);
        }
        if (provider.carries(true)) {
            types.addAll(EnumSet.of(QueuePairType.UD, QueuePairType.RD));
        }
        return Collections.unmodifiableSet(types);
    }

    @Override
    public long guid() {
        return host.guid();
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes(provider.configured(Map.of()));
    }

    DeviceAttributes attributes(Configuration configuration) {
        return DeviceLimits.attributes(RnicProvider.VERSION, guid(), configuration.number(RnicSetting.READ_DEPTH));
    }

    @Override
    public PortAttributes port(int port) {
        checkPort(port);
        return port(host);
    }

    @Override
    public PortAttributes port(int port, InetAddress address) {
        checkPort(port);
        HostInterface asked = HostInterface.of(RdmaException.requireArgument(address, "address"));
        if (asked == null) {
            throw new RdmaException(
                    RdmaErrorCode.NOT_FOUND,
                    "No network interface of this host has the address " + address.getHostAddress()
                            + ", and none leads there. Ask for an address that the host has or has a route to.");
        }
        return port(asked);
    }

    private void checkPort(int port) {
        if (port != 1) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, name + " has port 1 only, not " + port + ".");
        }
    }

    /** {@return the attributes of the port if it is that interface} */
    PortAttributes port(HostInterface its) {
        int active = Math.max(SMALLEST_MTU, Math.min(LARGEST_MTU, Integer.highestOneBit(Math.max(1, its.mtu()))));
        String gid = String.format(
                Locale.ROOT,
                "%04x:%04x:%04x:0000:0000:0000:0000:0000",
                guid() >>> 48,
                guid() >>> 32 & 0xffff,
                guid() >>> 16 & 0xffff);
        return new PortAttributes(
                its.up() ? PortAttributes.PortState.ACTIVE : PortAttributes.PortState.DOWN,
                LARGEST_MTU,
                active,
                its.name(),
                its.mtu(),
                LARGEST_MESSAGE,
                List.of(gid));
    }

    @Override
    public Context open(Map<String, String> settings) {
        return open(null, provider.configured(settings));
    }

    @Override
    public Context open(Map<String, String> settings, EventLoops loops) {
        RdmaException.requireArgument(loops, "loops");
        Map<String, String> all = new HashMap<>(RdmaException.requireArgument(settings, "settings"));
        all.put(RnicSetting.PROGRESS.key(), loops.progress().name().toLowerCase(Locale.ROOT));
        return open(new GivenLoops(loops.loops(), loops.choice()), provider.configured(all));
    }

    private Context open(@Nullable GivenLoops loops, Configuration configuration) {
        boolean shown = configuration.on(RnicSetting.STAT);
        List<Carrier> carriers = provider.transports(configuration);
        List<Progressing> transports = new ArrayList<>();
        RnicContext context;
        try {
            for (Carrier carrier : carriers) {
                GivenLoops runsOn = transports.isEmpty() ? loops : new GivenLoops(transports.get(0), null);
                transports.add(carrier.open(configuration, runsOn));
            }
            context = open(
                    transports,
                    provider.chosen(configuration, carriers.get(0)),
                    Progression.systemClock(),
                    new SecureRandom());
        } catch (Throwable e) {
            transports.forEach(Progressing::close);
            throw e;
        }
        try {
            if (shown) {
                context.show();
            }
            return context;
        } catch (Throwable e) {
            context.close();
            throw e;
        }
    }

    /**
     * Opens a context over a transport that the caller made: for simulations and tests.
     *
     * @param transport owned by the context from now on; the context supports connections or datagrams, as the
     *     transport does
     * @param clock of the transport, nanoseconds
     * @param randomness source of STags and queue pair numbers
     * @param settings as for {@link #open(Map)}
     */
    public Context open(
            Progressing transport, LongSupplier clock, RandomGenerator randomness, Map<String, String> settings) {
        return open(List.of(transport), provider.configured(settings), clock, randomness);
    }

    @Override
    public String toString() {
        String types = queuePairTypes().stream().map(Enum::name).collect(Collectors.joining(", "));
        return "device " + name + " with queue pairs of type " + types.replaceFirst(", (?=[^,]*$)", " and ");
    }

    /** @param transports the first one drives all of them */
    private RnicContext open(
            List<Progressing> transports, Configuration configuration, LongSupplier clock, RandomGenerator randomness) {
        Progression progression = progression(transports.get(0), configuration, clock);
        return new RnicContext(this, configuration, transports, progression, randomness);
    }

    private static Progression progression(Progressing transport, Configuration configuration, LongSupplier clock) {
        boolean single = configuration.checked(RnicSetting.THREADS).equals("single");
        if (transport.inline()) {
            return single ? new SingleProgression(transport, clock) : new InlineProgression(transport, clock);
        }
        if (single) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_SETTING,
                    RnicSetting.THREADS.key()
                            + "=single needs inline progress, and this context has threads of its own."
                            + " Leave the setting out, or set " + RnicSetting.PROGRESS.key() + "=inline.");
        }
        long spin = configuration.number(RnicSetting.SPIN) * NANOS_PER_MICRO;
        return new ThreadedProgression(transport, spin, clock);
    }
}
