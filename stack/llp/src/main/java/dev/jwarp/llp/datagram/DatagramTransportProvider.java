package dev.jwarp.llp.datagram;

import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.SettingText;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A kind of transport for datagrams, found with {@link java.util.ServiceLoader}. */
public interface DatagramTransportProvider {
    /** {@return the name of the transport, such as {@code nio}} */
    String name();

    /** {@return true if its transports are inline} */
    boolean inline();

    /** {@return all settings: key, default, range, sentence} */
    List<SettingText> settings();

    /**
     * Opens an instance.
     *
     * @param settings key to value for those keys of {@link #settings} that differ from their default
     * @throws IllegalArgumentException for a bad value; the message has the key, the value and the allowed values
     */
    default DatagramTransport open(Map<String, String> settings) {
        return open(settings, null);
    }

    /**
     * Opens an instance on loops of the program; otherwise as {@link #open(Map)}.
     *
     * @param loops loops of the program; null for own loops
     * @throws IllegalArgumentException also if the transport cannot run on such loops
     */
    DatagramTransport open(Map<String, String> settings, @Nullable GivenLoops loops);
}
