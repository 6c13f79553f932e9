package dev.jwarp.sim;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * One direction between two datagram ports of a {@link SimNetwork}: each datagram arrives completely, not at all, or
 * twice, and not necessarily in order. The thread of the network only.
 */
public final class SimDatagramPipe {
    private final SimNetwork network;
    private final DatagramFaults faults;
    private final Consumer<ByteBuffer> receiver;

    /**
     * Creates a direction.
     *
     * @param receiver gets each datagram in a separate buffer, within a step of the network
     */
    public SimDatagramPipe(SimNetwork network, DatagramFaults faults, Consumer<ByteBuffer> receiver) {
        this.network = network;
        this.faults = faults;
        this.receiver = receiver;
    }

    /** Sends a copy of the bytes between position and limit, neither of which changes. */
    public void send(ByteBuffer datagram) {
        send(datagram, network.now());
    }

    /** Sends at the given time, which is not in the past. */
    void send(ByteBuffer datagram, long departureNanos) {
        if (network.random().nextDouble() < faults.loss()) {
            network.trace(Fate.LOST, this, datagram.remaining(), 0);
            return;
        }
        byte[] octets = new byte[datagram.remaining()];
        datagram.get(datagram.position(), octets);
        arriveLater(octets, departureNanos);
        if (network.random().nextDouble() < faults.duplication()) {
            arriveLater(octets, departureNanos);
        }
    }

    private void arriveLater(byte[] sent, long departureNanos) {
        RandomGenerator random = network.random();
        byte[] octets = sent.clone();
        if (faults.corruption() > 0 && octets.length > 0 && random.nextDouble() < faults.corruption()) {
            octets[random.nextInt(octets.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        }
        long delay = random.nextLong(faults.shortestDelayNanos(), faults.longestDelayNanos() + 1);
        network.at(departureNanos + delay, () -> {
            network.trace(Fate.ARRIVED, this, octets.length, SimNetwork.digest(octets));
            receiver.accept(ByteBuffer.wrap(octets));
        });
    }

    @Override
    public String toString() {
        return "datagrams";
    }

    /** The fate of a datagram, for the trace. */
    private enum Fate {
        LOST,
        ARRIVED
    }
}
