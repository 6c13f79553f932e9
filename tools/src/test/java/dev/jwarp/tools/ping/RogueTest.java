package dev.jwarp.tools.ping;

import static dev.jwarp.tools.Listeners.port;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.tools.ping.RpingServer.Advertisement;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("rping with a peer that does not keep to the rules")
class RogueTest {
    private static final Duration LIMIT = Patience.LIMIT;
    private static final Link.Depths DEPTHS = new Link.Depths(8, 8);

    private final Console console = Run.later("rogue").console();

    @Test
    @DisplayName("data that come back changed end the client with 1 and the offset")
    void dataThatComeBackChanged() throws Exception {
        Run client = againstServer(link -> {
            MemoryRegion in = link.allocate(16, AccessFlag.LOCAL_WRITE);
            MemoryRegion data = link.allocate(64, AccessFlag.LOCAL_WRITE);
            receive(link, in);
            link.accept(ConnectionParameters.DEFAULT);
            expect(link, WorkCompletionOpcode.RECV);
            link.queuePair().postSend(read(in.buffer()).add(data));
            receive(link, in);
            expect(link, WorkCompletionOpcode.RDMA_READ);
            data.buffer().put(20, (byte) '!');
            send(link, in, 16);
            expect(link, WorkCompletionOpcode.RECV);
            link.queuePair().postSend(write(in.buffer()).add(data));
            send(link, in, 16);
            link.end(LIMIT);
        });

        assertThat(client.status()).as(client.toString()).isEqualTo(1);
        assertThat(client.err())
                .startsWith("error: round 1: the data came back changed, first at offset 20: 0x48 became 0x21");
        assertThat(client.out()).contains("1 round, 0 validated, 1 failed");
    }

    @Test
    @DisplayName("a server that answers with another length is no rping")
    void serverThatAnswersWithAnotherLengthIsNoRping() throws Exception {
        Run client = againstServer(link -> {
            MemoryRegion in = link.allocate(16, AccessFlag.LOCAL_WRITE);
            receive(link, in);
            link.accept(ConnectionParameters.DEFAULT);
            expect(link, WorkCompletionOpcode.RECV);
            send(link, in, 8);
            link.end(LIMIT);
        });

        assertThat(client.status()).as(client.toString()).isEqualTo(4);
        assertThat(client.err())
                .contains("sent a message of 8 bytes; rping's have 16")
                .contains("is it an rping server?");
    }

    @Test
    @DisplayName("a server that never answers ends the client in time")
    void serverThatNeverAnswersEndsClientInTime() throws Exception {
        Run client = againstServer("1.5", link -> {
            MemoryRegion in = link.allocate(16, AccessFlag.LOCAL_WRITE);
            receive(link, in);
            link.accept(ConnectionParameters.DEFAULT);
            link.next(LIMIT); // its request, if it still waits
            link.end(LIMIT);
        });

        assertThat(client.status()).as(client.toString()).isEqualTo(1);
        assertThat(client.err())
                .contains("error: no go-ahead after the RDMA Read from 127.0.0.1:")
                .contains("within 1.5 s")
                .contains("is the peer alive?", "if the peer is Linux's siw", "--set jwarp.rdmap.nudge=on");
    }

    @Test
    @DisplayName("a buffer that the client does not have ends the server with the words of the completion")
    void bufferThatClientDoesNot() throws Exception {
        Run server = againstClient(link -> advertise(link, 4096, 0x12345678, 64));

        assertThat(server.status()).as(server.toString()).isEqualTo(1);
        assertThat(server.err())
                .containsPattern(
                        "error: RDMA_READ wr_id=1 qp=\\d+: REM_ACCESS_ERR \\(10\\): the peer refused the memory access")
                .containsPattern("Terminate.*0x0/0x1/0x00")
                .contains("check: ")
                .containsPattern("\\d more flushed");
    }

    @Test
    @DisplayName("a buffer larger than rping has is of no rping")
    void bufferLargerThanRpingHasIsOfNoRping() throws Exception {
        assertThat(strangerAt(link -> advertise(link, 0, 1, 65_536)))
                .contains("offers a buffer of 65536 bytes; rping's have 1 to 65535");
    }

    @Test
    @DisplayName("a message of another length is of no rping")
    void messageOfAnotherLengthIsOfNoRping() throws Exception {
        assertThat(strangerAt(link -> send(link, link.allocate(16), 15)))
                .contains("sent a message of 15 bytes; rping's have 16");
    }

    @Test
    @DisplayName("a client that leaves before the first ping counts as unknown")
    void clientThatLeavesBeforeFirst() throws Exception {
        assertThat(strangerAt(Link::disconnect)).contains("closed the connection before its first ping");
    }

    @Test
    @DisplayName("a client that is silent while others wait counts as unknown")
    void clientThatIsSilentWhile() throws Exception {
        assertThat(strangerAt(link -> {})).contains("sent no advertisement");
    }

    @Test
    @DisplayName("a message out of turn is told as the peers mistake")
    void messageOutOfTurnIsToldAsPeersMistake() throws Exception {
        Run server = againstClient(link -> {
            MemoryRegion source = link.allocate(64, AccessFlag.REMOTE_READ);
            MemoryRegion in = link.allocate(16, AccessFlag.LOCAL_WRITE);
            receive(link, in);
            PingText.write(0, source.buffer().duplicate());
            advertise(link, source.address(), source.rkey(), 64);
            expect(link, WorkCompletionOpcode.RECV);
            link.queuePair().postSend(new SendWorkRequest().immediateData(7));
        });

        assertThat(server.status()).as(server.toString()).isEqualTo(4);
        assertThat(server.err()).contains("when this side waited for").doesNotContain("a bug of jwarp");
    }

    @Test
    @DisplayName("text that is no ping fails a server that validates")
    void textThatIsNoPingFailsServerThatValidates() throws Exception {
        Run server = againstClient(link -> {
            MemoryRegion source = link.allocate(64, AccessFlag.REMOTE_READ);
            advertise(link, source.address(), source.rkey(), 64);
        });

        assertThat(server.status()).as(server.toString()).isEqualTo(1);
        assertThat(server.err()).contains("round 1 from 127.0.0.1:").contains("the data are not a ping's text");
        assertThat(server.out()).contains("0 rounds, 0 validated, 1 failed");
    }

    @Test
    @DisplayName("a client that leaves in the middle of a round ends the server with 1")
    void clientThatLeavesInMiddle() throws Exception {
        Run server = againstClient(link -> {
            MemoryRegion source = link.allocate(64, AccessFlag.REMOTE_READ);
            PingText.write(0, source.buffer().duplicate());
            MemoryRegion in = link.allocate(16, AccessFlag.LOCAL_WRITE);
            receive(link, in);
            advertise(link, source.address(), source.rkey(), 64);
            expect(link, WorkCompletionOpcode.RECV);
            link.disconnect();
        });

        assertThat(server.status()).as(server.toString()).isEqualTo(1);
        assertThat(server.err())
                .containsPattern("closed the connection in the middle of round 1, with \\d work request");
    }

    /** Runs a client against a server of our own. */
    private Run againstServer(Consumer<Link> part) throws Exception {
        return againstServer("" + LIMIT.toSeconds(), part);
    }

    private Run againstServer(String timeout, Consumer<Link> part) throws Exception {
        try (Context context = RdmaProvider.load().devices().get(0).open();
                Listening listening = Listening.quietly(context, console, Addresses.resolve("127.0.0.1", 0))) {
            CompletableFuture<Void> rogue = CompletableFuture.runAsync(
                    () -> {
                        try (Link link = Link.from(listening.next(LIMIT), console, DEPTHS)) {
                            part.accept(link);
                        }
                    },
                    OwnThread.EACH);
            Run client = Run.of(
                    "rping",
                    "-c",
                    "-a",
                    "127.0.0.1",
                    "-p",
                    "" + listening.address().getPort(),
                    "-C",
                    "3",
                    "-V",
                    "--timeout",
                    timeout);
            rogue.join();
            return client;
        }
    }

    /** Runs a server against a client of our own. */
    private Run againstClient(Consumer<Link> part) throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-V");
                Context context = RdmaProvider.load().devices().get(0).open();
                Link link = Link.to(
                        Addresses.resolve("127.0.0.1", Integer.parseInt(port(server))),
                        null,
                        context,
                        console,
                        DEPTHS)) {
            link.connect(ConnectionParameters.DEFAULT, LIMIT);
            part.accept(link);
            link.end(LIMIT);
            return server.await();
        }
    }

    /** {@return what a server says of a client of our own, and then serves a good one} */
    private String strangerAt(Consumer<Link> part) throws Exception {
        try (Run.Background server = Run.inBackground("rping", "-s", "-a", "127.0.0.1", "-p", "0", "-V");
                Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
                Link link = Link.to(
                        Addresses.resolve("127.0.0.1", Integer.parseInt(port(server))),
                        null,
                        context,
                        console,
                        DEPTHS)) {
            link.connect(ConnectionParameters.DEFAULT, LIMIT);
            part.accept(link);
            Run good = Run.of("rping", "-c", "-a", "127.0.0.1", "-p", port(server), "-C", "3", "-V");
            assertThat(good.status())
                    .as(good + "\nserver: " + server.run().err())
                    .isZero();
            assertThat(server.await().status()).as(server.run().toString()).isZero();
            assertThat(server.run().out()).contains("3 rounds, 3 validated, 0 failed");
            assertThat(server.run().err()).contains("refused a client: ");
            return server.run().err();
        }
    }

    private static void advertise(Link link, long address, int stag, int size) {
        MemoryRegion out = link.allocate(16);
        new Advertisement(address, stag, size).write(out.buffer());
        send(link, out, 16);
    }

    private static void receive(Link link, MemoryRegion into) {
        link.queuePair().postReceive(new ReceiveWorkRequest().add(into));
    }

    private static void send(Link link, MemoryRegion from, int length) {
        link.queuePair().postSend(new SendWorkRequest().signaled(false).add(from, 0, length));
    }

    private static void expect(Link link, WorkCompletionOpcode opcode) {
        assertThat(link.expect(opcode, LIMIT, opcode.toString())).isNotNull();
    }

    private static SendWorkRequest read(ByteBuffer advertisement) {
        Advertisement from = Advertisement.of(advertisement);
        return new SendWorkRequest().rdmaRead(from.address(), from.stag());
    }

    private static SendWorkRequest write(ByteBuffer advertisement) {
        Advertisement to = Advertisement.of(advertisement);
        return new SendWorkRequest().signaled(false).rdmaWrite(to.address(), to.stag());
    }
}
