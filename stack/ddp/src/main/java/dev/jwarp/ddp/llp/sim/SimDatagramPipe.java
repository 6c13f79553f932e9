package dev.jwarp.ddp.llp.sim;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * One direction between two ports of a {@link SimNetwork} that carries datagrams: each arrives whole, or not at all, or
 * twice, and not necessarily in order. The thread of the network only.
 */
public final class SimDatagramPipe {
    private final SimNetwork network;
    private final DatagramFaults faults;
    private final Consumer<ByteBuffer> receiver;

    /**
     * Opens a direction.
     *
     * @param receiver gets each datagram in a buffer of its own, within a step of the network
     */
    public SimDatagramPipe(SimNetwork network, DatagramFaults faults, Consumer<ByteBuffer> receiver) {
        this.network = network;
        this.faults = faults;
        this.receiver = receiver;
    }

    /** Sends the octets between position and limit; takes a copy and leaves the buffer as it is. */
    public void send(ByteBuffer datagram) {
        if (network.random().nextDouble() < faults.loss()) {
            network.trace(Fate.LOST, this, datagram.remaining(), 0);
            return;
        }
        byte[] octets = new byte[datagram.remaining()];
        datagram.get(datagram.position(), octets);
        arriveLater(octets);
        if (network.random().nextDouble() < faults.duplication()) {
            arriveLater(octets);
        }
    }

    private void arriveLater(byte[] octets) {
        long delay = network.random().nextLong(faults.shortestDelayNanos(), faults.longestDelayNanos() + 1);
        network.at(network.clock().after(delay), () -> {
            network.trace(Fate.ARRIVED, this, octets.length, SimNetwork.digest(octets));
            receiver.accept(ByteBuffer.wrap(octets.clone()));
        });
    }

    @Override
    public String toString() {
        return "datagrams";
    }

    /** What becomes of a datagram, for the trace. */
    private enum Fate {
        LOST,
        ARRIVED
    }
}
