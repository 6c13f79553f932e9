package dev.jwarp.conformance.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.UnknownProgram;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Talk;
import dev.jwarp.conformance.suite.Survey.OtherProgram;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.vectors.OwnThread;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Before the first case that depends on it the tester finds out what the device can do:")
class SurveyTest {
    private static final Patience PATIENCE = Patience.of(2_000, 10, 2_000);

    private final AtomicInteger connections = new AtomicInteger();
    private Application program = new UnknownProgram();
    private @Nullable ServerSocket listener;

    @AfterEach
    void close() throws IOException {
        if (listener != null) {
            listener.close();
        }
    }

    /** A program that records its rehearsals. */
    private static final class Rehearsed extends Application {
        private final List<String> said = new CopyOnWriteArrayList<>();

        private Rehearsed() {
            super("rehearsed");
        }

        @Override
        public boolean can(Ability ability) {
            return false;
        }

        @Override
        protected void greet(Talk talk) {
            said.add("begin");
        }

        @Override
        public void rehearse(Talk talk) {
            said.add("rehearse");
            throw new Deviation("an answer", "none");
        }
    }

    @Test
    @DisplayName("a program is rehearsed before the cases, once more if it was silent; its failure charges nothing")
    void programIsTriedOut() throws Exception {
        Rehearsed rehearsed = new Rehearsed();
        program = rehearsed;
        TestedDevice device = device(SurveyTest::enhanced);

        for (int i = 0; i < 2; i++) {
            assertThat(run(device, opening()).verdict()).isEqualTo(Verdict.PASS);
        }
        assertThat(rehearsed.said).containsExactly("begin", "rehearse", "begin", "rehearse", "begin", "begin");
        assertThat(facts(device.survey())).contains("its program: can do nothing for the tester");
    }

    private TestedDevice device(UnaryOperator<@Nullable StartFrame> answer) throws IOException {
        return device(new Survey(), answer);
    }

    /** A device that answers each Request with this, or closes where that is null. */
    private TestedDevice device(Survey survey, UnaryOperator<@Nullable StartFrame> answer) throws IOException {
        ServerSocket own = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listener = own;
        OwnThread.EACH.execute(() -> serve(own, answer));
        return new ListeningDevice(
                new InetSocketAddress(own.getInetAddress(), own.getLocalPort()), PATIENCE, r -> program, survey);
    }

    /** In place of a Reply: the device accepts the Request, sends nothing, and keeps the connection. */
    private static final StartFrame SILENCE = StartFrame.reply();

    private void serve(ServerSocket own, UnaryOperator<@Nullable StartFrame> answer) {
        while (!own.isClosed()) {
            try (Socket socket = own.accept()) {
                connections.incrementAndGet();
                InputStream in = socket.getInputStream();
                byte[] header = in.readNBytes(StartFrame.HEADER);
                if (header.length < StartFrame.HEADER) {
                    continue;
                }
                byte[] data = in.readNBytes(StartFrame.declaredLength(header));
                byte[] request = new Octets().add(header).add(data).bytes();
                StartFrame reply = answer.apply(StartFrame.parse(request));
                if (reply != null && reply != SILENCE) {
                    socket.getOutputStream().write(reply.bytes());
                }
                if (reply != null) {
                    in.readAllBytes();
                }
            } catch (IOException e) {
                // The tester has what it wanted, or the test is over.
            }
        }
    }

    private static @Nullable StartFrame upTo(int revision, StartFrame request) {
        return request.revision() > revision ? null : StartFrame.reply().revision(request.revision());
    }

    private static StartFrame enhanced(StartFrame request) {
        Depths asked = request.depths();
        return asked == null
                ? StartFrame.reply()
                : StartFrame.reply().enhanced(new Depths(asked.peerToPeer(), asked.peerToPeer() ? 2 : 0, 3, 5));
    }

    private static TestCase test(String name, List<Ability> needs, TestCase.Body body) {
        return new TestCase(
                "MPA-4.4-7:" + name + "@responder",
                List.of(Catalogue.load().get("MPA-4.4-7")),
                name,
                Role.RESPONDER,
                List.of(),
                needs,
                body);
    }

    private static Result run(TestedDevice device, TestCase test) {
        return new Runner(PATIENCE, true, Exclusions.NONE, r -> {}).run(test, device);
    }

    private static TestCase needing(Ability... needs) {
        return test("needing", List.of(needs), attempt -> ((Trial) attempt).connect());
    }

    private static TestCase opening() {
        return test("open", List.of(), attempt -> ((Trial) attempt).open(f -> f));
    }

    private static Set<String> facts(Survey survey) {
        return survey.facts().stream().map(f -> f.name() + ": " + f.value()).collect(Collectors.toSet());
    }

    @Test
    @DisplayName("a device that closes on unknown Requests is of revision 1, and gets Requests of revision 1")
    void revisionOne() throws Exception {
        TestedDevice device = device(request -> upTo(1, request));
        int[] spoken = new int[1];

        Result lacking = run(device, needing(Ability.ENHANCED));
        Result other = run(
                device,
                test(
                        "open",
                        List.of(),
                        attempt -> spoken[0] = ((Trial) attempt).open().theirs().revision()));

        assertThat(lacking.verdict()).isEqualTo(Verdict.SKIPPED);
        assertThat(lacking.actual())
                .isEqualTo("needs enhanced start-up (RFC 6581): the device answers nothing newer than revision 1");
        assertThat(other.verdict()).isEqualTo(Verdict.PASS);
        assertThat(spoken[0]).isEqualTo(1);
    }

    @Test
    @DisplayName("a device of revision 2 that closes on the word of RFC 6581 is not excused")
    void revisionTwoWithoutTheWord() throws Exception {
        TestedDevice device = device(request -> request.has(StartFrame.ENHANCED) ? null : upTo(2, request));

        assertThat(run(device, needing(Ability.ENHANCED)).verdict()).isEqualTo(Verdict.PASS);
        assertThat(facts(device.survey())).contains("revision: 2");
    }

    @Test
    @DisplayName("nor is a device that answers an enhanced Request with a plain Reply of revision 2")
    void plainReply() throws Exception {
        TestedDevice device = device(request -> StartFrame.reply().revision(2));

        assertThat(run(device, needing(Ability.ENHANCED)).verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    @DisplayName(
            "one that answers an enhanced Request with a Reply of revision 1 is of revision 1, and is spoken to so")
    void replyOfRevisionOne() throws Exception {
        List<Integer> spoken = new CopyOnWriteArrayList<>();
        TestedDevice device = device(request -> {
            spoken.add(request.revision());
            return StartFrame.reply();
        });

        assertThat(run(device, needing(Ability.ENHANCED)).verdict()).isEqualTo(Verdict.SKIPPED);
        run(device, opening());
        assertThat(spoken).containsExactly(2, 1);
    }

    @Test
    @DisplayName("a device that was silent once, on a busy machine, is asked again, and keeps its abilities")
    void silentOnce() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        TestedDevice device = device(request -> requests.incrementAndGet() == 1 ? SILENCE : enhanced(request));

        assertThat(run(device, needing(Ability.ENHANCED)).verdict()).isEqualTo(Verdict.PASS);
        assertThat(device.survey().offer().enhanced()).isTrue();
        assertThat(facts(device.survey())).contains("revision: 2, enhanced");
    }

    @Test
    @DisplayName("a device that is silent to enhanced Requests, twice, gets plain ones")
    void silentToEnhanced() throws Exception {
        TestedDevice device = device(request -> request.has(StartFrame.ENHANCED) ? SILENCE : StartFrame.reply());

        run(device, needing(Ability.ENHANCED));
        assertThat(device.survey().offer().enhanced()).isFalse();
        assertThat(device.survey().silence()).isEmpty();
        assertThat(connections).hasValue(3);
    }

    @Test
    @DisplayName("a device that is always silent is reported as such")
    void silentAlways() throws Exception {
        TestedDevice device = device(request -> SILENCE);

        run(device, needing(Ability.ENHANCED));
        assertThat(device.survey().silence()).isEqualTo("nothing within the time allowed");
    }

    @Test
    @DisplayName("one connection, once a run; none if no case depends on it")
    void lazily() throws Exception {
        TestedDevice device = device(SurveyTest::enhanced);

        run(device, needing());
        assertThat(connections).hasValueLessThanOrEqualTo(1);
        assertThat(device.survey().facts()).isEmpty();
        run(device, needing(Ability.ENHANCED));
        run(device, needing(Ability.ENHANCED));
        run(device, opening());
        assertThat(connections).hasValue(1 + 1 + 3);
    }

    @Test
    @DisplayName("everything that the table shows, before a whole run")
    void whole() throws Exception {
        TestedDevice device = device(SurveyTest::enhanced);

        new Runner(PATIENCE, true, Exclusions.NONE, r -> {}).survey(device, true, () -> false);

        assertThat(facts(device.survey()))
                .contains(
                        "revision: 2, enhanced",
                        "CRCs: asks for them", // no FPDU has shown more
                        "Markers: asks for none",
                        "IRD: 3",
                        "ORD: 5",
                        "Ready-to-Receive: RDMA Write",
                        "private data: none",
                        "its program: can do nothing for the tester");
    }

    @Test
    @DisplayName("the device has none of the abilities that the user denies")
    void denied() throws Exception {
        TestedDevice device = device(new Survey(Offer.USUAL, true, Set.of(Ability.CRC)), request -> upTo(2, request));

        assertThat(run(device, needing(Ability.CRC)).actual())
                .isEqualTo("needs CRCs: excluded by an option of this run");
    }

    @Test
    @DisplayName("CRCs that neither side asks for are not tested")
    void crcsAskedForByNone() throws Exception {
        Survey survey = new Survey(Offer.USUAL.withCrc(false), false, Set.of());
        TestedDevice device = device(survey, request -> enhanced(request).without(StartFrame.CRC));

        assertThat(run(device, needing(Ability.CRC)).verdict()).isEqualTo(Verdict.SKIPPED);
    }

    @Test
    @DisplayName("a device that cannot be reached is tried again at once, and by the next case")
    void unreached() throws Exception {
        TestedDevice device = device(SurveyTest::enhanced);
        AtomicInteger tries = new AtomicInteger();
        device.survey().look(() -> {
            throw new Inconclusive("refused " + tries.incrementAndGet());
        });
        assertThat(device.survey().trouble()).isEqualTo("refused 2");

        run(device, needing(Ability.ENHANCED));

        assertThat(device.survey().trouble()).isEmpty();
        assertThat(facts(device.survey())).contains("revision: 2, enhanced");
    }

    @Test
    @DisplayName("a device that rejects the tester's offer is charged with nothing, and the table shows that")
    void rejects() throws IOException {
        TestedDevice device = device(request -> enhanced(request).with(StartFrame.REJECT));

        Result result = run(device, opening());

        assertThat(result.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
        assertThat(result.charge().requirement()).isEmpty();
        assertThat(result.actual()).contains("--private-data");
        assertThat(facts(device.survey())).contains("its program: rejects the Request (R=1)");
    }

    @Test
    @DisplayName("a device that rejects an enhanced Request gets one with fewer options")
    void rejectsTheEnhancedOne() throws IOException {
        TestedDevice device = device(request ->
                request.has(StartFrame.ENHANCED) ? StartFrame.reply().with(StartFrame.REJECT) : StartFrame.reply());

        Result result = run(device, opening());

        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(device.survey().offer().enhanced()).isFalse();
    }

    @Test
    @DisplayName("a last answer shows another program if a program sends it, unless the expected program sends it, too")
    void messageOfAnotherProgram() {
        Segment request = Segment.readRequest(1, 9, 0, 4, 3, 0);

        assertThat(OtherProgram.says(Segment.send(1), true)).isTrue();
        assertThat(OtherProgram.says(request, false)).isTrue();
        assertThat(OtherProgram.says(request, true)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 2, true", "1, 2, 5, true", "1, 2, 1, false", "2, 0, 2, false"})
    @DisplayName("a Terminate shows another program if it is for a Send without a receive or with a short one")
    void terminateForAnotherProgram(int layer, int type, int code, boolean other) {
        assertThat(OtherProgram.says(Segment.terminate(layer, type, code, 0), false))
                .isEqualTo(other);
    }
}
