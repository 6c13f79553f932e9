package dev.jwarp.transport.udp.net;

import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.transport.udp.UdpCounters;
import dev.jwarp.transport.udp.UdpEngineFactory;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.rd.RdQueuePair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;

/** What all parts of one transport have in common, whatever drives it. Any thread. */
public final class UdpContext {
    private final UdpSettings settings;
    private final UdpCounters counters = new UdpCounters();

    /** A context. */
    public UdpContext(UdpSettings settings) {
        this.settings = settings;
    }

    /** {@return the settings} */
    public UdpSettings settings() {
        return settings;
    }

    /** {@return the counters} */
    public UdpCounters counters() {
        return counters;
    }

    /** {@return a factory for one more owner} */
    public DatagramEngineFactory newEngines() {
        return new UdpEngineFactory(settings, counters, RdQueuePair::open, new SecureRandom());
    }

    /** {@return what the system's answer to a bind means} */
    public static LlpException bindFailed(InetSocketAddress local, IOException cause) {
        String said = String.valueOf(cause.getMessage());
        String hint =
                said.contains("in use") ? ": another program has that port; stop it or choose another" : ": " + said;
        return new LlpException(LlpFailure.BIND_FAILED, "cannot open UDP port " + local + hint);
    }
}
