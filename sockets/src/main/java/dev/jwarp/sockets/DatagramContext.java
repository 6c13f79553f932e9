package dev.jwarp.sockets;

import dev.jwarp.sockets.datagram.DatagramHome;
import java.util.Map;

/** What datagram sockets stand on: a context of its own, driven as that of the streams. Any thread. */
final class DatagramContext extends DatagramHome {
    private final DrivenContext driven;

    /**
     * Opens one.
     *
     * @param settings of the context
     */
    DatagramContext(Map<String, String> settings) {
        super(settings);
        driven = new DrivenContext(context());
    }

    /** {@return who drives it} */
    DrivenContext driven() {
        return driven;
    }

    @Override
    public void close() {
        driven.caretaker().end();
        super.close();
    }
}
