package dev.jwarp.tools.cli;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of connections. Each flag is a short name of a setting. */
public final class StreamFlags extends SettingFlags {
    /** {@code on} or {@code off}. */
    public enum Switch {
        ON,
        OFF;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--crc",
            paramLabel = "on|off",
            description = "Whether to ask for MPA CRCs; CRCs are used if either end asks. Setting jwarp.mpa.crc.")
    private @Nullable Switch crc;

    @Option(names = "--markers", description = "Ask the peer to send Markers of MPA. Setting jwarp.mpa.markers.")
    private boolean markers;

    @Option(
            names = "--peer-to-peer",
            description = "As the client, ask for the peer-to-peer set-up of RFC 6581, which needs revision 2. Setting"
                    + " jwarp.mpa.peer-to-peer.")
    private boolean peerToPeer;

    /** Made by picocli. */
    public StreamFlags() {
        super();
    }

    /** {@return whether a flag that only connections have was given} */
    public boolean anyOfConnections() {
        return crc != null || markers || peerToPeer;
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = super.settings();
        if (crc != null) {
            settings.put("jwarp.mpa.crc", crc.toString());
        }
        if (markers) {
            settings.put("jwarp.mpa.markers", "on");
        }
        if (peerToPeer) {
            settings.put("jwarp.mpa.peer-to-peer", "on");
        }
        return settings;
    }
}
