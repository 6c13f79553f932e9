package dev.jwarp.rnic.portmap.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.rnic.portmap.PlayedPortMapper;
import dev.jwarp.rnic.portmap.PortMapMessage;
import dev.jwarp.rnic.portmap.PortMapMessage.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The port mapper of a process")
class PortMapperTest {
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private InetAddress host = InetAddress.getLoopbackAddress();
    private final PortMapper mapper = new PortMapper(PlayedPortMapper.PORT);

    @BeforeEach
    void host() throws IOException {
        host = PlayedPortMapper.newHost();
    }

    private InetSocketAddress at(int port) {
        return new InetSocketAddress(host, port);
    }

    private CompletableFuture<PortMapper.Answer> ask(@Nullable InetSocketAddress local, long waitNanos) {
        CompletableFuture<PortMapper.Answer> told = new CompletableFuture<>();
        mapper.ask(at(7), local, waitNanos, told::complete);
        return told;
    }

    private PlayedPortMapper mappingTo(int port) throws IOException {
        return new PlayedPortMapper(
                host,
                PlayedPortMapper.PORT,
                request -> request.kind() == Kind.REQUEST ? request.answer(Kind.ACCEPT, at(port)) : null);
    }

    @Test
    @DisplayName("asks, reports the mapping, and acknowledges it")
    void mapping() throws Exception {
        try (PlayedPortMapper peer = mappingTo(7174)) {
            PortMapper.Answer answer = ask(null, LONG).get();
            assertThat(answer.mapped()).isTrue();
            assertThat(answer.remote()).isEqualTo(at(7174));
            await().until(() -> peer.heard().size() == 2);
            PortMapMessage request = peer.heard().get(0);
            assertThat(request.accepting()).isEqualTo(at(7));
            assertThat(request.connecting()).isEqualTo(answer.local()).isEqualTo(request.mappedConnecting());
            assertThat(request.connecting().getPort()).isNotZero();
            assertThat(peer.heard().get(1)).isEqualTo(request.answer(Kind.ACK, at(7174)));
        }
    }

    @Test
    @DisplayName("reserves the local port of the future connection, and frees it before the result")
    void keptPort() throws Exception {
        AtomicReference<@Nullable Boolean> takenMeanwhile = new AtomicReference<>();
        try (PlayedPortMapper peer = new PlayedPortMapper(host, PlayedPortMapper.PORT, request -> {
            if (request.kind() == Kind.REQUEST) {
                takenMeanwhile.set(!canListen(request.connecting()));
            }
            return request.answer(Kind.ACCEPT, at(9));
        })) {
            PortMapper.Answer answer = ask(null, LONG).get();
            assertThat(takenMeanwhile.get()).isTrue();
            assertThat(canListen(Objects.requireNonNull(answer.local()))).isTrue();
            assertThat(peer.heard()).isNotNull();
        }
    }

    private static boolean canListen(InetSocketAddress address) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(address);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    @DisplayName("asks from the program's local address, and names the program's local port")
    void chosenLocal() throws Exception {
        try (PlayedPortMapper peer = mappingTo(9)) {
            PortMapper.Answer answer = ask(at(20_123), LONG).get();
            assertThat(answer.local()).isEqualTo(at(20_123));
            assertThat(peer.heard().get(0).connecting()).isEqualTo(at(20_123));
        }
    }

    @Test
    @DisplayName(
            "asks from an address chosen by the system if the program's address is a wildcard address of any IP version")
    void wildcardLocal() throws Exception {
        try (PlayedPortMapper peer = mappingTo(9)) {
            for (String any : List.of("0.0.0.0", "::")) {
                assertThat(ask(new InetSocketAddress(any, 0), LONG).get().mapped())
                        .isTrue();
            }
            assertThat(peer.heard().get(0).connecting().getAddress().isLoopbackAddress())
                    .isTrue();
        }
    }

    @Test
    @DisplayName("reports at once that there is no port mapper")
    void nobody() throws Exception {
        PortMapper.Answer answer = ask(null, LONG).get();
        assertThat(answer).isEqualTo(new PortMapper.Answer(false, at(7), null));
    }

    @Test
    @DisplayName("reports that there is no mapping after a REJECT, with the addresses of the program")
    void rejected() throws Exception {
        try (PlayedPortMapper peer = new PlayedPortMapper(
                host, PlayedPortMapper.PORT, request -> request.answer(Kind.REJECT, request.accepting()))) {
            assertThat(ask(at(0), LONG).get()).isEqualTo(new PortMapper.Answer(false, at(7), at(0)));
            assertThat(peer.heard()).isNotNull();
        }
    }

    @Test
    @DisplayName("waits for a silent port mapper until the timeout")
    void silent() throws Exception {
        try (PlayedPortMapper peer = new PlayedPortMapper(host, PlayedPortMapper.PORT, request -> null)) {
            long began = System.nanoTime();
            assertThat(ask(null, TimeUnit.MILLISECONDS.toNanos(50)).get().mapped())
                    .isFalse();
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
            assertThat(peer.heard()).isNotNull();
        }
    }

    @Test
    @DisplayName("repeats its question to a silent port mapper")
    void asksAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (PlayedPortMapper peer = new PlayedPortMapper(
                host,
                PlayedPortMapper.PORT,
                message -> message.kind() == Kind.REQUEST && asked.incrementAndGet() > 1
                        ? message.answer(Kind.ACCEPT, at(7174))
                        : null)) {
            assertThat(ask(null, LONG).get().mapped()).isTrue();
            assertThat(peer.heard().get(1)).isEqualTo(peer.heard().get(0));
        }
    }

    @Test
    @DisplayName("ignores otherwise valid answers from other addresses and ports")
    void forged() throws Exception {
        AtomicInteger forgeries = new AtomicInteger();
        try (DatagramChannel otherPort = DatagramChannel.open().bind(at(0));
                DatagramChannel otherHost = DatagramChannel.open()
                        .bind(new InetSocketAddress(PlayedPortMapper.newHost(), PlayedPortMapper.PORT));
                SourceOfQuestions peer = new SourceOfQuestions(host)) {
            CompletableFuture<PortMapper.Answer> told = ask(null, LONG);
            PortMapMessage request = peer.next();
            for (DatagramChannel forger : List.of(otherPort, otherHost)) {
                forger.send(request.answer(Kind.ACCEPT, at(666)).encode(), peer.source());
                forgeries.incrementAndGet();
            }
            // The genuine answer follows.
            peer.say(request.answer(Kind.ACCEPT, at(7174)));
            assertThat(told.get().remote()).isEqualTo(at(7174));
            assertThat(forgeries).hasValue(2);
        }
    }

    /** Receives one question, and records its source. */
    private static final class SourceOfQuestions implements AutoCloseable {
        private final DatagramChannel channel;
        private @Nullable InetSocketAddress source;

        SourceOfQuestions(InetAddress host) throws IOException {
            channel = DatagramChannel.open().bind(new InetSocketAddress(host, PlayedPortMapper.PORT));
        }

        PortMapMessage next() throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate(100);
            source = (InetSocketAddress) channel.receive(buffer);
            return Objects.requireNonNull(PortMapMessage.parse(buffer.flip()));
        }

        InetSocketAddress source() {
            return Objects.requireNonNull(source);
        }

        void say(PortMapMessage message) throws IOException {
            channel.send(message.encode(), source());
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Test
    @DisplayName("has at most 1024 open questions; a further one reports at once that there is no answer")
    void manyQuestions() throws Exception {
        AtomicInteger told = new AtomicInteger();
        AtomicBoolean answers = new AtomicBoolean();
        try (PlayedPortMapper peer = new PlayedPortMapper(
                host,
                PlayedPortMapper.PORT,
                request -> answers.get() ? request.answer(Kind.REJECT, request.accepting()) : null)) {
            for (int i = 0; i < PortMapper.MOST_QUESTIONS; i++) {
                mapper.ask(at(7), null, LONG, answer -> told.incrementAndGet());
            }
            assertThat(ask(null, LONG).get().mapped()).isFalse();
            assertThat(told).hasValue(0);
            answers.set(true);
            await().until(() -> told.get() == PortMapper.MOST_QUESTIONS);
            assertThat(peer.heard()).isNotEmpty();
        }
    }

    @Test
    @DisplayName("answers about a listener until its close, and then frees the port")
    void answers() throws Exception {
        Runnable first = mapper.listening(at(7));
        Runnable second = mapper.listening(at(8));
        PortMapper peer = new PortMapper(PlayedPortMapper.PORT);
        assertThat(asked(peer, 7)).isTrue();
        assertThat(asked(peer, 8)).isTrue();
        first.run();
        assertThat(asked(peer, 7)).isFalse();
        assertThat(asked(peer, 8)).isTrue();
        second.run();
        await().until(() -> {
            try (DatagramChannel free = DatagramChannel.open()) {
                return free.bind(at(PlayedPortMapper.PORT)).isOpen();
            } catch (IOException e) {
                return false;
            }
        });
        Runnable third = mapper.listening(at(7));
        assertThat(asked(peer, 7)).isTrue();
        third.run();
    }

    @Test
    @DisplayName("answers for a listener that starts right after the close of another at its address")
    void listensAgain() throws Exception {
        PortMapper peer = new PortMapper(PlayedPortMapper.PORT);
        for (int i = 0; i < 20; i++) {
            mapper.listening(at(7)).run();
            Runnable next = mapper.listening(at(7));
            assertThat(asked(peer, 7)).isTrue();
            next.run();
        }
        await().until(() -> !mapper.atWork());
    }

    private boolean asked(PortMapper peer, int port) throws Exception {
        CompletableFuture<PortMapper.Answer> told = new CompletableFuture<>();
        peer.ask(at(port), null, LONG, told::complete);
        PortMapper.Answer answer = told.get();
        assertThat(answer.remote()).isEqualTo(at(port));
        return answer.mapped();
    }

    @Test
    @DisplayName("continues without answers if another port mapper has the port")
    void portTaken() throws Exception {
        try (PlayedPortMapper other = mappingTo(9)) {
            List<Runnable> listeners = new ArrayList<>();
            listeners.add(mapper.listening(at(7)));
            listeners.add(mapper.listening(at(7)));
            assertThat(ask(null, LONG).get().remote()).isEqualTo(at(9));
            listeners.forEach(Runnable::run);
            assertThat(other.heard()).isNotEmpty();
        }
    }

    @Test
    @DisplayName("has no thread without work")
    void noThread() throws Exception {
        Runnable listener = mapper.listening(at(7));
        assertThat(mapper.atWork()).isTrue();
        listener.run();
        await().until(() -> !mapper.atWork());
        ask(null, LONG).get();
        await().until(() -> !mapper.atWork());
    }

    @Test
    @DisplayName(
            "that failed and restarted answers for a new listener, even after the close of an old one at the same address")
    void beganAgain() throws Exception {
        Runnable old = mapper.listening(at(7));
        mapper.ask(at(8), null, 1, answer -> {
            throw new AssertionError("caused by the test");
        });
        await().until(() -> !mapper.atWork());
        Runnable fresh = mapper.listening(at(7));
        old.run();
        assertThat(mapper.atWork()).isTrue();
        try (DatagramChannel peer = DatagramChannel.open().bind(at(0))) {
            PortMapMessage request = new PortMapMessage(Kind.REQUEST, 5, at(1), at(7), null);
            peer.configureBlocking(false);
            ByteBuffer answer = ByteBuffer.allocate(100);
            await().until(() -> {
                peer.send(request.encode(), at(PlayedPortMapper.PORT)); // the request may be lost
                return peer.receive(answer) != null;
            });
            assertThat(PortMapMessage.parse(answer.flip())).isEqualTo(request.answer(Kind.ACCEPT, at(7)));
        }
        await().during(java.time.Duration.ofMillis(50)).until(mapper::atWork);
        fresh.run();
        await().until(() -> !mapper.atWork());
    }

    @Test
    @DisplayName("continues when its thread is interrupted, without busy waiting")
    void interrupted() throws Exception {
        Set<Thread> before = threads();
        AtomicBoolean answers = new AtomicBoolean();
        try (PlayedPortMapper peer = new PlayedPortMapper(
                host, PlayedPortMapper.PORT, request -> answers.get() ? request.answer(Kind.ACCEPT, at(7174)) : null)) {
            CompletableFuture<PortMapper.Answer> answer = ask(null, LONG);
            Set<Thread> own = threads();
            own.removeAll(before);
            assertThat(own).hasSize(1).allSatisfy(thread -> {
                thread.interrupt();
                await().until(() -> !thread.isInterrupted());
            });
            answers.set(true);
            assertThat(answer.get().mapped()).isTrue();
            assertThat(peer.heard()).isNotEmpty();
        }
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("jwarp-port-mapper"))
                .collect(Collectors.toSet());
    }
}
