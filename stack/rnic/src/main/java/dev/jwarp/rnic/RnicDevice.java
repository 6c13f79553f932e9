package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.Progressing;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.DeviceLimits;
import dev.jwarp.rnic.core.RnicSetting;
import dev.jwarp.rnic.progress.InlineProgression;
import dev.jwarp.rnic.progress.Progression;
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

/** One of the two devices of the software RNIC: one has connections, the other datagrams. */
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
        return hasDatagrams()
                ? Collections.unmodifiableSet(EnumSet.of(QueuePairType.UD, QueuePairType.RD))
                : Collections.unmodifiableSet(EnumSet.of(QueuePairType.RC));
    }

    boolean hasDatagrams() {
        return name.equals(ContextCore.DATAGRAMS);
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
        return hasDatagrams()
                ? DeviceLimits.datagrams(RnicProvider.VERSION, guid())
                : DeviceLimits.connections(RnicProvider.VERSION, guid(), configuration.number(RnicSetting.READ_DEPTH));
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

    /** {@return the attributes of the port while that interface stands for it} */
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
        return open(new GivenLoops(loops.loops(), loops.areShared(), loops.choice()), provider.configured(all));
    }

    private Context open(@Nullable GivenLoops loops, Configuration configuration) {
        boolean shown = configuration.on(RnicSetting.STAT);
        Carrier carrier = provider.transport(configuration, hasDatagrams());
        Progressing transport = carrier.open(configuration, loops);
        RnicContext context;
        try {
            context = open(
                    transport, provider.chosen(configuration, carrier), Progression.systemClock(), new SecureRandom());
        } catch (Throwable e) {
            transport.close();
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
     * @param transport belongs to the context from now on: for connections or for datagrams, as the device is
     * @param clock of the transport, nanoseconds
     * @param randomness where STags and numbers of queue pairs come from
     * @param settings as for {@link #open(Map)}
     */
    public Context open(
            Progressing transport, LongSupplier clock, RandomGenerator randomness, Map<String, String> settings) {
        if (transport instanceof DatagramTransport != hasDatagrams()) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, name + " cannot be opened over a transport of the other kind.");
        }
        return open(transport, provider.configured(settings), clock, randomness);
    }

    @Override
    public String toString() {
        return "device " + name + " with queue pairs of type "
                + queuePairTypes().stream().map(Enum::name).collect(Collectors.joining(" and "));
    }

    private RnicContext open(
            Progressing transport, Configuration configuration, LongSupplier clock, RandomGenerator randomness) {
        long spin = configuration.number(RnicSetting.SPIN) * NANOS_PER_MICRO;
        Progression progression = transport.inline()
                ? new InlineProgression(transport, clock)
                : new ThreadedProgression(transport, spin, clock);
        return new RnicContext(this, configuration, transport, progression, randomness);
    }
}
