package dev.jwarp.transport.udp.net;

import dev.jwarp.ddp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.ddp.llp.sim.PcapDatagramTap;
import dev.jwarp.ddp.llp.sim.PcapFile;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The capture file of {@link UdpSetting#PCAP}. Transports of one process that name the same file share it, so that both
 * ends of what goes between them stand in it, each datagram once.
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
    public static @Nullable Capture of(UdpSettings settings, long epochNanos) {
        String name = settings.text(UdpSetting.PCAP);
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
                    UdpSetting.PCAP.key() + "=" + name + " cannot be used: the file cannot be written (" + e + ")", e);
        }
    }

    /** {@return a factory whose engines are written down} */
    public DatagramEngineFactory tap(DatagramEngineFactory engines) {
        return new PcapDatagramTap(engines, file.writer());
    }

    /** Ends the file when its last user closes it. */
    @Override
    public void close() {
        file.close();
    }
}
