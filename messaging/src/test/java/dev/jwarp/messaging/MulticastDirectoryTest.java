package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A directory by multicast")
class MulticastDirectoryTest {
    private static final int SERVICE = 7;

    /** Another group for each run: other programs of this host may run the same test. */
    private final InetSocketAddress group = new InetSocketAddress(
            "239.192." + ThreadLocalRandom.current().nextInt(1, 255) + ".7",
            ThreadLocalRandom.current().nextInt(20_000, 30_000));

    private final List<AutoCloseable> open = new ArrayList<>();
    private NetworkInterface loopback;

    @BeforeEach
    void loopback() throws Exception {
        loopback = Objects.requireNonNull(NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress()));
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private <T extends AutoCloseable> T closedLater(T what) {
        open.add(what);
        return what;
    }

    /** A process of its own, as far as messages can tell. */
    private final class Host {
        final Machine machine;
        final MulticastDirectory directory;

        Host(Progress progress) {
            machine = closedLater(new Machine(progress, Map.of("jwarp.udp.unheard-pace", "0")));
            directory = closedLater(new MulticastDirectory(machine.context, group, loopback));
        }

        MessageEndpoint endpoint(int service, QueuePairType carrier) {
            return closedLater(MessageEndpoint.open(
                    machine.context,
                    directory,
                    EndpointOptions.of(service).withCarriers(carrier).withTimeout(Duration.ofSeconds(2))));
        }
    }

    private static void answers(MessageEndpoint client, String question) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(question.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        try (Message answer = Patience.get(client.call(SERVICE, bytes.duplicate(), Patience.LIMIT))) {
            assertThat(answer.data()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("finds a service of another process, and the next one that has its id")
    void migration(QueuePairType carrier) throws Exception {
        Host first = new Host(Progress.THREADED);
        Host second = new Host(Progress.INLINE);
        MessageEndpoint client = new Host(Progress.THREADED).endpoint(0, carrier);
        MessageEndpoint server = first.endpoint(SERVICE, carrier);
        server.onMessage(question -> question.reply(question.data()));
        answersAtLast(client, "first");
        server.close();
        second.endpoint(SERVICE, carrier).onMessage(question -> question.reply(question.data()));
        answersAtLast(client, "second"); // when the old conversation has noticed its end
    }

    private static void answersAtLast(MessageEndpoint client, String question) throws Exception {
        for (boolean found = false; !found; ) {
            try {
                answers(client, question);
                found = true;
            } catch (RdmaException e) {
                assertThat(e.code()).isNotEqualTo(RdmaErrorCode.INTERNAL);
            }
        }
    }

    @Test
    @DisplayName("refuses an id that another process has announced")
    void clash() {
        new Host(Progress.THREADED).endpoint(SERVICE, QueuePairType.RC);
        Host other = new Host(Progress.THREADED);
        assertThatThrownBy(() -> other.endpoint(SERVICE, QueuePairType.UD))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE));
    }

    @Test
    @DisplayName("lists the services of all processes")
    void services() throws Exception {
        Host first = new Host(Progress.THREADED);
        Host second = new Host(Progress.INLINE);
        MessageEndpoint server = first.endpoint(SERVICE, QueuePairType.RC);
        MessageEndpoint other = second.endpoint(8, QueuePairType.RD);
        assertThat(Patience.get(second.directory.services().toCompletableFuture()))
                .containsOnlyKeys(SERVICE, 8)
                .satisfies(all -> assertThat(Objects.requireNonNull(all.get(SERVICE))
                                .address()
                                .getPort())
                        .isEqualTo(server.place().address().getPort()));
        server.close();
        MulticastDirectory third = new Host(Progress.THREADED).directory;
        assertThat(Patience.get(third.services().toCompletableFuture())).containsOnlyKeys(other.service());
    }

    @Test
    @DisplayName("says that no host has a service")
    void unknown() {
        MessageEndpoint client = new Host(Progress.INLINE).endpoint(0, QueuePairType.RC);
        assertThatThrownBy(() -> Patience.get(client.call(SERVICE, ByteBuffer.allocate(1), Patience.LIMIT)))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.TIMED_OUT))
                .hasMessageContaining("has service 7");
    }

    @Test
    @DisplayName("learns from answers to others")
    void bystander() throws Exception {
        Host server = new Host(Progress.THREADED);
        Host asker = new Host(Progress.THREADED);
        Host bystander = new Host(Progress.THREADED);
        server.endpoint(SERVICE, QueuePairType.RC);
        Place place = Patience.get(asker.directory.find(SERVICE).toCompletableFuture());
        while (!bystander.directory.member.knows(SERVICE)) { // an answer was lost, or is on the way
            asker.directory.doubt(SERVICE, place);
            Patience.get(asker.directory.find(SERVICE).toCompletableFuture());
        }
        assertThat(bystander.directory.find(SERVICE).toCompletableFuture()).isCompletedWithValue(place);
    }
}
