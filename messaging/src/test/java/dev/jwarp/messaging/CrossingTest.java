package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Services 1 and 2 find each other when the test says so. */
@DisplayName("Two services that begin a conversation with each other")
class CrossingTest {
    private static final int ROUNDS = Whole.or(10, 200);
    private static final int MESSAGES = 12;

    private static final class SlowDirectory extends LoopbackDirectory {
        private final Map<Integer, CompletableFuture<Place>> asked = new ConcurrentHashMap<>();
        final Queue<Integer> doubted = new ConcurrentLinkedQueue<>();

        @Override
        public CompletionStage<Place> find(int service) {
            return asked.computeIfAbsent(service, id -> new CompletableFuture<>());
        }

        @Override
        public void doubt(int service, Place place) {
            doubted.add(service);
        }

        void tell(int service, Place place) {
            FaultsTest.await(() -> asked.containsKey(service));
            Objects.requireNonNull(asked.get(service)).complete(place);
        }

        void tell(int service) throws Exception {
            tell(service, Patience.get(super.find(service).toCompletableFuture()));
        }
    }

    private final Machine near = new Machine(Progress.THREADED, Map.of());
    private final Machine far = new Machine(Progress.THREADED, Map.of());
    private Duration timeout = Patience.LIMIT;
    private int maxShort = 1_400;

    @AfterEach
    void close() throws Exception {
        near.close();
        far.close();
    }

    private MessageEndpoint open(int service, Directory directory, QueuePairType... carriers) {
        EndpointOptions options = EndpointOptions.of(service)
                .withCarriers(carriers)
                .withTimeout(timeout)
                .withMaxShort(maxShort);
        return MessageEndpoint.open((service == 1 ? near : far).context, directory, options);
    }

    private static void send(MessageEndpoint from, int to) {
        for (int i = 0; i < MESSAGES; i++) {
            from.sendShort(to, ByteBuffer.allocate(4).putInt(i).flip());
        }
    }

    private static void receive(MessageEndpoint at) {
        for (int i = 0; i < MESSAGES; i++) {
            try (Message message = Objects.requireNonNull(at.receive(Patience.LIMIT), "message " + i)) {
                assertThat(message.data().getInt()).isEqualTo(i);
            }
        }
    }

    private static void haveOne(MessageEndpoint one, MessageEndpoint two) {
        assertThat(one.peers()).isOne();
        assertThat(two.peers()).isOne();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("at once have one, and its messages arrive in order")
    void atOnce(QueuePairType carrier) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            SlowDirectory directory = new SlowDirectory();
            try (MessageEndpoint one = open(1, directory, carrier);
                    MessageEndpoint two = open(2, directory, carrier)) {
                send(one, 2);
                send(two, 1);
                CyclicBarrier both = new CyclicBarrier(2);
                CompletableFuture<Void> other =
                        CompletableFuture.runAsync(() -> tell(both, directory, 1), task -> new Thread(task).start());
                tell(both, directory, 2);
                Patience.get(other);
                if (carrier != QueuePairType.UD) { // where some can be lost
                    receive(one);
                    receive(two);
                }
                for (MessageEndpoint each : List.of(one, two)) {
                    while (each.peers() == 0) {
                        Thread.onSpinWait();
                    }
                    assertThat(each.peers()).isOne();
                }
            }
        }
    }

    private static void tell(CyclicBarrier both, SlowDirectory directory, int service) {
        try {
            both.await();
            directory.tell(service);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("have one if the directory tells only one of them")
    void oneIsTold(QueuePairType carrier) throws Exception {
        for (int told = 1; told <= 2; told++) {
            SlowDirectory directory = new SlowDirectory();
            try (MessageEndpoint one = open(1, directory, carrier);
                    MessageEndpoint two = open(2, directory, carrier)) {
                send(one, 2);
                send(two, 1);
                directory.tell(told);
                receive(told == 1 ? one : two);
                receive(told == 1 ? two : one);
                haveOne(one, two);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("have one in which the other one speaks if the one that connects has nothing left to say")
    void nothingToSay(QueuePairType carrier) throws Exception {
        SlowDirectory directory = new SlowDirectory();
        try (MessageEndpoint one = open(1, directory, carrier);
                MessageEndpoint two = open(2, directory, carrier)) {
            CompletableFuture<Message> call = one.call(2, ByteBuffer.allocate(1), Duration.ofMillis(1));
            assertThatThrownBy(() -> Patience.get(call)).isInstanceOf(RdmaException.class);
            send(two, 1);
            directory.tell(2);
            receive(one);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("have another one if a message of one that waits is too long for the other one")
    void tooLong(QueuePairType carrier) throws Exception {
        SlowDirectory directory = new SlowDirectory();
        try (MessageEndpoint one = open(1, directory, carrier)) {
            maxShort = 1_000;
            try (MessageEndpoint two = open(2, directory, carrier)) {
                CompletableFuture<Message> call = one.call(2, ByteBuffer.allocate(1_200), Patience.LIMIT);
                send(two, 1);
                directory.tell(1);
                receive(one);
                assertThatThrownBy(() -> Patience.get(call)).hasMessageContaining("at most 1000 bytes");
                haveOne(one, two);
            }
        }
    }

    private static void awaitAt(MessageEndpoint endpoint, BooleanSupplier condition) {
        FaultsTest.await(() -> {
            endpoint.enter();
            try {
                return condition.getAsBoolean();
            } finally {
                endpoint.leave();
            }
        });
    }

    /** The port of a service that does not answer. */
    private static Place silent(ServerSocket socket) {
        return new Place((InetSocketAddress) socket.getLocalSocketAddress(), Set.of(QueuePairType.RC));
    }

    private static void awaitEnd(Socket connection) throws IOException {
        try {
            connection.getInputStream().readAllBytes();
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    @Test
    @DisplayName("have that of the lower id if the higher one is connecting elsewhere")
    void higherIsMisled() throws Exception {
        SlowDirectory directory = new SlowDirectory();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                MessageEndpoint one = open(1, directory, QueuePairType.RC);
                MessageEndpoint two = open(2, directory, QueuePairType.RC)) {
            send(one, 2);
            send(two, 1);
            directory.tell(1, silent(silent));
            try (Socket begun = silent.accept()) {
                directory.tell(2);
                receive(one);
                receive(two);
                awaitEnd(begun);
            }
            haveOne(one, two);
        }
    }

    /** Service 1 is connecting elsewhere, and has the request of service 2. */
    private final class Misled implements AutoCloseable {
        final SlowDirectory directory = new SlowDirectory();
        final ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        final MessageEndpoint one;
        final MessageEndpoint two = open(2, directory, QueuePairType.RC);
        final Peer peer;
        final Socket begun;

        Misled(Duration lowers) throws Exception {
            timeout = lowers;
            one = open(1, directory, QueuePairType.RC);
            send(one, 2);
            send(two, 1);
            peer = Objects.requireNonNull(one.current(2));
            directory.tell(2, silent(silent));
            begun = silent.accept();
            directory.tell(1);
            awaitAt(one, () -> peer.request != null || peer.state != Peer.State.SETTING_UP);
        }

        void receiveAll() {
            receive(one);
            receive(two);
            haveOne(one, two);
            assertThat(directory.doubted).containsExactly(2);
        }

        @Override
        public void close() throws Exception {
            one.close();
            two.close();
            begun.close();
            silent.close();
        }
    }

    @Test
    @DisplayName("have that of the higher id if the connection of the lower one fails")
    void lowerIsMisled() throws Exception {
        try (Misled both = new Misled(Patience.LIMIT)) {
            both.begun.close();
            both.receiveAll();
        }
    }

    @Test
    @DisplayName("have that of the higher id if the connection of the lower one takes long")
    void lowerIsSlow() throws Exception {
        for (boolean kept = false; !kept; ) {
            try (Misled both = new Misled(Duration.ofSeconds(2))) {
                kept = both.peer.state != Peer.State.GONE; // on a machine that stands still for 2 s it has ended before
                if (kept) {
                    both.receiveAll();
                }
            }
        }
    }

    @Test
    @DisplayName("have none if that of the lower id fails after the other one has closed")
    void givenUp() throws Exception {
        try (Misled both = new Misled(Patience.LIMIT)) {
            CompletableFuture<Message> call = both.one.call(2, ByteBuffer.allocate(1), Patience.LIMIT);
            both.two.close();
            both.begun.close();
            assertThatThrownBy(() -> Patience.get(call))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isNotEqualTo(RdmaErrorCode.CLOSED));
            assertThat(both.directory.doubted).containsExactly(2);
        }
    }

    @Test
    @DisplayName("have one more if another instance of the higher id is where the lower one connects to")
    void otherInstance() throws Exception {
        SlowDirectory directory = new SlowDirectory();
        LoopbackDirectory ofOther = new LoopbackDirectory();
        Machine asleep = new Machine(Progress.INLINE, Map.of());
        try (MessageEndpoint one = open(1, directory, QueuePairType.RC);
                MessageEndpoint two = open(2, directory, QueuePairType.RC);
                MessageEndpoint other = MessageEndpoint.open(asleep.context, ofOther, two.options())) {
            asleep.stop();
            send(one, 2);
            send(two, 1);
            Peer peer = Objects.requireNonNull(one.current(2));
            directory.tell(2, other.place());
            awaitAt(one, () -> peer.id != null);
            directory.tell(1);
            awaitAt(one, () -> peer.request != null);
            for (int i = 0; i < MESSAGES; ) {
                try (Message message = other.receive(Patience.LIMIT)) {
                    i += message == null ? 0 : 1;
                }
            }
            receive(one);
        } finally {
            asleep.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UD", "RD"})
    @DisplayName("over other carriers keep their own ones")
    void otherCarriers(QueuePairType first) throws Exception {
        QueuePairType second = first == QueuePairType.UD ? QueuePairType.RD : QueuePairType.UD;
        SlowDirectory directory = new SlowDirectory();
        try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                MessageEndpoint two = open(2, directory, first, second);
                MessageEndpoint three = open(3, directory, second, first)) {
            for (MessageEndpoint each : List.of(two, three)) {
                each.onMessage(call -> call.reply(call.data()));
            }
            send(two, 3);
            directory.tell(3, new Place((InetSocketAddress) silent.getLocalSocketAddress(), Set.of(first)));
            Peer own = Objects.requireNonNull(two.current(3));
            awaitAt(two, () -> own.carrier == first);
            CompletableFuture<Message> call = three.call(2, ByteBuffer.allocate(8), Patience.LIMIT);
            directory.tell(2);
            Patience.get(call).close();
            assertThat(two.current(3)).isSameAs(own);
            assertThat(two.peers()).isEqualTo(2);
            two.enter();
            own.fail(new RdmaException(RdmaErrorCode.TIMED_OUT, "of this test"));
            two.leave();
            assertThat(Objects.requireNonNull(two.current(3)).state).isEqualTo(Peer.State.READY);
        }
    }
}
