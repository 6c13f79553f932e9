package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.ddp.llp.TransportProvider;
import dev.jwarp.rnic.progress.InlineProgression;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.ThreadedProgression;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.PortAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** The one device there is: the software RNIC. */
public final class RnicDevice implements Device {
    /** The name of the device for connections. */
    static final String CONNECTIONS = "jwarp0";

    /** The name of the device for datagrams. */
    static final String DATAGRAMS = "jwarp_udp0";

    private static final String NAME = CONNECTIONS;
    private static final int LARGEST_MTU = 4096;
    private static final int SMALLEST_MTU = 256;
    private static final long LARGEST_MESSAGE = 0xffff_ffffL;
    private static final long NANOS_PER_MICRO = 1_000L;

    private final RnicProvider provider;
    private final HostInterface host = HostInterface.find();

    RnicDevice(RnicProvider provider) {
        this.provider = provider;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long guid() {
        return host.guid();
    }

    @Override
    public DeviceAttributes attributes() {
        Configuration configuration = provider.configured(Map.of());
        return DeviceLimits.attributes(
                guid(), configuration.number(RnicSetting.READ_DEPTH, 0, DeviceLimits.MAX_READ_DEPTH));
    }

    @Override
    public PortAttributes port(int port) {
        if (port != 1) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, NAME + " has port 1 only, not " + port + ".");
        }
        int active = Math.max(SMALLEST_MTU, Math.min(LARGEST_MTU, Integer.highestOneBit(Math.max(1, host.mtu()))));
        String gid = String.format(
                "%04x:%04x:%04x:0000:0000:0000:0000:0000",
                guid() >>> 48, guid() >>> 32 & 0xffff, guid() >>> 16 & 0xffff);
        return new PortAttributes(
                host.up() ? PortAttributes.PortState.ACTIVE : PortAttributes.PortState.DOWN,
                LARGEST_MTU,
                active,
                host.name(),
                host.mtu(),
                LARGEST_MESSAGE,
                List.of(gid));
    }

    @Override
    public Context open(Map<String, String> settings) {
        Configuration configuration = provider.configured(settings);
        TransportProvider chosen = provider.transport(configuration);
        Transport transport;
        try {
            transport = chosen.open(configuration.changed(Configuration.keys(RnicProvider.settingsOf(chosen))));
        } catch (IllegalArgumentException e) {
            throw new RdmaException(RdmaErrorCode.INVALID_SETTING, String.valueOf(e.getMessage()), e);
        }
        try {
            return open(transport, configuration, Progression.systemClock(), new SecureRandom());
        } catch (RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    /**
     * Opens a context over a transport that the caller made: for simulations and tests.
     *
     * @param transport belongs to the context from now on
     * @param clock of the transport, nanoseconds
     * @param randomness where STags come from
     * @param settings as for {@link #open(Map)}
     */
    public Context open(
            Transport transport, LongSupplier clock, RandomGenerator randomness, Map<String, String> settings) {
        return open(transport, provider.configured(settings), clock, randomness);
    }

    private Context open(
            Transport transport, Configuration configuration, LongSupplier clock, RandomGenerator randomness) {
        long spin = configuration.number(RnicSetting.SPIN, 0, 1_000_000) * NANOS_PER_MICRO;
        Progression progression =
                transport.inline() ? new InlineProgression(transport, clock) : new ThreadedProgression(spin, clock);
        return new RnicContext(this, configuration, transport, progression, randomness);
    }
}
