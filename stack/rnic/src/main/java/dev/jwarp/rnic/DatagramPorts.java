package dev.jwarp.rnic;

import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.datagram.DatagramTransport;
import dev.jwarp.rdmap.datagram.SeenMessages;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The UDP ports of a context: one for each address, however many share it. Any thread. */
final class DatagramPorts {
    private final DatagramTransport transport;
    private final RandomGenerator randomness;
    private final int seen;

    /** By bound address; guarded by this. */
    private final Map<InetSocketAddress, SharedPort> ports = new HashMap<>();

    /** None yet; {@code seen} as in {@link SeenMessages}. */
    DatagramPorts(DatagramTransport transport, RandomGenerator randomness, int seen) {
        this.transport = transport;
        this.randomness = randomness;
        this.seen = seen;
    }

    /** {@return the port of that address, opened if need be; a new one for port 0} To be left again. */
    synchronized SharedPort use(InetSocketAddress local) {
        SharedPort shared = ports.get(local);
        if (shared == null) {
            try {
                shared = new SharedPort(transport.open(local), new SeenMessages(randomness, seen, SeenMessages.NANOS));
            } catch (LlpException e) {
                throw CmFailures.exception(e);
            }
            ports.put(shared.address(), shared);
        }
        shared.use();
        return shared;
    }

    /** Takes a {@link #use} back. */
    void leave(SharedPort shared) {
        synchronized (this) {
            if (!shared.leave()) {
                return;
            }
            ports.remove(shared.address(), shared);
        }
        shared.port().close();
    }
}
