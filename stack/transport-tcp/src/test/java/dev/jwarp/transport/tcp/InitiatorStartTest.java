package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.vectors.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("An initiator (RFC 5044 §7.1, RFC 6581 §9)")
class InitiatorStartTest {
    private static final StartParameters OFFER = new StartParameters(8, 4, new byte[0]);
    private static final String REPLY = Vectors.byId("MPA-REP2-CS").text("hex");

    private final RecordingHandler handler = new RecordingHandler();
    private final RecordingUpper upper = new RecordingUpper();

    private TestDriver initiator(String... settings) {
        TestDriver driver = TestDriver.initiator(TestDriver.factory(settings), OFFER, upper, handler);
        assertThat(driver.writes).isEqualTo(1); // siw wants the frame in one piece
        return driver;
    }

    private static String vector(String id) {
        return Vectors.byId(id).text("hex");
    }

    @Test
    @DisplayName("asks with revision 2, CRC, its read depths and its private data")
    void request() {
        StartParameters offer = new StartParameters(1, 1, "ulp!".getBytes(StandardCharsets.US_ASCII));
        TestDriver driver = TestDriver.initiator(TestDriver.factory(), offer, upper, handler);
        assertThat(driver.takeHex()).isEqualTo(vector("MPA-REQ2-CS-PD"));
    }

    @Tag("MPA2-10-3")
    @Tag("MPA-7.1.1-11")
    @Test
    @DisplayName("asks with revision 1 and without read depths if the settings say so")
    void revision1() {
        assertThat(initiator("jwarp.mpa.revision", "1").takeHex()).isEqualTo(vector("MPA-REQ1-PLAIN"));
    }

    @Tag("MPA-7.1.1-11")
    @Test
    @DisplayName("asks for no CRC and for Markers only if the settings say so")
    void flags() {
        TestDriver driver = initiator("jwarp.mpa.revision", "1", "jwarp.mpa.crc", "off");
        assertThat(driver.takeHex()).isEqualTo(vector("MPA-REQ1-NOCRC"));
        StartParameters offer = new StartParameters(1, 1, "hello".getBytes(StandardCharsets.US_ASCII));
        driver = TestDriver.initiator(
                TestDriver.factory("jwarp.mpa.revision", "1", "jwarp.mpa.markers", "on"), offer, upper, handler);
        assertThat(driver.takeHex()).isEqualTo(vector("MPA-REQ1-M-PD"));
    }

    @Tag("MPA2-9-2")
    @Test
    @DisplayName("refuses private data that does not fit, before there is a connection")
    void privateDataTooLong() {
        StartParameters offer = new StartParameters(1, 1, new byte[509]);
        assertThatThrownBy(() -> TestDriver.initiator(TestDriver.factory(), offer, upper, handler))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("509")
                .hasMessageContaining("508");
    }

    @Test
    @DisplayName("is established by an accepting Reply, whose read depths bound its own")
    void established() {
        TestDriver driver = initiator();
        driver.feedHex(REPLY);
        assertThat(upper.events).containsExactly("established ird=8 ord=4 rtr=NONE");
        assertThat(handler.events).containsExactly("established ird=4 ord=8 ''");
        assertThat(driver.ending()).isEqualTo(Ending.OPEN);
        assertThat(driver.engine.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Tag("MPA-7.1.2-12")
    @Test
    @DisplayName("receives bytes after the Reply as FPDUs, and sends at once")
    void octetsBehindReply() {
        TestDriver driver = initiator();
        driver.take();
        upper.toSend.add(new byte[] {1, 2, 3, 4});
        driver.feedHex(REPLY + vector("OP-SEND"));
        assertThat(upper.events)
                .startsWith("established ird=8 ord=4 rtr=NONE")
                .contains("ulpdu " + ulpdu("OP-SEND"), "transmitted");
        assertThat(driver.takeHex()).startsWith("000401020304");
    }

    @Tag("MPA-7.1.2-11")
    @Test
    @DisplayName("sends nothing if the layer above ends the connection in the call that reports the Reply")
    void closesInTheCallThatTellsOfTheReply() {
        for (boolean abort : new boolean[] {false, true}) {
            RecordingUpper refusing = new RecordingUpper() {
                @Override
                public void onEstablished(LowerLayer lowerLayer, LlpAgreement agreement, long nowNanos) {
                    if (abort) {
                        toSend.add(new byte[] {1, 2});
                        lowerLayer.abort();
                    } else {
                        lowerLayer.close();
                    }
                }
            };
            TestDriver driver = TestDriver.initiator(TestDriver.factory(), OFFER, refusing, handler);
            driver.take();
            driver.feedHex(REPLY);
            driver.pump();
            assertThat(driver.takeHex()).isEmpty();
            assertThat(driver.ending()).isEqualTo(abort ? Ending.ABORT : Ending.SHUT_DOWN_OUTPUT);
        }
    }

    private static String ulpdu(String id) {
        return Vectors.byId(id).json().path("segments").path(0).path("ulpdu").asText();
    }

    @Tag("MPA2-9.2-4")
    @Test
    @DisplayName("in the peer-to-peer set-up reports the ready-to-receive message to the layer above")
    void readyToReceive() {
        TestDriver driver = initiator("jwarp.mpa.peer-to-peer", "on", "jwarp.mpa.rtr", "write,read");
        driver.feedHex("4d504120494420526570204672616d65500200048004" + "4008"); // A, D; IRD 4, ORD 8
        assertThat(upper.events).containsExactly("established ird=8 ord=4 rtr=READ");
    }

    @Tag("MPA2-9.1-9")
    @Tag("MPA-7.1.2-4")
    @Test
    @DisplayName("reports a rejection with the peer's read depths and reason, then closes its direction and waits")
    void rejected() {
        TestDriver driver = initiator();
        driver.take();
        driver.feedHex("4d504120494420526570204672616d65700200080004002062757379");
        assertThat(handler.events).containsExactly("rejected ird=4 ord=32 'busy'");
        assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
        driver.advance(4_999);
        assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
        driver.advance(1);
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(driver.sent.size()).isZero();
        assertThat(upper.events).isEmpty();
    }

    @Tag("MPA-7.1.2-9")
    @Test
    @DisplayName("fails at its deadline, with or without a TCP connection")
    void timeout() {
        TestDriver driver = initiator();
        driver.advance(9_999);
        assertThat(handler.events).isEmpty();
        driver.advance(1);
        assertThat(handler.events).containsExactly("failed TIMED_OUT");
        assertThat(handler.sentences.get(0)).contains(":7174", "10000 ms");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);

        TestDriver connecting = TestDriver.connecting(TestDriver.factory(), OFFER, upper, handler);
        connecting.advance(10_000);
        assertThat(handler.events).containsExactly("failed TIMED_OUT", "failed TIMED_OUT");
        assertThat(connecting.ending()).isEqualTo(Ending.CLOSE);
    }

    @Test
    @DisplayName("reports that TCP did not connect, and why")
    void connectFailed() {
        TestDriver driver = TestDriver.connecting(TestDriver.factory(), OFFER, upper, handler);
        driver.engine.onConnectFailed(LlpFailure.REFUSED, "no program listens there", driver.now);
        assertThat(handler.events).containsExactly("failed REFUSED");
        assertThat(handler.sentences).containsExactly("no program listens there");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
    }

    @Tag("MPA-7.1.2-13")
    @Test
    @DisplayName("reports that the peer closed or reset before or inside its Reply")
    void closedByPeer() {
        initiator().fin();
        assertThat(handler.sentences.get(0))
                .contains("closed the connection without a Reply", "jwarp.mpa.fallback=on", "jwarp.mpa.revision=1");
        initiator().reset();
        assertThat(handler.sentences.get(1)).contains("reset the connection without a Reply");
        TestDriver half = initiator();
        half.feedHex(REPLY.substring(0, 30));
        half.fin();
        assertThat(handler.sentences.get(2)).contains("inside its Reply").doesNotContain("revision=1");
        assertThat(handler.events).hasSize(3).containsOnly("failed CLOSED_BY_PEER");
        assertThat(half.ending()).isEqualTo(Ending.CLOSE);
    }

    @Test
    @DisplayName("accepts no Reply before its Request is sent")
    void replyBeforeRequest() {
        TestDriver driver = TestDriver.connecting(TestDriver.factory(), OFFER, upper, handler);
        driver.window = 5;
        driver.connected();
        driver.feedHex(REPLY);
        assertThat(handler.events).containsExactly("failed BAD_START_FRAME");
        assertThat(upper.events).isEmpty();
    }

    @Tag("MPA2-9.3-1")
    @Test
    @DisplayName("sends Terminate 2/0/05 if its layer above fails in onEstablished (RFC 6581 §9.3)")
    void localCatastrophic() {
        RecordingUpper failing = new RecordingUpper() {
            @Override
            public void onEstablished(LowerLayer lowerLayer, LlpAgreement agreement, long nowNanos) {
                throw new IllegalStateException("no queue pair");
            }
        };
        TestDriver driver = TestDriver.initiator(TestDriver.factory(), OFFER, failing, handler);
        driver.take();
        driver.feedHex(REPLY);
        assertThat(handler.events).containsExactly("failed LOCAL");
        assertThat(handler.sentences.get(0)).contains("no queue pair");
        assertThat(driver.takeHex()).startsWith("0016" + "41470000000000000002000000010000000020050000");
        assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
        assertThat(failing.events)
                .as("it may have begun before it threw, and has to let go of what it took")
                .containsExactly("fault java.lang.IllegalStateException: no queue pair", "closed ABORTED");
    }

    @Test
    @DisplayName("frames its Terminate as negotiated: with Markers if the Reply asked for them")
    void terminateWithMarkers() {
        TestDriver driver = initiator();
        driver.take();
        driver.feedHex("4d504120494420526570204672616d65d002000400080040"); // M, C, S; ORD 64
        assertThat(driver.takeHex())
                .startsWith("00000000" + "0016" + "41470000000000000002000000010000000020060000")
                .hasSize(2 * 32);
    }

    @Test
    @DisplayName("that is closed or aborted meanwhile reports this side as the cause, once")
    void closedByUs() {
        TestDriver closed = initiator();
        closed.connection().close();
        assertThat(closed.wakeups).isPositive();
        closed.pump();
        assertThat(handler.events).containsExactly("failed LOCAL");
        assertThat(closed.ending()).isEqualTo(Ending.CLOSE);

        TestDriver aborted = initiator();
        aborted.connection().abort();
        aborted.pump();
        aborted.feedHex(REPLY);
        aborted.fin();
        assertThat(handler.events).containsExactly("failed LOCAL", "failed LOCAL");
        assertThat(aborted.ending()).isEqualTo(Ending.ABORT);
        assertThat(upper.events).isEmpty();
    }

    @Test
    @DisplayName("falls back to revision 1 on a new TCP connection, if a setting asks for it and the peer closed")
    void fallback() {
        for (boolean reset : new boolean[] {false, true}) {
            handler.events.clear();
            upper.events.clear();
            TestDriver driver = initiator("jwarp.mpa.fallback", "on");
            driver.take();
            if (reset) {
                driver.reset();
            } else {
                driver.fin();
            }
            assertThat(driver.ending()).isEqualTo(Ending.RECONNECT);
            driver.connected();
            assertThat(driver.ending()).isEqualTo(Ending.OPEN);
            assertThat(driver.takeHex()).isEqualTo(vector("MPA-REQ1-PLAIN"));
            driver.feedHex(vector("MPA-REP1-OK-PD"));
            assertThat(upper.events).containsExactly("established ird=8 ord=4 rtr=NONE");
            assertThat(handler.events).containsExactly("established ird=-1 ord=-1 'okay'");
        }
    }

    @Test
    @DisplayName("also falls back after a Reply that ignores the enhanced set-up, but only once")
    void fallbackOnce() {
        TestDriver driver = initiator("jwarp.mpa.fallback", "on");
        driver.feedHex(vector("MPA-REP1-OK"));
        assertThat(driver.ending()).isEqualTo(Ending.RECONNECT);
        driver.connected();
        driver.fin();
        assertThat(handler.events).containsExactly("failed CLOSED_BY_PEER");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
    }

    @Test
    @DisplayName("that falls back logs it with the peer and the consequences; a later failure names the second attempt")
    void fallbackIsTold() {
        try (Warnings warnings = new Warnings()) {
            TestDriver driver = initiator("jwarp.mpa.fallback", "on", "jwarp.mpa.peer-to-peer", "on");
            driver.feedHex(vector("MPA-REP1-OK"));
            driver.connected();
            assertThat(warnings.all())
                    .singleElement()
                    .asString()
                    .contains(":7174", "plain Reply", "MPA revision 1", "jwarp.mpa.fallback=on")
                    .contains("read depths are not negotiated", "no peer-to-peer set-up");
            driver.fin();
            assertThat(handler.sentences.get(0)).contains("on the second connection, with MPA revision 1");
        }
    }

    @Tag("MPA2-10-4")
    @Test
    @DisplayName("that gets a Reply of revision 1 to its enhanced Request names both settings for it")
    void plainReply() {
        TestDriver driver = initiator();
        driver.feedHex(vector("MPA-REP1-OK"));
        assertThat(handler.events).containsExactly("failed BAD_START_FRAME");
        assertThat(handler.sentences.get(0))
                .contains("ignores", "RFC 6581 §10", "jwarp.mpa.fallback=on", "jwarp.mpa.revision=1")
                .doesNotContain("second connection");
        assertThat(driver.factory.counters().get(TcpCounter.REVISION_REFUSED)).isZero();
    }

    @Tag("MPA-7.1.1-10")
    @Test
    @DisplayName("refuses a Reply of revision 0, and names the setting that accepts it")
    void replyOfRevision0() {
        String zero = vector("MPA-REP1-OK").replaceFirst("4001", "4000");
        try (Warnings warnings = new Warnings()) {
            TestDriver strict = initiator("jwarp.mpa.revision", "1");
            strict.feedHex(zero);
            assertThat(handler.sentences.get(0)).contains("revision", "it is 0", "jwarp.mpa.accept-revision-zero=on");
            assertThat(strict.factory.counters().get(TcpCounter.REVISION_REFUSED))
                    .isEqualTo(1);
            assertThat(warnings.all()).as("its program hears of it").isEmpty();
        }
        TestDriver lenient = initiator("jwarp.mpa.revision", "1", "jwarp.mpa.accept-revision-zero", "on");
        lenient.feedHex(zero);
        assertThat(upper.events).containsExactly("established ird=8 ord=4 rtr=NONE");
    }

    @Test
    @DisplayName("does not fall back after a bad or a half Reply")
    void noFallback() {
        TestDriver bad = initiator("jwarp.mpa.fallback", "on");
        bad.feed(HexFormat.of().parseHex(vector("BADMPA-REP-KEY")));
        TestDriver half = initiator("jwarp.mpa.fallback", "on");
        half.feedHex(REPLY.substring(0, 30));
        half.fin();
        assertThat(bad.ending()).isEqualTo(Ending.CLOSE);
        assertThat(half.ending()).isEqualTo(Ending.CLOSE);
        assertThat(handler.events).containsExactly("failed BAD_START_FRAME", "failed CLOSED_BY_PEER");
    }

    @Test
    @DisplayName("keeps its deadline over the second attempt")
    void fallbackDeadline() {
        TestDriver driver = initiator("jwarp.mpa.fallback", "on");
        driver.advance(6_000);
        driver.fin();
        driver.connected();
        driver.advance(4_000);
        assertThat(handler.events).containsExactly("failed TIMED_OUT");
    }
}
