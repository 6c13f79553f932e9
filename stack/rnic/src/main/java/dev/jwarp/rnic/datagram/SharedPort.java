package dev.jwarp.rnic.datagram;

import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.rdmap.datagram.SeenMessages;
import java.net.InetSocketAddress;
import java.util.OptionalLong;

/** A UDP port with the queue pairs and services that use it; the last one that leaves closes it. */
final class SharedPort {
    private final DatagramPort port;
    private final SeenMessages seen;

    /** Guarded by {@link DatagramPorts}. */
    private int users;

    SharedPort(DatagramPort port, SeenMessages seen) {
        this.port = port;
        this.seen = seen;
    }

    DatagramPort port() {
        return port;
    }

    /** {@return what its queue pairs remember together: they have one owner} */
    SeenMessages seen() {
        return seen;
    }

    InetSocketAddress address() {
        return port.localAddress();
    }

    /** {@return what the system dropped; empty if it does not tell} */
    OptionalLong systemDrops() {
        long drops = port.systemDrops();
        return drops < 0 ? OptionalLong.empty() : OptionalLong.of(drops);
    }

    void use() {
        users++;
    }

    /** {@return whether no queue pair uses it any more} */
    boolean leave() {
        users--;
        return users == 0;
    }
}
