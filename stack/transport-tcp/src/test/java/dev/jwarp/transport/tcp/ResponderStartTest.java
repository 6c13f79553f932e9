package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.base.Tally;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.vectors.Vectors;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A responder (RFC 5044 §7.1, RFC 6581 §9)")
class ResponderStartTest {
    private final RecordingHandler handler = new RecordingHandler();
    private final RecordingUpper upper = new RecordingUpper();

    private static String vector(String id) {
        return Vectors.byId(id).text("hex");
    }

    private TestDriver responder(String... settings) {
        return TestDriver.responder(TestDriver.factory(settings), handler);
    }

    private static long count(TestDriver driver, TcpCounter counter) {
        return driver.factory.counters().get(counter);
    }

    private void acceptAtOnce() {
        handler.onRequest = connection -> connection.accept(
                new StartParameters(16, 16, "okay".getBytes(java.nio.charset.StandardCharsets.US_ASCII)), upper);
    }

    @Tag("MPA-7.1.2-1")
    @Tag("MPA-7.1.2-10")
    @Test
    @DisplayName("passes the Request's read depths and private data to the layer above, and sends nothing yet")
    void request() {
        TestDriver driver = responder();
        driver.feedHex(vector("MPA-REQ2-CS-PD"));
        assertThat(handler.events).containsExactly("request ird=1 ord=1 'ulp!'");
        assertThat(driver.takeHex()).isEmpty();
    }

    @Test
    @DisplayName("accepts with read depths fitted to the Request, in one write, and is established with that")
    void accept() {
        acceptAtOnce();
        TestDriver driver = responder();
        driver.feedHex(vector("MPA-REQ2-CS"));
        assertThat(driver.takeHex())
                .startsWith("4d504120494420526570204672616d655002000800")
                .endsWith("00040008" + "6f6b6179");
        assertThat(driver.writes).isEqualTo(1);
        assertThat(upper.events).containsExactly("established ird=4 ord=8 rtr=NONE");
        assertThat(handler.events).containsExactly("request ird=8 ord=4 ''", "established ird=8 ord=4 ''");
        assertThat(driver.engine.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("can also accept later")
    void acceptLater() {
        TestDriver driver = responder();
        driver.feedHex(vector("MPA-REQ1-PLAIN"));
        driver.advance(9_000);
        driver.connection().accept(new StartParameters(2, 3, new byte[0]), upper);
        assertThat(driver.wakeups).isPositive();
        driver.pump();
        assertThat(driver.takeHex()).isEqualTo(vector("MPA-REP1-OK"));
        assertThat(upper.events).containsExactly("established ird=2 ord=3 rtr=NONE");
        driver.advance(60_000);
        assertThat(driver.ending()).isEqualTo(Ending.OPEN);
    }

    @Test
    @DisplayName("is not established before its whole Reply is written")
    void replyInPieces() {
        acceptAtOnce();
        TestDriver driver = responder();
        driver.window = 10;
        driver.feedHex(vector("MPA-REQ2-CS"));
        assertThat(upper.events).isEmpty();
        driver.window = Long.MAX_VALUE;
        driver.pump();
        assertThat(upper.events).hasSize(1);
    }

    @Tag("MPA-7.1.2-3")
    @Test
    @DisplayName("rejects with private data, closes its direction, and waits for the peer to follow")
    void reject() {
        handler.onRequest = connection -> connection.reject(new byte[] {'b', 'u', 's', 'y'});
        TestDriver driver = responder();
        driver.feedHex(vector("MPA-REQ1-PLAIN"));
        assertThat(driver.takeHex()).isEqualTo(vector("MPA-REP1-REJECT"));
        assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
        driver.feedHex("00112233"); // any bytes, because MPA has ended
        driver.fin();
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(handler.events).containsExactly("request ird=-1 ord=-1 ''");
    }

    @Test
    @DisplayName("that is closed after a rejection does not reset the connection: the peer may not have read it yet")
    void closedBehindReject() {
        handler.onRequest = connection -> connection.reject(new byte[] {'b', 'u', 's', 'y'});
        TestDriver said = responder();
        said.feedHex(vector("MPA-REQ1-PLAIN"));
        said.connection().abort();
        said.pump();
        assertThat(said.ending()).isEqualTo(Ending.CLOSE);

        TestDriver unsaid = responder();
        unsaid.window = 10;
        unsaid.feedHex(vector("MPA-REQ1-PLAIN"));
        unsaid.connection().abort();
        unsaid.pump();
        assertThat(unsaid.ending()).isEqualTo(Ending.ABORT);
    }

    @Tag("MPA-7.1.2-6")
    @Test
    @DisplayName("sends no FPDU before it has a valid one of the peer (RFC 5044 §7.1.2 (4))")
    void holdsOutput() {
        acceptAtOnce();
        TestDriver driver = responder();
        upper.toSend.add(new byte[] {1, 2});
        driver.feedHex(vector("MPA-REQ2-CS"));
        driver.take();
        driver.pump();
        assertThat(upper.polled).hasValue(0);
        String fpdu = vector("OP-SEND");
        driver.feedHex(fpdu.substring(0, fpdu.length() - 2));
        assertThat(driver.takeHex()).isEmpty();
        driver.feedHex(fpdu.substring(fpdu.length() - 2));
        assertThat(driver.takeHex()).startsWith("00020102");
    }

    @Tag("MPA-7.1.2-7")
    @Test
    @DisplayName("may not answer a bad CRC in its first FPDU, but may in a later one (A9)")
    void badFirstFpdu() {
        acceptAtOnce();
        String good = vector("OP-SEND");
        String bad = good.substring(0, good.length() - 2) + "00";
        TestDriver first = responder();
        first.feedHex(vector("MPA-REQ2-CS"));
        first.take();
        first.feedHex(bad);
        assertThat(upper.events).endsWith("llp error MPA_CRC, no answer allowed");
        upper.toSend.add(new byte[] {1, 2}); // the layer above may be mistaken
        upper.lower.close();
        first.pump();
        assertThat(first.takeHex()).isEmpty();
        assertThat(first.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);

        upper.toSend.clear();
        TestDriver later = responder();
        later.feedHex(vector("MPA-REQ2-CS"));
        later.feedHex(good + bad);
        assertThat(upper.events).endsWith("llp error MPA_CRC");
    }

    @Test
    @DisplayName(
            "in the peer-to-peer set-up is established for its manager when the ready-to-receive message has arrived")
    void peerToPeer() {
        acceptAtOnce();
        TestDriver driver = responder();
        driver.feedHex(vector("MPA-REQ2-P2P-BCD"));
        assertThat(driver.takeHex()).contains("8010" + "c010"); // A; C and D: what it takes of B, C, D
        assertThat(upper.events).containsExactly("established ird=16 ord=16 rtr=READ");
        assertThat(handler.events).hasSize(1);
        driver.feedHex(vector("RTR-WRITE"));
        assertThat(handler.events).hasSize(2).last().asString().startsWith("established");
        assertThat(count(driver, TcpCounter.ESTABLISHED)).isEqualTo(1);
        assertThat(driver.engine.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("fails a peer-to-peer peer that sends no ready-to-receive message, or closes before it")
    void noReadyToReceive() {
        acceptAtOnce();
        TestDriver silent = responder();
        silent.feedHex(vector("MPA-REQ2-P2P-BCD"));
        silent.advance(9_999);
        assertThat(handler.events).hasSize(1);
        silent.advance(1);
        assertThat(handler.events).endsWith("failed TIMED_OUT");
        assertThat(upper.events).endsWith("closed ABORTED");
        assertThat(silent.ending()).isEqualTo(Ending.CLOSE);

        TestDriver leaving = responder();
        leaving.feedHex(vector("MPA-REQ2-P2P-BCD"));
        leaving.fin();
        assertThat(handler.events).endsWith("failed CLOSED_BY_PEER");
        assertThat(upper.events).endsWith("closed GRACEFUL");

        TestDriver broken = responder();
        broken.feedHex(vector("MPA-REQ2-P2P-BCD"));
        broken.reset();
        assertThat(handler.events).endsWith("failed CLOSED_BY_PEER");
        assertThat(upper.events).endsWith("closed RESET");

        TestDriver aborted = responder();
        aborted.feedHex(vector("MPA-REQ2-P2P-BCD"));
        aborted.connection().abort();
        aborted.pump();
        assertThat(handler.events).endsWith("failed LOCAL");
        assertThat(upper.events).endsWith("closed ABORTED");
    }

    @Test
    @DisplayName("detects that no ready-to-receive message matches, and passes the peer's Terminate to the layer above")
    void noCommonReadyToReceive() {
        acceptAtOnce();
        TestDriver driver = responder("jwarp.mpa.rtr", "write");
        driver.feedHex("4d504120494420526571204672616d655002000480104010"); // A, D only
        assertThat(driver.takeHex()).contains("8010" + "8010"); // at least one that we take (RFC 6581 §9.2)
        driver.feedHex(Vectors.byId("BADMPA-RTR-NONE")
                .json()
                .path("expect")
                .path("terminate_fpdu")
                .asText());
        assertThat(handler.events).endsWith("failed NO_AGREEMENT");
        assertThat(upper.received).hasSize(1);
        assertThat(count(driver, TcpCounter.NO_AGREEMENT)).isEqualTo(1);
        assertThat(count(driver, TcpCounter.ESTABLISHED)).isZero();
    }

    @Tag("MPA-7.1.2-9")
    @Tag("SEC-6.4.2-1")
    @Test
    @DisplayName("gives a peer five seconds for its Request, and the layer above ten for its answer")
    void deadlines() {
        TestDriver silent = responder();
        silent.advance(4_999);
        assertThat(handler.events).isEmpty();
        silent.advance(1);
        assertThat(handler.events).containsExactly("failed TIMED_OUT");
        assertThat(handler.sentences.get(0)).contains("no whole Request within 5000 ms");
        assertThat(silent.ending()).isEqualTo(Ending.CLOSE);

        TestDriver undecided = responder();
        undecided.advance(4_000);
        undecided.feedHex(vector("MPA-REQ1-PLAIN"));
        undecided.advance(9_999);
        assertThat(handler.events).hasSize(2);
        undecided.advance(1);
        assertThat(handler.sentences.get(1)).contains("not answered within 10000 ms");
        assertThat(undecided.ending()).isEqualTo(Ending.CLOSE);
    }

    @Test
    @DisplayName("does not extend the time limit of a peer whose Request, or ready-to-receive message, trickles")
    void trickles() {
        TestDriver request = responder();
        String all = vector("MPA-REQ2-P2P-BCD");
        for (int i = 0; i < 4; i++) {
            request.feedHex(all.substring(2 * i, 2 * i + 2));
            request.advance(1_200);
        }
        assertThat(handler.events).isEmpty();
        request.advance(200);
        assertThat(handler.events).containsExactly("failed TIMED_OUT");

        acceptAtOnce();
        TestDriver ready = responder();
        ready.feedHex(all);
        String message = vector("RTR-WRITE");
        for (int i = 0; i < 4; i++) {
            ready.feedHex(message.substring(2 * i, 2 * i + 2));
            ready.advance(2_400);
        }
        assertThat(handler.events).hasSize(2);
        ready.advance(400);
        assertThat(handler.events).hasSize(3).endsWith("failed TIMED_OUT");
    }

    @Test
    @DisplayName("ignores a late answer to a failed Request")
    void tooLate() {
        TestDriver driver = responder();
        driver.feedHex(vector("MPA-REQ1-PLAIN"));
        driver.advance(10_000);
        driver.connection().accept(new StartParameters(1, 1, new byte[0]), upper);
        driver.connection().reject(new byte[0]);
        driver.connection().close();
        driver.connection().abort();
        driver.pump();
        assertThat(driver.takeHex()).isEmpty();
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(upper.events).isEmpty();
    }

    @Test
    @DisplayName("answers a Request once")
    void answersOnce() {
        acceptAtOnce();
        TestDriver driver = responder();
        driver.window = 0;
        driver.feedHex(vector("MPA-REQ1-PLAIN"));
        assertThatThrownBy(() -> driver.connection().reject(new byte[0])).isInstanceOf(IllegalStateException.class);
        driver.window = 1000;
        driver.pump();
        assertThatThrownBy(() -> driver.connection().accept(new StartParameters(1, 1, new byte[0]), upper))
                .isInstanceOf(IllegalStateException.class);
    }

    @Tag("MPA-7.1.1-14")
    @Tag("MPA-8-2")
    @Test
    @DisplayName("closes if bytes follow the Request before its Reply is sent")
    void octetsBehindRequest() {
        TestDriver deciding = responder();
        deciding.feedHex(vector("MPA-REQ1-PLAIN"));
        deciding.feedHex("00");
        assertThat(handler.events).endsWith("failed BAD_START_FRAME");
        assertThat(deciding.ending()).isEqualTo(Ending.CLOSE);

        acceptAtOnce();
        TestDriver answering = responder();
        answering.window = 3;
        answering.feedHex(vector("MPA-REQ1-PLAIN"));
        answering.feedHex(vector("OP-SEND"));
        assertThat(handler.events).endsWith("failed BAD_START_FRAME");
        assertThat(upper.events).isEmpty();
    }

    @Test
    @DisplayName("reports that the peer closed before the Reply")
    void closedByPeer() {
        TestDriver before = responder();
        before.fin();
        assertThat(handler.sentences.get(0)).contains("before it sent a Request");
        TestDriver deciding = responder();
        deciding.feedHex(vector("MPA-REQ1-PLAIN"));
        deciding.reset();
        assertThat(handler.sentences.get(1)).contains("reset the connection before it had our Reply");
        assertThat(deciding.ending()).isEqualTo(Ending.CLOSE);
    }

    @Tag("MPA2-10-5")
    @Test
    @DisplayName(
            "set to revision 1 closes on revision 2, with a reset: RNICs try again with revision 1 only after that")
    void onlyRevision1() {
        TestDriver driver = responder("jwarp.mpa.revision", "1");
        driver.feedHex(vector("MPA-REQ2-CS"));
        assertThat(handler.events).containsExactly("failed BAD_START_FRAME");
        assertThat(handler.sentences.get(0)).contains("it is 2", "jwarp.mpa.revision=2");
        assertThat(count(driver, TcpCounter.REVISION_REFUSED)).isEqualTo(1);
        assertThat(driver.takeHex()).isEmpty();
        assertThat(driver.ending()).isEqualTo(Ending.ABORT);
    }

    private static final String REVISION_0 = vector("MPA-REQ1-PLAIN").replaceFirst("4001", "4000");

    @Tag("MPA-7.1.1-10")
    @Test
    @DisplayName(
            "refuses revision 0, with a counter, and a warning with address and setting, once a minute for each peer")
    void revision0Refused() {
        try (Warnings warnings = new Warnings()) {
            MpaEngineFactory factory = TestDriver.factory();
            for (int i = 0; i < 3; i++) {
                TestDriver driver = TestDriver.responder(factory, handler);
                driver.feedHex(REVISION_0);
                assertThat(driver.takeHex()).isEmpty();
                assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
            }
            assertThat(handler.events).hasSize(3).containsOnly("failed BAD_START_FRAME");
            assertThat(factory.counters().get(TcpCounter.REVISION_REFUSED)).isEqualTo(3);
            assertThat(warnings.all())
                    .singleElement()
                    .asString()
                    .contains("127.0.0.1:7174", "it is 0", "jwarp.mpa.accept-revision-zero=on");
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "plain TCP, 474554202f20485454502f312e310d0a0d0a, sent no valid Request",
        "nothing, '', sent no whole Request within",
        "half a Request, 4d5041204944, sent no whole Request within"
    })
    @DisplayName("logs why a connection did not become one of RDMA, because no program is notified")
    void badStarts(String what, String said, String sentence) {
        try (Warnings warnings = new Warnings()) {
            TestDriver driver = responder();
            driver.feedHex(said);
            driver.advance(60_000);
            assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
            assertThat(warnings.all()).singleElement().asString().contains("127.0.0.1:7174 " + sentence);
        }
        try (Warnings warnings = new Warnings()) {
            TestDriver driver = responder();
            driver.fin();
            assertThat(warnings.all())
                    .singleElement()
                    .asString()
                    .contains("closed the connection before it sent a Request");
        }
    }

    @Test
    @DisplayName("limits its warnings in a flood of sources")
    void floodOfWarnings() throws Exception {
        try (Warnings warnings = new Warnings()) {
            // A key without collisions: of sources that share all their places, one gets no warning.
            MpaEngineFactory factory = new MpaEngineFactory(
                    TcpSettings.of(Map.of()), new Tally<>(TcpCounter.class), new SplittableRandom(1));
            for (int i = 0; i < 200; i++) {
                factory.warn(i, LlpFailure.CLOSED_BY_PEER, "source " + i, 0);
            }
            assertThat(warnings.all()).hasSize(MpaEngineFactory.MOST_WARNINGS);
            factory.warn(0, LlpFailure.BAD_START_FRAME, "another kind", 0);
            assertThat(warnings.all()).hasSize(MpaEngineFactory.MOST_WARNINGS + 1);
            factory.warn(0, LlpFailure.CLOSED_BY_PEER, "source 0", MpaEngineFactory.WARNING_NANOS);
            assertThat(warnings.all()).hasSize(MpaEngineFactory.MOST_WARNINGS + 2);
        }
    }

    @Test
    @DisplayName("accepts revision 0 as 1 if a setting says so, and answers with revision 0")
    void revision0Accepted() {
        acceptAtOnce();
        TestDriver driver = responder("jwarp.mpa.accept-revision-zero", "on");
        driver.feedHex(REVISION_0);
        assertThat(driver.takeHex())
                .startsWith("4d504120494420526570204672616d654000")
                .endsWith("6f6b6179");
        assertThat(upper.events).containsExactly("established ird=16 ord=16 rtr=NONE");
        assertThat(count(driver, TcpCounter.REVISION_REFUSED)).isZero();
    }

    @Test
    @DisplayName("rejects revision 0 by closing: it has no flag for a rejection, so a Reply would accept")
    void revision0Rejected() {
        handler.onRequest = connection -> connection.reject(new byte[] {1});
        TestDriver driver = responder("jwarp.mpa.accept-revision-zero", "on");
        driver.feedHex(REVISION_0);
        driver.pump();
        assertThat(driver.takeHex()).isEmpty();
        assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
    }

    @Test
    @DisplayName("that closes or aborts instead of answering reports it, once")
    void closedByUs() {
        TestDriver closed = responder();
        closed.feedHex(vector("MPA-REQ1-PLAIN"));
        closed.connection().close();
        closed.pump();
        assertThat(closed.ending()).isEqualTo(Ending.CLOSE);
        TestDriver aborted = responder();
        aborted.feedHex(vector("MPA-REQ1-PLAIN"));
        aborted.connection().abort();
        aborted.pump();
        assertThat(aborted.ending()).isEqualTo(Ending.ABORT);
        assertThat(handler.events)
                .hasSize(4)
                .endsWith("failed LOCAL")
                .element(1)
                .isEqualTo("failed LOCAL");
    }
}
