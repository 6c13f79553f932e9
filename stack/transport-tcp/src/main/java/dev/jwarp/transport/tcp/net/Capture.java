package dev.jwarp.transport.tcp.net;

import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.ddp.llp.sim.PcapFile;
import dev.jwarp.ddp.llp.sim.PcapTap;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The capture file of {@link TcpSetting#PCAP}. Transports of one process that name the same file share it, so that both
 * ends of a connection between them stand in it, each octet once.
 */
public final class Capture implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Capture.class);

    private final PcapFile file;

    private Capture(PcapFile file) {
        this.file = file;
    }

    /**
     * {@return the capture that the settings ask for; null if they ask for none} Any thread; close it once.
     *
     * @param epochNanos what to add to the driver's clock to get nanoseconds since 1970
     * @throws IllegalArgumentException if the file cannot be written
     */
    public static @Nullable Capture of(TcpSettings settings, long epochNanos) {
        String name = settings.text(TcpSetting.PCAP);
        if (name.isEmpty()) {
            return null;
        }
        try {
            return new Capture(PcapFile.open(
                    name,
                    epochNanos,
                    e -> LOG.error(
                            "The capture {} ends here and is not complete: {}. The traffic goes on.",
                            name,
                            e.toString())));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    TcpSetting.PCAP.key() + "=" + name + " cannot be used: the file cannot be written (" + e + ")", e);
        }
    }

    /** {@return a factory whose engines are written down} */
    public StreamEngineFactory tap(StreamEngineFactory engines) {
        return new PcapTap(engines, file.writer());
    }

    /** Ends the file when its last user closes it. */
    @Override
    public void close() {
        file.close();
    }
}
