package dev.jwarp.transport.tcp.nio;

import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.util.Locale;

/** How a caller of {@code await} waits; see {@link TcpSetting#WAIT}. */
enum TcpWaitMode {
    /** In the selector: for many connections, and for threads that share a processor. */
    SELECT,
    /** Reading again and again: no system call but the one that finds the octets. */
    SPIN,
    /** In a blocking read of the only connection: one system call for waiting and reading. */
    BLOCK;

    static TcpWaitMode of(TcpSettings settings) {
        return valueOf(settings.text(TcpSetting.WAIT).toUpperCase(Locale.ROOT));
    }
}
