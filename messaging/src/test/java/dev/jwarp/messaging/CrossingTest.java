package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Services 1 and 2 find each other when the test says so. */
@DisplayName("Two services that begin a conversation with each other")
class CrossingTest {
    private static final int ROUNDS = Whole.or(10, 200);
    private static final int MESSAGES = 12;

    private static final class SlowDirectory extends LoopbackDirectory {
        private final Map<Integer, CompletableFuture<Place>> asked = new ConcurrentHashMap<>();

        @Override
        public CompletionStage<Place> find(int service) {
            return asked.computeIfAbsent(service, id -> new CompletableFuture<>());
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

    @AfterEach
    void close() throws Exception {
        near.close();
        far.close();
    }

    private MessageEndpoint open(int service, Directory directory, QueuePairType... carriers) {
        EndpointOptions options =
                EndpointOptions.of(service).withCarriers(carriers).withTimeout(Patience.LIMIT);
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
                CompletableFuture<Void> other = CompletableFuture.runAsync(() -> tell(both, directory, 1));
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
                assertThat(one.peers()).isOne();
                assertThat(two.peers()).isOne();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("have one if the directory is wrong about one of them")
    void wrongPlace(int wrong) throws Exception {
        SlowDirectory directory = new SlowDirectory();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                MessageEndpoint one = open(1, directory, QueuePairType.RC);
                MessageEndpoint two = open(2, directory, QueuePairType.RC)) {
            MessageEndpoint misled = wrong == 1 ? two : one;
            send(one, 2);
            send(two, 1);
            directory.tell(
                    wrong, new Place((InetSocketAddress) silent.getLocalSocketAddress(), Set.of(QueuePairType.RC)));
            Socket begun = silent.accept();
            directory.tell(3 - wrong);
            if (wrong == 2) { // service 1 waits for its own connection first
                Peer peer = Objects.requireNonNull(misled.current(wrong));
                FaultsTest.await(() -> peer.request != null);
                begun.close();
            }
            receive(one);
            receive(two);
            assertThat(one.peers()).isOne();
            assertThat(two.peers()).isOne();
            begun.close();
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
            FaultsTest.await(() -> own.carrier == first);
            CompletableFuture<Message> call = three.call(2, ByteBuffer.allocate(8), Patience.LIMIT);
            directory.tell(2);
            Patience.get(call).close();
            assertThat(two.current(3)).isSameAs(own);
            assertThat(two.peers()).isEqualTo(2);
        }
    }
}
