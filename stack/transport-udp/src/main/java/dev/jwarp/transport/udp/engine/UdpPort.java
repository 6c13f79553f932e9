package dev.jwarp.transport.udp.engine;

import dev.jwarp.base.HostPort;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.DatagramLowerLayer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.PlainTaker;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceResponder;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.llp.datagram.SourceDrops;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.resolve.Question;
import dev.jwarp.transport.udp.resolve.Resolver;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Envelope;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A port as the layers above see it: the calls to an engine that any thread may make. */
final class UdpPort implements DatagramPort {
    private final UdpEngine engine;
    private final DatagramDriver driver;
    final Groups groups;
    private final Map<Integer, Attachment> numbers = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Attachment> byDefault = new AtomicReference<>();
    private final Map<DatagramAddress, Integer> trusted = new ConcurrentHashMap<>();

    UdpPort(UdpEngine engine, DatagramDriver driver) {
        this.engine = engine;
        this.driver = driver;
        groups = new Groups(driver);
    }

    @Override
    public InetSocketAddress localAddress() {
        return driver.localAddress();
    }

    @Override
    public int receiveBuffer() {
        return driver.receiveBuffer(); // datagram-iWARP §6: what was granted
    }

    @Override
    public DatagramLowerLayer attach(
            DatagramService service, int queuePairNumber, int key, boolean first, DatagramUpperLayer upper) {
        if (queuePairNumber < Shim.SMALLEST_QPN || queuePairNumber >= Shim.GROUP_QPN) {
            throw new IllegalArgumentException(
                    "a queue pair cannot have the number " + queuePairNumber + ": use 16 to 0xFFFFFE");
        }
        if (first && service == DatagramService.RD) { // datagram-iWARP §4.2 (DG-4.2-7)
            throw new IllegalArgumentException("a reliable queue pair cannot be the default one of its port");
        }
        Attachment attachment = new Attachment(engine, service, queuePairNumber, key, upper);
        if (numbers.putIfAbsent(queuePairNumber, attachment) != null) {
            throw new LlpException(
                    LlpFailure.ADDRESS_IN_USE,
                    "port " + HostPort.text(localAddress()) + " has a queue pair " + queuePairNumber
                            + " already: use another number");
        }
        if (first && !byDefault.compareAndSet(null, attachment)) {
            numbers.remove(queuePairNumber);
            throw new LlpException(
                    LlpFailure.ADDRESS_IN_USE,
                    "port " + HostPort.text(localAddress())
                            + " has a default queue pair already: attach this queue pair as a normal one");
        }
        try {
            driver.execute(() -> engine.attach(attachment));
        } catch (Throwable e) {
            detached(attachment);
            throw e;
        }
        return attachment;
    }

    /** Frees the queue pair's number. */
    void detached(Attachment attachment) {
        groups.leaveAll(attachment);
        byDefault.compareAndSet(attachment, null);
        numbers.remove(attachment.queuePairNumber(), attachment);
    }

    @Nullable
    Attachment byDefault() {
        return byDefault.get();
    }

    @Override
    public void trust(DatagramAddress address) {
        trusted.merge(address, 1, Integer::sum);
    }

    @Override
    public void forget(DatagramAddress address) {
        trusted.computeIfPresent(address, (known, count) -> count == 1 ? null : count - 1);
    }

    /** {@return whether this side sends to that source: see {@link #trust}} Allocates nothing. */
    boolean trusts(DatagramAddress source) {
        return !trusted.isEmpty() && trusted.containsKey(source);
    }

    @Override
    public boolean group(InetSocketAddress address) {
        return groups.group(address);
    }

    @Override
    public void join(int queuePairNumber, InetSocketAddress group, @Nullable NetworkInterface on, int key) {
        Attachment attachment = numbers.get(queuePairNumber);
        if (attachment == null || attachment.service != DatagramService.UD) { // datagram-iWARP §G.4: UD only
            throw new LlpException(
                    LlpFailure.LOCAL,
                    "cannot join " + group + ": this port has no unreliable queue pair " + queuePairNumber);
        }
        groups.join(attachment, group, on, key);
        if (numbers.get(queuePairNumber) != attachment) { // detached meanwhile: its leaveAll has already run
            groups.leaveAll(attachment);
        }
    }

    @Override
    public void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop) {
        driver.sendToGroups(through, hops, loop);
    }

    @Override
    public void leave(int queuePairNumber, InetSocketAddress group) {
        Attachment attachment = numbers.get(queuePairNumber);
        if (attachment != null) {
            groups.leave(attachment, group);
        }
    }

    @Override
    public AutoCloseable listen(long serviceId, ServiceAnswer answer) {
        return listen(serviceId, new Resolver.Service(answer, question -> answer));
    }

    @Override
    public AutoCloseable listen(long serviceId, ServiceResponder responder) {
        return listen(serviceId, new Resolver.Service(null, responder));
    }

    private AutoCloseable listen(long serviceId, Resolver.Service service) {
        Resolver resolver = engine.resolver;
        if (!resolver.add(serviceId, service)) {
            throw new LlpException(
                    LlpFailure.ADDRESS_IN_USE,
                    "service " + serviceId + " has a listener at port " + HostPort.text(localAddress())
                            + " already: close that one first");
        }
        return () -> resolver.remove(serviceId, service);
    }

    @Override
    public AutoCloseable resolve(
            InetSocketAddress where,
            long serviceId,
            Set<DatagramService> wanted,
            byte[] privateData,
            long timeoutNanos,
            Consumer<ServiceAnswer> handler) {
        if (wanted.isEmpty() || privateData.length > ServiceAnswer.MAXIMUM_PRIVATE_DATA || where.isUnresolved()) {
            throw new IllegalArgumentException("a look-up of a service needs a resolved address (" + where
                    + "), an acceptable type of queue pair (" + wanted + ") and at most "
                    + ServiceAnswer.MAXIMUM_PRIVATE_DATA + " bytes of private data (" + privateData.length + ")");
        }
        Question question = new Question(where, serviceId, wanted, privateData, timeoutNanos, handler);
        driver.execute(() -> engine.ask(question));
        return () -> driver.execute(() -> engine.questions.forget(question));
    }

    @Override
    public void takePlain(@Nullable PlainTaker taker) {
        UdpSettings settings = engine.factory.settings;
        if (taker != null && settings.receivesSegments()) { // reads are cut by the first datagram's length (DG-4.1-6)
            throw new IllegalStateException("port " + HostPort.text(localAddress())
                    + " cannot receive plain datagrams: the system may join several in one read, and only those of"
                    + " datagram-iWARP have a length field; set " + UdpSetting.SEGMENTATION.key() + "=send");
        }
        if (taker != null && Envelope.octets(settings) > 0) {
            throw new IllegalStateException("port " + HostPort.text(localAddress())
                    + " cannot receive plain datagrams, since it has keys and plain datagrams are not authenticated");
        }
        engine.plainTaker = taker;
    }

    @Override
    public boolean sendPlain(ByteBuffer octets, DatagramAddress to) {
        int most = to.ipv4() ? DatagramLength.LARGEST : PlainQueue.LARGEST;
        if (octets.remaining() < 1 || octets.remaining() > most) {
            throw new IllegalArgumentException(
                    "a plain datagram has 1 to " + most + " bytes, not " + octets.remaining());
        }
        if (Envelope.octets(engine.factory.settings) > 0) {
            throw new IllegalStateException("port " + HostPort.text(localAddress())
                    + " cannot send plain datagrams, since it has keys and every datagram needs an envelope");
        }
        boolean taken = engine.plain.add(octets, to);
        driver.wakeup();
        return taken;
    }

    @Override
    public void sourceDrops(Consumer<List<SourceDrops>> handler) {
        driver.execute(() -> handler.accept(engine.drops.all()));
    }

    @Override
    public long systemDrops() {
        return driver.systemDrops();
    }

    @Override
    public void close() {
        driver.close();
    }
}
