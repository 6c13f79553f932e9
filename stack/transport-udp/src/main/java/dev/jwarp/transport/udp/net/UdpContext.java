package dev.jwarp.transport.udp.net;

import dev.jwarp.base.Faults;
import dev.jwarp.base.HostPort;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.TransportCounter;
import dev.jwarp.llp.capture.PcapFile;
import dev.jwarp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.engine.UdpEngineFactory;
import dev.jwarp.transport.udp.rd.RdQueuePair;
import dev.jwarp.transport.udp.seal.PortSeal;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shared state of one transport: settings, counters, keys and capture, whatever the driver. Any thread. */
public final class UdpContext implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UdpContext.class);
    private static final Faults FAULTS = new Faults(LOG::error);

    private final UdpSettings settings;
    private final Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
    private final SystemDrops systemDrops = new SystemDrops();

    private final LongSupplier seconds;
    private final @Nullable KeyFile keys;
    private final @Nullable PcapFile capture;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * A context.
     *
     * @param epochNanos the offset of the driver's clock to nanoseconds since 1970
     * @param seconds the clock for keys: seconds since 1970 by the host's clock; any thread
     * @throws IllegalArgumentException if the capture file of the settings cannot be written, or the key file cannot be
     *     used
     */
    public UdpContext(UdpSettings settings, long epochNanos, LongSupplier seconds) {
        this.seconds = seconds;
        this.settings = settings;
        keys = KeyFile.ofSetting(UdpSetting.KEYS.key(), settings.text(UdpSetting.KEYS));
        capture = PcapFile.ofSetting(UdpSetting.PCAP.key(), settings.text(UdpSetting.PCAP), epochNanos, LOG::error);
    }

    /** {@return the settings} */
    public UdpSettings settings() {
        return settings;
    }

    /** {@return the counters} */
    public Tally<UdpCounter> counters() {
        return counters;
    }

    /** Counts and logs a failure of this side. Throws nothing. */
    public void report(String where, Throwable cause) {
        counters.count(UdpCounter.FAILED);
        FAULTS.tell("Error in {}", where, cause);
    }

    /** {@return the system's drops at the ports} */
    public SystemDrops systemDrops() {
        return systemDrops;
    }

    /**
     * Reads the file of keys again, for all ports.
     *
     * @throws IllegalArgumentException if there is none, or it cannot be used; the keys stay then
     */
    public void reloadKeys() {
        if (keys == null) {
            throw new IllegalArgumentException(UdpSetting.KEYS.key() + " names no file of keys");
        }
        keys.reload();
    }

    /** {@return all counters, of the transport and of the system} */
    public List<TransportCounter> allCounters() {
        List<TransportCounter> all = new ArrayList<>(UdpCounter.list(counters));
        all.add(systemDrops.counter());
        return List.copyOf(all);
    }

    /** {@return a factory of engines for a further owner} */
    public DatagramEngineFactory newEngines() {
        SecureRandom random = new SecureRandom();
        DatagramEngineFactory engines = new UdpEngineFactory(
                settings, counters, RdQueuePair::open, random, keys == null ? null : () -> newSeal(keys, random));
        return capture == null ? engines : capture.tap(engines);
    }

    private PortSeal newSeal(KeyFile of, SecureRandom random) {
        int sources = (int) settings.number(UdpSetting.SOURCES);
        return new PortSeal(of::at, sources, random, seconds, counters::count);
    }

    /** Ends the capture, if there is one; once. */
    @Override
    public void close() {
        if (capture != null && !closed.getAndSet(true)) {
            capture.close();
        }
    }

    /**
     * {@return the address to which a group's socket is bound} Linux needs the scope id of IPv6 groups of one link or
     * one interface (RFC 4007 §6).
     */
    public static InetSocketAddress onLink(InetSocketAddress group, @Nullable NetworkInterface on) throws IOException {
        if (on == null
                || !(group.getAddress() instanceof Inet6Address six)
                || !(six.isMCLinkLocal() || six.isMCNodeLocal())
                || six.getScopeId() != 0) {
            return group;
        }
        return new InetSocketAddress(Inet6Address.getByAddress(null, six.getAddress(), on.getIndex()), group.getPort());
    }

    /** {@return the exception for a port that cannot be opened at {@code local}} */
    public static LlpException bindFailed(InetSocketAddress local, LlpFailure failure, IOException cause) {
        String hint =
                switch (failure) {
                    case ADDRESS_IN_USE -> "another program has that port; stop the program or choose another port";
                    case ADDRESS_NOT_AVAILABLE -> "this host does not have that address (" + cause.getMessage() + ")";
                    default -> String.valueOf(cause.getMessage());
                };
        return new LlpException(failure, "cannot open UDP port " + HostPort.text(local) + ": " + hint, cause);
    }
}
