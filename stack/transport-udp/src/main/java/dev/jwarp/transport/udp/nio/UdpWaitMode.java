package dev.jwarp.transport.udp.nio;

import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.util.Locale;

/** How a caller of {@code await} waits; see {@link UdpSetting#WAIT}. */
enum UdpWaitMode {
    /** In the selector: for many ports, and for threads that share a processor. */
    SELECT,
    /** Reading again and again: no system call but the one that finds the datagram. */
    SPIN;

    static UdpWaitMode of(UdpSettings settings) {
        return valueOf(settings.text(UdpSetting.WAIT).toUpperCase(Locale.ROOT));
    }
}
