package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.app.Application.UnknownProgram;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.script.Transcript;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.StartFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Neither a device nor a fault of the tester can stop a run. */
class GivenUpTest {
    /** Longer than JUnit's limit for a test: a test that waits for so long fails. */
    private static final Patience PATIENCE = Patience.of(3_600_000, 10, 3_600_000);

    /** On a busy machine one of these may be given up, too. */
    private static final int NEXT = 20;

    private static final Requirement MUST = Catalogue.load().get("MPA-4.4-7");

    private final List<Socket> taken = Collections.synchronizedList(new ArrayList<>());
    private ServerSocket listener;
    private TestedDevice device;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        InetSocketAddress at = new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
        device = new ListeningDevice(at, PATIENCE, r -> new UnknownProgram());
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
        for (Socket socket : taken) {
            socket.close();
        }
    }

    private static ConnectingDevice awaited(ConnectingDevice.Starter starter) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new ConnectingDevice(any, PATIENCE, r -> new UnknownProgram(), starter);
    }

    private static TestCase test(String name, TestCase.Body body) {
        return new TestCase(MUST.id() + ":" + name, List.of(MUST), name, Role.RESPONDER, List.of(), List.of(), body);
    }

    private static TestCase talking(String name, Consumer<Talk> body) {
        return test(name, attempt -> body.accept(((Trial) attempt).connect()));
    }

    private static List<TestCase> withNext(TestCase first) {
        List<TestCase> all = new ArrayList<>(List.of(first));
        for (int i = 0; i < NEXT; i++) {
            all.add(talking("next " + i, t -> {}));
        }
        return all;
    }

    private static void assertGoesOn(List<Result> results) {
        assertThat(results).hasSize(1 + NEXT).extracting(Result::verdict).contains(Verdict.PASS);
        assertThat(results.get(0).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    }

    private static List<Result> run(Subject subject, List<TestCase> cases) throws InterruptedException {
        return new Runner(PATIENCE, false, Exclusions.NONE, r -> {}, 500).run(cases, List.of(subject), () -> false);
    }

    private static void sendForEver(Talk talk) {
        while (!talk.wire().ended()) {
            talk.sendOctets(new byte[65_536], "");
        }
    }

    @Test
    @DisplayName("a device that does not read is given up with a sentence, and the run goes on")
    void deviceThatDoesNotRead() throws Exception {
        List<Result> results = run(device, withNext(talking("unread", GivenUpTest::sendForEver)));

        assertGoesOn(results);
        assertThat(results.get(0).actual()).startsWith("the case was not over after 500 ms: the tester has closed");
    }

    @Test
    @DisplayName("a device whose message never ends is given up")
    void deviceWhoseMessageNeverEndsIsGivenUp() throws Exception {
        EndlessDevice.serve(listener);

        List<Result> results = run(device, withNext(talking("endless", talk -> {
            talk.begin(StartFrame.request(), StartFrame.reply());
            talk.expectMessage(Opcode.SEND);
        })));

        assertGoesOn(results);
        assertThat(results.get(0).actual()).contains("not over after 500 ms");
    }

    @Test
    @DisplayName("a run that has to end gives up waiting cases and keeps the results of the others")
    void runThatIsToEndGivesUpWhatWaitsAndHasWhatRan() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        List<Result> results = new Runner(PATIENCE, false, Exclusions.NONE, r -> {})
                .run(
                        List.of(
                                talking("first", t -> {}),
                                talking("waits", talk -> {
                                    ended.set(true);
                                    talk.expectFrame();
                                }),
                                talking("never", t -> {})),
                        List.of(device),
                        ended::get);

        assertThat(results).extracting(r -> r.test().title()).containsExactly("first");
    }

    @Test
    @DisplayName("the wait of a listener ends at once, too")
    void listenerWithoutConnectionIsLeftAtOnceToo() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        try (ConnectingDevice awaited = awaited(port -> ended.set(true))) {
            List<Result> results = new Runner(PATIENCE, false, Exclusions.NONE, r -> {})
                    .run(List.of(talking("waits", t -> {})), List.of(awaited), ended::get);

            assertThat(results).isEmpty();
        }
    }

    @Test
    @DisplayName("connections of a stopped process are not taken for connections of the next one")
    void connectionsOfProcessThatWasStopped() throws Exception {
        List<Socket> old = new ArrayList<>();
        InetAddress here = InetAddress.getLoopbackAddress();
        ConnectingDevice.Starter starter = new ConnectingDevice.Starter() {
            @Override
            public boolean stop() {
                old.forEach(GivenUpTest::closed);
                return true;
            }

            @Override
            public void awaited(int port) throws IOException {
                taken.add(new Socket(here, port));
            }
        };
        try (ConnectingDevice awaited = awaited(starter)) {
            old.add(new Socket(here, awaited.port()));
            old.add(new Socket(here, awaited.port()));

            try (var wire = awaited.connect()) {
                assertThat(wire.peer().getPort()).isEqualTo(taken.get(0).getLocalPort());
            }
        }
    }

    private static void closed(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("an exception around a case becomes the case's result, and no case is lost")
    void faultAroundCaseIsThatCases() throws Exception {
        Subject faulty = (test, patience) -> {
            if (test.title().equals("no attempt")) {
                throw new IllegalStateException("no attempt");
            }
            return new Passive() {
                @Override
                public List<Transcript> recorded() {
                    throw new IllegalStateException("no record");
                }
            };
        };
        List<Result> results = new Runner(PATIENCE, false, Exclusions.NONE, r -> {
                    throw new IllegalStateException("no progress");
                })
                .run(
                        List.of(test("no attempt", a -> {}), test("no record", a -> {}), talking("good", t -> {})),
                        List.of(faulty, device),
                        () -> false);

        assertThat(results).extracting(Result::verdict).containsOnly(Verdict.INCONCLUSIVE);
        assertThat(results).hasSize(3).allMatch(r -> r.actual().contains("the tester failed: java.lang.Ill"));
    }
}
