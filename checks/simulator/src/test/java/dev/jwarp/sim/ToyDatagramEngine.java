package dev.jwarp.sim;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.DatagramEngine;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.PlainTaker;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceResponder;
import dev.jwarp.llp.datagram.SourceDrops;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An engine without a protocol: sends given texts, records received ones. Also the port. */
final class ToyDatagramEngine implements DatagramEngine, DatagramPort {
    /** Contiguous datagrams of one batch. */
    private record Batch(DatagramAddress to, int size, ByteBuffer octets) {}

    final DatagramDriver driver;
    final List<String> received = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    int taken;
    long timeout = Long.MAX_VALUE;

    private final Deque<Batch> unsent = new ArrayDeque<>();
    private final DatagramBatch output = new DatagramBatch();

    ToyDatagramEngine(DatagramDriver driver) {
        this.driver = driver;
    }

    /** Sends the texts as one batch; all have the same length, except the last. */
    void send(InetSocketAddress to, String... texts) {
        String all = String.join("", texts);
        ByteBuffer octets = ByteBuffer.allocateDirect(all.length());
        for (int i = 0; i < all.length(); i++) {
            octets.put(i, (byte) all.charAt(i));
        }
        unsent.add(new Batch(DatagramAddress.of(to), texts[0].length(), octets));
        driver.wakeup();
    }

    @Override
    public DatagramPort port() {
        return this;
    }

    @Override
    public void receive(
            ByteBuffer in, boolean coalesced, DatagramAddress source, @Nullable DatagramAddress group, long nowNanos) {
        StringBuilder text = new StringBuilder();
        for (int i = in.position(); i < in.limit(); i++) {
            text.append((char) in.get(i));
        }
        received.add(group == null ? text.toString() : text + " to " + group.port());
        events.add("received");
    }

    @Override
    public boolean prepareOutput(long nowNanos) {
        if (output.length() == 0 && !unsent.isEmpty()) {
            Batch next = unsent.remove();
            output.set(next.to, next.octets, 0, next.octets.capacity(), next.size);
        }
        return output.length() > 0;
    }

    @Override
    public DatagramBatch output() {
        return output;
    }

    @Override
    public void onWritten(int octets, long nowNanos) {
        taken += octets;
        output.advance(octets);
    }

    @Override
    public void onUnsendable(String sentence, long nowNanos) {
        events.add(sentence);
        output.advance(output.firstLength());
    }

    @Override
    public long nextTimeout() {
        return timeout;
    }

    @Override
    public void onTimeout(long nowNanos) {
        events.add("timeout");
        timeout = Long.MAX_VALUE;
    }

    @Override
    public void onClosed(long nowNanos) {
        events.add("closed");
    }

    // ---- DatagramPort

    @Override
    public InetSocketAddress localAddress() {
        return driver.localAddress();
    }

    @Override
    public void close() {
        driver.close();
    }

    @Override
    public void takePlain(@Nullable PlainTaker taker) {}

    @Override
    public boolean sendPlain(ByteBuffer octets, DatagramAddress to) {
        return false;
    }

    @Override
    public void sourceDrops(Consumer<List<SourceDrops>> handler) {
        handler.accept(List.of());
    }

    @Override
    public long systemDrops() {
        return -1;
    }

    @Override
    public int receiveBuffer() {
        return driver.receiveBuffer();
    }

    @Override
    public DatagramLowerLayer attach(
            DatagramService service, int number, int key, boolean byDefault, DatagramUpperLayer upper) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void trust(DatagramAddress address) {}

    @Override
    public void forget(DatagramAddress address) {}

    @Override
    public void join(int number, InetSocketAddress group, @Nullable NetworkInterface on, int key) {
        driver.join(DatagramAddress.of(group), on);
    }

    @Override
    public void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop) {
        driver.sendToGroups(through, hops, loop);
    }

    @Override
    public void leave(int number, InetSocketAddress group) {
        driver.leave(DatagramAddress.of(group));
    }

    @Override
    public AutoCloseable listen(long serviceId, ServiceAnswer answer) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AutoCloseable listen(long serviceId, ServiceResponder responder) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AutoCloseable resolve(
            InetSocketAddress where,
            long serviceId,
            Set<DatagramService> wanted,
            byte[] privateData,
            long timeoutNanos,
            Consumer<ServiceAnswer> handler) {
        throw new UnsupportedOperationException();
    }
}
