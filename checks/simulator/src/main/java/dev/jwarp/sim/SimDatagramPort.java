package dev.jwarp.sim;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.DatagramEngine;
import dev.jwarp.llp.datagram.DatagramPort;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A port of a host: the driver of one engine. */
final class SimDatagramPort implements DatagramDriver, SimStation {
    /** The reported receive buffer; no datagram is lost because of a full buffer. */
    private static final int RECEIVE_BUFFER = 4 << 20;

    private static final int LARGEST_READ = 1 << 16;

    private final SimDatagrams datagrams;
    private final SimNetwork network;
    private final SimDatagramTransport transport;
    private final InetSocketAddress local;
    private final SimDevice device;
    private final DatagramAddress source = new DatagramAddress();
    private final List<DatagramAddress> groups = new ArrayList<>();
    private @Nullable DatagramEngine engine;
    private boolean ready;
    private boolean blocked;
    private boolean over;
    /** Datagrams of this time to receive together; all have the length of the first, except the last one. */
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

    private @Nullable InetSocketAddress waitingFrom;
    private int waitingSize;
    private double deviceFreeAt;
    private int groupHops = 1;
    private boolean groupLoop = true;

    SimDatagramPort(SimDatagrams datagrams, SimDatagramTransport transport, InetSocketAddress local) {
        this.datagrams = datagrams;
        this.network = datagrams.network();
        this.transport = transport;
        this.local = local;
        this.device = datagrams.device();
    }

    void attach(DatagramEngine driven) {
        engine = driven;
        datagrams.socket(local, (from, octets) -> arrived(from, octets, null));
        network.add(this);
    }

    private DatagramEngine engine() {
        return Objects.requireNonNull(engine, "no engine yet");
    }

    DatagramPort port() {
        return engine().port();
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int receiveBuffer() {
        return RECEIVE_BUFFER;
    }

    /** The room is unlimited. */
    @Override
    public long systemDrops() {
        return 0;
    }

    @Override
    public boolean segments() {
        return device.segments();
    }

    @Override
    public long nowNanos() {
        return network.now();
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        network.afterCalls().add(task);
    }

    @Override
    public void wakeup() {
        if (!ready && !over) {
            ready = true;
            network.ready(this);
        }
    }

    @Override
    public void execute(Runnable task) {
        task.run();
        wakeup();
    }

    @Override
    public void join(DatagramAddress group, @Nullable NetworkInterface on) {
        groups.add(group);
        datagrams.join(group, this);
    }

    /** There is one network, so the interface has no effect. */
    @Override
    public void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop) {
        groupHops = hops;
        groupLoop = loop;
    }

    /** {@return whether datagrams of this port to a group reach members at that address} */
    private boolean reaches(InetAddress host) {
        return host.equals(local.getAddress()) ? groupLoop : groupHops > 0;
    }

    @Override
    public void leave(DatagramAddress group) {
        groups.remove(group);
        datagrams.leave(group, this);
    }

    @Override
    public void close() {
        if (!over) {
            engine().onClosed(network.now());
            over = true;
            List.copyOf(groups).forEach(this::leave);
            datagrams.close(local);
            network.gone(this);
            transport.gone(this);
        }
    }

    /** A datagram arrived, for the port itself or for a group. */
    void arrived(InetSocketAddress from, ByteBuffer octets, @Nullable InetSocketAddress to) {
        if (over) {
            return;
        }
        byte[] copy = new byte[octets.remaining()];
        octets.get(octets.position(), copy);
        if (datagrams.coalesces() && to == null) {
            together(from, copy);
        } else {
            receive(from, copy, false, to == null ? null : joined(to));
        }
    }

    private void receive(InetSocketAddress from, byte[] octets, boolean coalesced, @Nullable DatagramAddress group) {
        ByteBuffer in = network.receiveBuffer(octets);
        engine().receive(in, coalesced, source.set(from), group, network.now());
        network.spoilReceiveBuffer();
        wakeup();
    }

    /** Keeps the datagram to receive it together with others of the same time. */
    private void together(InetSocketAddress from, byte[] octets) {
        boolean fits = from.equals(waitingFrom)
                && octets.length <= waitingSize
                && waiting.size() % waitingSize == 0
                && waiting.size() + octets.length <= LARGEST_READ;
        if (!fits) {
            receiveWaiting();
            waitingFrom = from;
            waitingSize = octets.length;
            network.at(network.now(), this::receiveWaiting);
        }
        waiting.write(octets, 0, octets.length);
    }

    private void receiveWaiting() {
        InetSocketAddress from = waitingFrom;
        if (from != null) {
            byte[] octets = waiting.toByteArray();
            waiting.reset();
            waitingFrom = null;
            if (!over) {
                receive(from, octets, true, null);
            }
        }
    }

    private @Nullable DatagramAddress joined(InetSocketAddress to) {
        DatagramAddress wanted = DatagramAddress.of(to);
        return groups.stream().filter(wanted::equals).findFirst().orElse(null);
    }

    /** Checks the engine once: sends one batch. */
    @Override
    public void pump() {
        ready = false;
        if (over || blocked || !engine().prepareOutput(network.now())) {
            return;
        }
        DatagramBatch batch = engine().output();
        if (batch.length() == 0) {
            throw new IllegalStateException("The engine of " + local + " announced output and has none");
        }
        InetSocketAddress to = batch.destination().toSocketAddress();
        while (batch.length() > 0 && !blocked) {
            sendFirst(batch, to);
        }
        if (!blocked) {
            wakeup();
        }
    }

    private void sendFirst(DatagramBatch batch, InetSocketAddress to) {
        int length = batch.firstLength();
        if (length > datagrams.largestDatagram()) {
            engine().onUnsendable("Message too long", network.now());
            return;
        }
        double now = network.now();
        deviceFreeAt = Math.max(deviceFreeAt, now);
        double room = device.sendBuffer() - (deviceFreeAt - now) / Math.max(device.nanosPerOctet(), 1e-9);
        if (length > room && deviceFreeAt > now) {
            blocked = true;
            network.at((long) Math.ceil(deviceFreeAt), () -> {
                blocked = false;
                wakeup();
            });
            return;
        }
        deviceFreeAt += length * device.nanosPerOctet();
        ByteBuffer datagram = batch.memory().duplicate();
        datagram.clear().position(batch.offset()).limit(batch.offset() + length);
        datagrams.send(local, to, datagram, (long) deviceFreeAt, this::reaches);
        engine().onWritten(length, network.now());
    }

    @Override
    public long nextTimeout() {
        if (over) {
            return Long.MAX_VALUE;
        }
        return Math.min(engine().nextTimeout(), blocked ? Long.MAX_VALUE : engine().nextSend());
    }

    @Override
    public void timeout() {
        if (engine().nextTimeout() <= network.now()) {
            engine().onTimeout(network.now());
        }
        wakeup();
    }

    @Override
    public String toString() {
        return "port " + local;
    }
}
