package dev.jwarp.transport.udp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.TransportCounter;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.DatagramService;
import dev.jwarp.llp.datagram.DatagramTransport;
import dev.jwarp.llp.datagram.DatagramTransportProvider;
import dev.jwarp.llp.datagram.ServiceAnswer;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.engine.ToyUpper;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.transport.udp.wire.ShimHeader;
import dev.jwarp.vectors.Patience;
import io.netty.channel.epoll.Epoll;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowingConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests of every driver, over real sockets on the loopback interface. A subclass provides the driver. */
public abstract class DatagramTransportTest {
    private static final int KEY = 0x1234;
    private static final int LARGE = 60_000;

    private final DatagramTransportProvider provider;
    private final Map<String, String> settings;
    private final List<DatagramTransport> transports = new ArrayList<>();
    private DatagramTransport left;
    private DatagramTransport right;
    /** At the left transport. */
    private Host a;
    /** At the right transport. */
    private Host b;

    protected DatagramTransportTest(DatagramTransportProvider provider, Map<String, String> settings) {
        this.provider = provider;
        this.settings = new HashMap<>(settings);
        this.settings.put("jwarp.udp.multicast-loop", "on");
    }

    /** {@return whether a port at the wildcard address has a socket for each address} */
    protected boolean answersFromEachAddress() {
        return true;
    }

    /** {@return whether it learns the destination address, also of addresses that the system does not list} */
    protected boolean toldWhereItWasAsked() {
        return Epoll.isAvailable();
    }

    /** Opens a transport of the driver. */
    protected DatagramTransport open(Map<String, String> chosen) {
        return provider.open(chosen);
    }

    private static InetSocketAddress loopback(String host) {
        return new InetSocketAddress(host, 0);
    }

    @BeforeEach
    void open() {
        left = openTransport();
        right = openTransport();
        a = host(left, "127.0.0.1", 16);
        b = host(right, "127.0.0.1", 17);
    }

    /** Opens the ports again at another address. */
    private void openAt(String address) {
        a = host(left, address, 16);
        b = host(right, address, 17);
    }

    private DatagramTransport openTransport() {
        DatagramTransport transport = open(settings);
        transports.add(transport);
        return transport;
    }

    @AfterEach
    void close() {
        transports.forEach(DatagramTransport::close);
    }

    private void until(BooleanSupplier done) {
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> {
            for (int i = 0; i < 1_000 && provider.inline() && !done.getAsBoolean(); i++) {
                transports.forEach(DatagramTransport::poll);
            }
            return done.getAsBoolean();
        });
    }

    private static DatagramPeer peer(InetSocketAddress address, int number) {
        return new DatagramPeer().set(DatagramAddress.of(address), number, KEY, 1_472);
    }

    private static DatagramPeer members(InetSocketAddress group) {
        return new DatagramPeer().set(DatagramAddress.of(group), Shim.GROUP_QPN, 99, 1_452);
    }

    /** One queue pair at one port; only the owner uses the upper layer. */
    private static final class Host {
        final DatagramPort port;
        final ToyUpper upper;

        Host(DatagramTransport transport, String address, int number) {
            port = transport.open(loopback(address));
            upper = new ToyUpper(number);
            port.attach(DatagramService.UD, number, KEY, false, upper);
        }

        DatagramPeer peer() {
            return DatagramTransportTest.peer(port.localAddress(), upper.number);
        }

        /** Sends back what it receives. */
        Host echoes() {
            upper.onReceived = segment -> upper.send(
                    new DatagramPeer().set(segment.source(), segment.sourceQpn(), KEY, 1_472), segment.payload());
            return this;
        }

        void send(DatagramPeer to, byte[]... payloads) {
            upper.lower().execute(() -> {
                for (byte[] payload : payloads) {
                    upper.send(to, payload);
                }
                upper.lower().doorbell();
            });
        }

        List<byte[]> received() {
            AtomicReference<@Nullable List<byte[]>> seen = new AtomicReference<>();
            upper.lower()
                    .execute(() -> seen.set(upper.received.stream()
                            .map(ToyUpper.Received::payload)
                            .toList()));
            List<byte[]> payloads = seen.get();
            while (payloads == null) {
                Thread.onSpinWait();
                payloads = seen.get();
            }
            return payloads;
        }

        int count() {
            return received().size();
        }
    }

    private Host host(DatagramTransport transport, String address, int number) {
        Host host = new Host(transport, address, number);
        until(() -> host.upper.events.contains("attached"));
        return host;
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void carriesDatagramsBothWays(String address) {
        openAt(address);
        b.echoes();
        byte[] hello = {1, 2, 3};
        a.send(b.peer(), hello);
        until(() -> a.count() == 1);
        assertThat(b.received()).containsExactly(hello);
        assertThat(a.received()).containsExactly(hello);
        assertThat(a.upper.received.get(0).source()).isEqualTo(DatagramAddress.of(b.port.localAddress()));
        assertThat(a.upper.received.get(0).validated()).isTrue();
        assertThat(a.upper.transmitted).isEqualTo(1);
    }

    @Test
    void goesOnAfterADatagramThatTheSystemWillNeverTake() {
        byte[] hello = {1, 2, 3};
        InetSocketAddress ofAnotherFamily = new InetSocketAddress(
                loopback("::1").getAddress(), b.port.localAddress().getPort());
        a.send(peer(ofAnotherFamily, 17), hello);
        a.send(b.peer(), hello);
        until(() -> b.count() == 1);
        until(() -> a.upper.unsendable.size() == 1);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void carriesManyDatagramsOfManySizes(String address) {
        openAt(address);
        byte[][] payloads = IntStream.range(0, 300)
                .mapToObj(i -> new byte[i % 3 == 0 ? i : 1_400])
                .toArray(byte[][]::new);
        for (int i = 0; i < payloads.length; i += 50) {
            int sent = i + 50;
            a.send(b.peer(), Arrays.copyOfRange(payloads, i, sent));
            until(() -> b.count() == sent);
        }
        assertThat(b.received()).containsExactlyInAnyOrder(payloads); // UDP does not keep the order
        assertThat(counter(right, "rx_crc")).isZero();
        // A sender counts after the system call, so a datagram may arrive before.
        until(() -> counter(left, "tx_datagrams") == 300);
    }

    @Test
    void carriesTheLargestDatagramsOfTheLoopback() {
        a.send(b.peer(), new byte[LARGE], new byte[LARGE + 1]);
        until(() -> b.count() == 2);
        assertThat(b.received()).extracting(payload -> payload.length).containsExactlyInAnyOrder(LARGE, LARGE + 1);
    }

    @Test
    void repliesToManySendersWhoseAddressesTakeTurns() {
        b.echoes();
        List<Host> senders = IntStream.range(0, 5)
                .mapToObj(i -> host(left, "127.0.0.1", 20 + i))
                .toList();
        for (int round = 1; round <= 3; round++) {
            int wanted = round;
            senders.forEach(one -> one.send(b.peer(), new byte[] {(byte) one.upper.number}));
            until(() -> senders.stream().allMatch(one -> one.count() == wanted));
        }
        senders.forEach(one -> assertThat(one.received()).allMatch(payload -> payload[0] == one.upper.number));
    }

    private static ThrowingConsumer<Throwable> fails(LlpFailure failure) {
        return e -> assertThat(((LlpException) e).failure()).isEqualTo(failure);
    }

    @Test
    void opensNoPortThatIsTaken() {
        assertThatThrownBy(() -> right.open(a.port.localAddress()))
                .satisfies(fails(LlpFailure.ADDRESS_IN_USE))
                .hasMessageContaining("another program has that port");
    }

    @Test
    void opensNoPortAtAnAddressThatIsNotOurs() {
        for (int port : new int[] {0, 7174}) {
            assertThatThrownBy(() -> left.open(new InetSocketAddress("192.0.2.1", port)))
                    .satisfies(fails(LlpFailure.ADDRESS_NOT_AVAILABLE))
                    .hasMessageContaining("192.0.2.1");
        }
    }

    @Test
    void aClosedPortIsFreeAtOnceAndItsQueuePairIsTold() {
        boolean free = false;
        for (int i = 0; i < 5 && !free; i++) { // another test may take the port meanwhile
            Host closed = host(left, "127.0.0.1", 18);
            InetSocketAddress address = closed.port.localAddress();
            closed.port.close();
            assertThat(closed.upper.events).containsExactly("attached", "detached");
            try {
                right.open(address).close();
                free = true;
            } catch (LlpException e) {
                assertThat(e.failure()).isEqualTo(LlpFailure.ADDRESS_IN_USE);
            }
        }
        assertThat(free).isTrue();
    }

    @Test
    void closingTheTransportDetachesEveryQueuePair() {
        Host other = host(left, "::1", 17);
        left.close();
        assertThat(a.upper.events).endsWith("detached");
        assertThat(other.upper.events).endsWith("detached");
        assertThatThrownBy(() -> left.open(loopback("127.0.0.1"))).isInstanceOf(LlpException.class);
    }

    @Test
    void firesTimers() {
        a.upper.lower().execute(() -> {
            a.upper.timeout = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
            a.upper.lower().timeoutChanged();
        });
        until(() -> a.upper.events.contains("timeout"));
    }

    @Test
    void readsWhatWaitsInTheSocketBeforeItFiresATimer() {
        a.upper.onReceived = segment -> a.upper.events.add("segment");
        a.upper.lower().execute(() -> {
            // Due at once, but the datagrams below are in the socket before the owner's next look.
            a.upper.timeout = System.nanoTime();
            a.upper.lower().timeoutChanged();
            b.send(a.peer(), new byte[] {1}, new byte[] {2}, new byte[] {3});
            long begin = System.nanoTime();
            while (counter(right, "tx_datagrams") < 3 && System.nanoTime() - begin < Patience.NANOS) {
                if (provider.inline()) {
                    right.poll();
                } else {
                    Thread.onSpinWait();
                }
            }
        });
        until(() -> a.upper.events.contains("timeout"));
        assertThat(a.upper.events).containsExactly("attached", "segment", "segment", "segment", "timeout");
    }

    @Test
    void aPortThatThrowsAndCannotEvenBeLoggedHarmsNoOther() {
        Host bad = host(left, "127.0.0.1", 17);
        Host after = host(left, "127.0.0.1", 18);
        AtomicInteger lost = new AtomicInteger();
        AppenderBase<ILoggingEvent> full = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                lost.incrementAndGet();
                throw new InternalError("by a test: no memory for a line in the log");
            }
        };
        full.start();
        Logger log = (Logger) LoggerFactory.getLogger("dev.jwarp.transport.udp");
        log.addAppender(full);
        try {
            // Afterwards all three ports are looked at.
            bad.upper.lower().execute(() -> {
                a.send(b.peer(), new byte[] {1});
                bad.upper.timeout = System.nanoTime();
                bad.upper.lower().timeoutChanged();
                bad.upper.onAskedForTimeout = () -> {
                    bad.upper.onAskedForTimeout = () -> {};
                    throw new InternalError("by a test");
                };
                bad.upper.lower().doorbell();
                after.send(b.peer(), new byte[] {2});
            });
            until(() -> b.count() == 2);
            until(() -> lost.get() > 0 && counter(left, "failed") == lost.get());
        } finally {
            log.detachAppender(full);
        }
        bad.send(b.peer(), new byte[] {3});
        until(() -> b.count() == 3);
    }

    @Test
    void aDatagramThatTheSystemRefusesHarmsNoOther() {
        a.upper.lower().execute(() -> {
            a.upper.send(peer(new InetSocketAddress("255.255.255.255", 9), 17), new byte[1]); // broadcast is off
            a.upper.send(b.peer(), new byte[2]);
            a.upper.lower().doorbell();
        });
        until(() -> b.count() == 1);
        assertThat(counter(left, "tx_refused")).isEqualTo(1);
        assertThat(counter(left, "tx_unsendable")).isZero();
        assertThat(a.upper.unsendable).isEmpty(); // treated as lost
        until(() -> a.upper.transmitted > 0);
    }

    @Test
    void findsAServiceAndSaysWhenThereIsNone() {
        ServiceAnswer offer = new ServiceAnswer(
                ServiceStatus.FOUND, DatagramService.UD, 17, KEY, 0, 1_472, 1 << 24, 1 << 20, new byte[] {7});
        List<ServiceAnswer> answers = new CopyOnWriteArrayList<>();
        b.port.listen(42, offer);
        Set<DatagramService> wanted = Set.of(DatagramService.UD);
        for (long id : new long[] {42, 43}) {
            a.port.resolve(b.port.localAddress(), id, wanted, new byte[0], Patience.NANOS, answers::add);
            until(() -> answers.size() == id - 41);
        }
        assertThat(answers.get(0)).usingRecursiveComparison().isEqualTo(offer);
        assertThat(answers.get(1).status()).isEqualTo(ServiceStatus.NO_SERVICE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void aWildcardPortAnswersFromTheAddressThatWasAsked(String wildcard) throws Exception {
        NotRun.unless(answersFromEachAddress(), "the system chooses the source address here");
        Host server = host(right, wildcard, 16).echoes();
        int port = server.port.localAddress().getPort();
        List<InetAddress> own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLinkLocalAddress())
                .filter(address -> wildcard.equals("::") || address instanceof Inet4Address)
                .toList();
        for (InetAddress asked : own) {
            InetAddress numbers = InetAddress.getByAddress(asked.getAddress()); // without the name of its interface
            // The system would choose the source address that was used here.
            Host client = host(left, asked instanceof Inet4Address ? "127.0.0.1" : "::1", 17);
            isAnsweredFrom(client, new InetSocketAddress(numbers, port));
        }
        assertThat(own).as("addresses of this host").isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void aWildcardPortAnswersFromAnAddressThatTheSystemDoesNotList(String wildcard) {
        NotRun.unless(toldWhereItWasAsked(), "the system chooses the source address here");
        Host server = host(right, wildcard, 16).echoes();
        int port = server.port.localAddress().getPort();
        for (String asked : List.of("127.0.0.2", "127.3.2.1", "127.0.0.2")) {
            Host client = host(left, "127.0.0.1", 17);
            isAnsweredFrom(client, new InetSocketAddress(asked, port));
        }
    }

    private void isAnsweredFrom(Host client, InetSocketAddress asked) {
        client.send(peer(asked, 16), new byte[] {1}, new byte[] {2});
        until(() -> client.count() == 2);
        assertThat(client.upper.received).extracting(ToyUpper.Received::source).containsOnly(DatagramAddress.of(asked));
        client.port.close();
    }

    private static NetworkInterface loopback() throws SocketException {
        return NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    }

    /** Skips the test if the system has no route for datagrams to the group. */
    private void untilUnlessRefused(BooleanSupplier done) {
        until(() -> done.getAsBoolean() || counter(left, "tx_refused") == 1);
        NotRun.unless(counter(left, "tx_refused") == 0, "this system has no route for groups on its loopback");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"127.0.0.1, 239.77.1.2", "::1, ff15::77", "::1, ff11::77", "::1, ff12::77"})
    void carriesDatagramsToEveryMemberOfAGroupUntilItLeaves(String address, String group) throws Exception {
        openAt(address);
        Host c = host(right, address, 18);
        int port = left.open(loopback(address)).localAddress().getPort(); // keeps other tests from using the port
        InetSocketAddress everybody = new InetSocketAddress(group, port);
        NetworkInterface loopback = loopback();
        b.port.join(17, everybody, loopback, 99);
        c.port.join(18, everybody, loopback, 99);
        a.send(members(everybody), new byte[] {1});
        untilUnlessRefused(() -> b.count() == 1 && c.count() == 1);
        assertThat(b.upper.received.get(0).validated()).isFalse();
        b.port.leave(17, everybody);
        a.send(members(everybody), new byte[] {2});
        until(() -> c.count() == 2);
        assertThat(b.count()).isEqualTo(1);
        assertThatThrownBy(() -> b.port.join(17, b.port.localAddress(), null, 1))
                .satisfies(fails(LlpFailure.ADDRESS_NOT_AVAILABLE));
    }

    @ParameterizedTest(name = "at {0}, shared {1}")
    @CsvSource({"0.0.0.0, off", "0.0.0.0, on", "127.0.0.1, off", "127.0.0.1, on"})
    void joinsAGroupThatHasThePortsOwnNumber(String address, String shared) throws Exception {
        settings.put("jwarp.progress.shared-port", shared);
        DatagramTransport mine = openTransport();
        Host member = host(mine, address, 17);
        int port = member.port.localAddress().getPort();
        InetSocketAddress everybody = new InetSocketAddress("239.77.1.3", port);
        member.port.join(17, everybody, loopback(), 99);
        a.send(members(everybody), new byte[] {1});
        untilUnlessRefused(() -> member.count() == 1);
        a.send(peer(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 17), new byte[] {2});
        until(() -> member.count() == 2);
        assertThat(member.received()).containsExactly(new byte[] {1}, new byte[] {2}); // each once
        InetSocketAddress again = new InetSocketAddress(address, port);
        if (shared.equals("on")) {
            openTransport().open(again).close(); // the port can still be shared
        } else {
            assertThatThrownBy(() -> openTransport().open(again)).isInstanceOf(LlpException.class);
        }
    }

    @Test
    void writesACaptureFileWithEachDatagramOnce(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("udp.pcap");
        settings.put("jwarp.udp.pcap", file.toString());
        open();
        a.send(b.peer(), new byte[100], new byte[100], new byte[50]);
        until(() -> b.count() == 3);
        left.close();
        right.close();
        int headers = 16 + 20 + 8 + ShimHeader.LENGTH + ToyUpper.HEADER + Crc.LENGTH;
        assertThat(Files.size(file)).isEqualTo(24 + 3 * headers + 250);
    }

    private static long counter(DatagramTransport transport, String name) {
        return transport.counters().stream()
                .filter(counter -> counter.name().equals(name))
                .mapToLong(TransportCounter::value)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void tellsWhatTheKernelGrantedForReceiving() {
        assertThat(a.port.receiveBuffer()).isPositive();
    }
}
