package dev.jwarp.mpa;

import static dev.jwarp.mpa.RtrType.READ;
import static dev.jwarp.mpa.RtrType.SEND;
import static dev.jwarp.mpa.RtrType.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.mpa.ResponderNegotiation.Acceptance;
import dev.jwarp.mpa.StartFrame.Kind;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The negotiation at start-up")
class NegotiationTest {
    private static final int NONE = EnhancedData.NOT_NEGOTIATED;
    private static final StartSettings REV1 = StartSettings.DEFAULT.withRevision(1);

    @Tag("MPA-4.4-8")
    @Tag("MPA-4.4-9")
    @Tag("MPA-7.1.1-7")
    @ParameterizedTest(name = "Request C={0}, responder wants CRC {1}: Reply C={2}, in use {3}")
    @CsvSource({
        "true, true, true, true",
        "true, false, true, true",
        "false, true, true, true",
        "false, false, false, false"
    })
    @DisplayName("CRC is in use as soon as one side requests it; a C is answered by a C (RFC 5044 §4.4, §7.1.1)")
    void crc(boolean initiatorWants, boolean responderWants, boolean replyFlag, boolean inUse) {
        for (int revision : new int[] {1, 2}) {
            StartSettings initiator = settings(revision, false, initiatorWants, 1, 1, false, WRITE);
            StartSettings responder = settings(2, false, responderWants, 1, 1, false, WRITE);
            StartFrame request = InitiatorNegotiation.request(initiator, PrivateData.NONE);
            Acceptance acceptance = ResponderNegotiation.accept(responder, request, PrivateData.NONE);
            assertThat(request.crc()).isEqualTo(initiatorWants);
            assertThat(acceptance.reply().crc()).isEqualTo(replyFlag);
            assertThat(acceptance.agreement().crc()).isEqualTo(inUse);
            assertThat(((Agreement) InitiatorNegotiation.judge(initiator, request, acceptance.reply())).crc())
                    .isEqualTo(inUse);
        }
    }

    @Tag("MPA-7.1.1-7")
    @Test
    @DisplayName("a Reply with C=0 to a Request with C=1 still leaves the CRC in use (RFC 5044 §7.1.1)")
    void crcNotAnswered() {
        StartFrame request = InitiatorNegotiation.request(REV1, PrivateData.NONE);
        StartFrame reply = reply(1, false, false, null);
        Agreement agreement = (Agreement) InitiatorNegotiation.judge(REV1, request, reply);
        assertThat(agreement.crc()).isTrue();
        assertThat(agreement.peerFrame().crc()).isFalse();
    }

    @Tag("MPA-7.1.1-5")
    @Tag("MPA-7.1.1-6")
    @ParameterizedTest(name = "initiator wants Markers {0}, responder {1}")
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    @DisplayName("each side requests Markers for its receiving direction, the other side sends them (RFC 5044 §7.1.1)")
    void markers(boolean initiatorWants, boolean responderWants) {
        StartSettings initiator = settings(2, initiatorWants, true, 1, 1, false, WRITE);
        StartSettings responder = settings(2, responderWants, true, 1, 1, false, WRITE);
        StartFrame request = InitiatorNegotiation.request(initiator, PrivateData.NONE);
        Acceptance acceptance = ResponderNegotiation.accept(responder, request, PrivateData.NONE);
        Agreement ours = (Agreement) InitiatorNegotiation.judge(initiator, request, acceptance.reply());
        assertThat(ours.receiveMarkers()).isEqualTo(initiatorWants);
        assertThat(ours.sendMarkers()).isEqualTo(responderWants);
        assertThat(acceptance.agreement().receiveMarkers()).isEqualTo(responderWants);
        assertThat(acceptance.agreement().sendMarkers()).isEqualTo(initiatorWants);
    }

    @Tag("MPA2-9.1-1")
    @Tag("MPA2-9.1-2")
    @Tag("MPA2-9.1-6")
    @Tag("MPA2-9.1-7")
    @ParameterizedTest(name = "asked IRD {0} ORD {1}, we have IRD {2} ORD {3}: Reply IRD {4} ORD {5}, we use {6}, {7}")
    @CsvSource({
        "8, 4, 16, 16, 4, 8, 4, 8",
        "8, 4, 2, 3, 2, 3, 2, 3", // less than asked: the initiator lowers its ORD
        "0, 0, 16, 16, 0, 0, 0, 0",
        "0, 1, 16, 16, 1, 0, 1, 0", // rsockets
        "16383, 16383, 3, 5, 16383, 16383, 3, 5", // not negotiated: ours unchanged
        "16383, 4, 3, 5, 3, 16383, 3, 5",
        "8, 16383, 3, 50, 16383, 8, 3, 8",
        "8, 4, 16383, 16383, 4, 8, 4, 8" // we leave it to the layers above, the peer says a number
    })
    @DisplayName("the responder answers with read depths within those of the Request (RFC 6581 §9.1)")
    void responderDepths(
            int askedIrd, int askedOrd, int ird, int ord, int replyIrd, int replyOrd, int ownIrd, int ownOrd) {
        StartFrame request = request(new EnhancedData(false, Set.of(), askedIrd, askedOrd));
        Acceptance acceptance =
                ResponderNegotiation.accept(StartSettings.DEFAULT.withDepths(ird, ord), request, PrivateData.NONE);
        assertThat(acceptance.reply().enhanced()).isEqualTo(new EnhancedData(false, Set.of(), replyIrd, replyOrd));
        assertThat(acceptance.agreement().ird()).isEqualTo(ownIrd);
        assertThat(acceptance.agreement().ord()).isEqualTo(ownOrd);
        assertThat(acceptance.agreement().peerFrame()).isSameAs(request);
    }

    @Tag("MPA2-9.1-3")
    @Tag("MPA2-9.1-4")
    @Tag("MPA2-9.1-8")
    @ParameterizedTest(name = "we sent IRD {0} ORD {1}, Reply IRD {2} ORD {3}: we use {4}, {5}")
    @CsvSource({
        "8, 4, 4, 8, 8, 4",
        "8, 4, 9, 1, 8, 4", // a larger IRD of the responder does not raise our ORD
        "8, 4, 2, 0, 8, 2",
        "8, 4, 0, 8, 8, 0",
        "8, 4, 16383, 16383, 8, 4", // not negotiated: ours unchanged
        "8, 4, 16383, 3, 8, 4",
        "16383, 16383, 16383, 16383, 16383, 16383",
        "16383, 16383, 5, 7, 16383, 5"
    })
    @DisplayName("the initiator lowers its ORD to the responder's IRD and keeps its IRD (RFC 6581 §9.1)")
    void initiatorDepths(int ird, int ord, int replyIrd, int replyOrd, int ownIrd, int ownOrd) {
        StartSettings settings = StartSettings.DEFAULT.withDepths(ird, ord);
        StartFrame request = InitiatorNegotiation.request(settings, PrivateData.NONE);
        StartFrame reply = reply(2, true, false, new EnhancedData(false, Set.of(), replyIrd, replyOrd));
        Agreement agreement = (Agreement) InitiatorNegotiation.judge(settings, request, reply);
        assertThat(agreement.ird()).isEqualTo(ownIrd);
        assertThat(agreement.ord()).isEqualTo(ownOrd);
        assertThat(agreement.peerFrame()).isSameAs(reply);
    }

    @Tag("MPA2-9.1-5")
    @Test
    @DisplayName("an ORD above our IRD is insufficient IRD, even with other mismatches (RFC 6581 §9.1)")
    void insufficientIrd() {
        StartSettings settings = settings(2, true, true, 8, 4, true, WRITE);
        StartFrame request = InitiatorNegotiation.request(settings, PrivateData.NONE);
        StartFrame reply = reply(2, true, false, new EnhancedData(true, Set.of(SEND), 4, 9));
        StartOutcome.Terminate refusal = (StartOutcome.Terminate) InitiatorNegotiation.judge(settings, request, reply);
        assertThat(refusal.error()).isEqualTo(MpaError.INSUFFICIENT_IRD);
        assertThat(refusal.sentence()).contains("9").contains("8");
        assertThat(refusal.framing().receiveMarkers()).isTrue();
    }

    @Tag("MPA2-9.2-2")
    @Tag("MPA2-9.2-3")
    @ParameterizedTest(name = "offered {0}, we have {1}: Reply {2}, expected {3}")
    @CsvSource({
        "'WRITE READ SEND', 'WRITE READ', 'WRITE READ', 'WRITE READ'",
        "'READ', 'WRITE READ', 'READ', 'READ'", // exactly one in common: set it
        "'SEND', 'WRITE READ', 'WRITE READ', ''", // none in common: at least one of ours
        "'', 'WRITE', 'WRITE', ''"
    })
    @DisplayName("the responder answers peer-to-peer with the RTR types in common, else with its own (RFC 6581 §9.2)")
    void responderRtr(String offered, String ours, String answered, String expected) {
        StartFrame request = request(new EnhancedData(true, types(offered), 4, 4));
        StartSettings settings = new StartSettings(2, false, true, 4, 4, false, types(ours));
        Acceptance acceptance = ResponderNegotiation.accept(settings, request, PrivateData.NONE);
        assertThat(acceptance.reply().enhanced()).isEqualTo(new EnhancedData(true, types(answered), 4, 4));
        assertThat(acceptance.agreement().rtrTypes()).isEqualTo(types(expected));
        StartFrame rejection = ResponderNegotiation.reject(settings, request, PrivateData.NONE);
        assertThat(rejection.rejected()).isTrue();
        assertThat(rejection.enhanced()).isEqualTo(new EnhancedData(true, types(answered), 4, 4));
    }

    @Tag("MPA2-9.2-4")
    @Tag("MPA2-9.2-5")
    @ParameterizedTest(name = "asked {0}, answered {1}: send {2}")
    @CsvSource({
        "'WRITE READ SEND', 'WRITE READ SEND', 'WRITE'",
        "'WRITE READ SEND', 'READ SEND', 'READ'",
        "'SEND', 'WRITE READ SEND', 'SEND'",
        "'WRITE READ', 'SEND', ''",
        "'WRITE READ', '', ''"
    })
    @DisplayName("the initiator sends one of the types in common, or a Terminate (RFC 6581 §9.2)")
    void initiatorRtr(String asked, String answered, String sent) {
        StartSettings settings = new StartSettings(2, false, true, 4, 4, true, types(asked));
        StartFrame request = InitiatorNegotiation.request(settings, PrivateData.NONE);
        StartFrame reply = reply(2, true, false, new EnhancedData(true, types(answered), 4, 4));
        StartOutcome outcome = InitiatorNegotiation.judge(settings, request, reply);
        if (sent.isEmpty()) {
            assertThat(((StartOutcome.Terminate) outcome).error()).isEqualTo(MpaError.NO_MATCHING_RTR);
        } else {
            assertThat(((Agreement) outcome).rtrTypes()).isEqualTo(types(sent));
        }
    }

    @Tag("MPA2-9.2-5")
    @Test
    @DisplayName("A=0 in answer to A=1 is no matching RTR either, regardless of B, C and D (RFC 6581 §9.2)")
    void peerToPeerNotAnswered() {
        StartSettings settings = settings(2, false, true, 4, 4, true, WRITE, READ);
        StartFrame request = InitiatorNegotiation.request(settings, PrivateData.NONE);
        StartFrame reply = reply(2, true, false, new EnhancedData(false, Set.of(WRITE, READ), 4, 4));
        StartOutcome outcome = InitiatorNegotiation.judge(settings, request, reply);
        assertThat(((StartOutcome.Terminate) outcome).error()).isEqualTo(MpaError.NO_MATCHING_RTR);
    }

    @Tag("MPA2-9.2-1")
    @Tag("MPA2-9.2-6")
    @Tag("MPA2-9.2-8")
    @Test
    @DisplayName("in client-server B, C and D are not sent, ignored on receipt, and no RTR is agreed (RFC 6581 §9.2)")
    void clientServer() {
        StartFrame request = InitiatorNegotiation.request(StartSettings.DEFAULT, PrivateData.NONE);
        assertThat(request.enhanced()).isEqualTo(new EnhancedData(false, Set.of(), 1, 1));
        StartFrame strange = request(new EnhancedData(false, Set.of(WRITE, READ, SEND), 1, 1));
        Acceptance acceptance = ResponderNegotiation.accept(StartSettings.DEFAULT, strange, PrivateData.NONE);
        assertThat(acceptance.reply().enhanced()).isEqualTo(new EnhancedData(false, Set.of(), 1, 1));
        assertThat(acceptance.agreement().rtrTypes()).isEmpty();
        StartFrame odd = reply(2, true, false, new EnhancedData(true, Set.of(WRITE), 1, 1));
        Agreement agreement = (Agreement) InitiatorNegotiation.judge(StartSettings.DEFAULT, request, odd);
        assertThat(agreement.rtrTypes()).isEmpty();
    }

    @Tag("MPA2-9.1-10")
    @Test
    @DisplayName(
            "a Read as RTR makes the responder provide an IRD of 1 even if the initiator's ORD is 0 (RFC 6581 §9.1)")
    void readRtrNeedsOneRead() {
        StartFrame request = request(new EnhancedData(true, Set.of(READ), 4, 0));
        Acceptance acceptance =
                ResponderNegotiation.accept(settings(2, false, true, 8, 8, false, READ), request, PrivateData.NONE);
        assertThat(acceptance.reply().enhanced()).isEqualTo(new EnhancedData(true, Set.of(READ), 1, 4));
        assertThat(acceptance.agreement().ird()).isEqualTo(1);
        Acceptance byWrite = ResponderNegotiation.accept(
                settings(2, false, true, 8, 8, false, WRITE),
                request(new EnhancedData(true, Set.of(WRITE), 4, 0)),
                PrivateData.NONE);
        assertThat(byWrite.agreement().ird()).isZero();
        StartSettings none = settings(2, false, true, 0, 8, false, READ);
        StartFrame unnegotiated = request(new EnhancedData(true, Set.of(READ), 4, NONE));
        Acceptance unchanged = ResponderNegotiation.accept(none, unnegotiated, PrivateData.NONE);
        assertThat(unchanged.reply().enhanced()).isEqualTo(new EnhancedData(true, Set.of(READ), NONE, 4));
        assertThat(unchanged.agreement().ird()).isZero();
    }

    @Tag("MPA2-6-2")
    @Tag("MPA2-10-5")
    @Tag("MPA-7.1.1-10")
    @ParameterizedTest(name = "Request of revision {0}, responder knows {1}")
    @CsvSource({"1, 1, true", "1, 2, true", "2, 2, true", "2, 1, false"})
    @DisplayName("a responder accepts its revision and lower ones, and answers with the Request's (RFC 6581 §6, §10)")
    void revisions(int asked, int known, boolean taken) {
        StartFrame request = InitiatorNegotiation.request(StartSettings.DEFAULT.withRevision(asked), PrivateData.NONE);
        StartSettings responder = StartSettings.DEFAULT.withRevision(known);
        StartFrameProblem problem = ResponderNegotiation.examine(responder, request);
        assertThat(problem).isEqualTo(taken ? null : StartFrameProblem.UNSUPPORTED_REVISION);
        if (taken) {
            Acceptance acceptance = ResponderNegotiation.accept(responder, request, PrivateData.NONE);
            assertThat(acceptance.reply().revision()).isEqualTo(asked);
            assertThat(acceptance.agreement().revision()).isEqualTo(asked);
            assertThat(acceptance.reply().enhanced() != null).isEqualTo(asked == 2);
        }
    }

    @Tag("MPA2-10-2")
    @Test
    @DisplayName("revision 2 without S is a plain connection: a plain Reply of revision 2, our read depths apply")
    void revision2Plain() {
        StartFrame request = new StartFrame(Kind.REQUEST, 2, false, true, false, 0, null, PrivateData.NONE);
        StartSettings settings = StartSettings.DEFAULT.withDepths(3, 5);
        assertThat(ResponderNegotiation.examine(settings, request)).isNull();
        Acceptance acceptance = ResponderNegotiation.accept(settings, request, PrivateData.NONE);
        assertThat(acceptance.reply()).isEqualTo(reply(2, true, false, null));
        assertThat(acceptance.agreement().ird()).isEqualTo(3);
        assertThat(acceptance.agreement().ord()).isEqualTo(5);
        Agreement initiator = (Agreement) InitiatorNegotiation.judge(settings, request, acceptance.reply());
        assertThat(initiator.ord()).isEqualTo(5);
        assertThat(initiator.revision()).isEqualTo(2);
        assertThat(initiator.rtrTypes()).isEmpty();
    }

    @Tag("MPA2-9.2-6")
    @ParameterizedTest(name = "asked: {0}, answered: {1}, ready-to-receive: {2}")
    @CsvSource({
        "false, true, WRITE, true",
        "false, true, READ, false",
        "false, true, SEND, false",
        "false, false, WRITE, false",
        "true, true, WRITE, false"
    })
    @DisplayName("a responder waits for a Write only if its Reply has A and C and none was asked for (RFC 6581 §9.2)")
    void writeAwaited(boolean asked, boolean answered, RtrType type, boolean awaited) {
        StartSettings settings = settings(2, false, true, 4, 4, asked, WRITE);
        StartFrame request = InitiatorNegotiation.request(settings, PrivateData.NONE);
        StartFrame reply = reply(2, true, false, new EnhancedData(answered, Set.of(type), 4, 4));
        Agreement agreement = (Agreement) InitiatorNegotiation.judge(settings, request, reply);
        assertThat(agreement.writeAwaited()).isEqualTo(awaited);
        Agreement responders =
                ResponderNegotiation.accept(settings, request, PrivateData.NONE).agreement();
        assertThat(responders.writeAwaited()).isFalse();
    }

    @Test
    @DisplayName("a Reply of revision 1 to a Request of revision 1 never asks for a Write")
    void writeNeverAwaitedInRevision1() {
        StartFrame request = InitiatorNegotiation.request(REV1, PrivateData.NONE);
        Agreement agreement = (Agreement) InitiatorNegotiation.judge(REV1, request, reply(1, true, false, null));
        assertThat(agreement.writeAwaited()).isFalse();
    }

    @Tag("MPA-7.1.2-4")
    @Test
    @DisplayName(
            "a rejection is valid in any revision, with or without S, and has the peer's IRD, ORD and private data")
    void rejections() {
        PrivateData reason = PrivateData.of(new byte[] {1});
        for (int asked : new int[] {1, 2}) {
            StartSettings settings = StartSettings.DEFAULT.withRevision(asked);
            StartFrame request = InitiatorNegotiation.request(settings, PrivateData.NONE);
            EnhancedData word = new EnhancedData(false, Set.of(), 4, 32);
            for (StartFrame reply : new StartFrame[] {
                new StartFrame(Kind.REPLY, 1, false, true, true, 0, null, reason),
                new StartFrame(Kind.REPLY, 2, false, true, true, 0, word, reason)
            }) {
                assertThat(InitiatorNegotiation.judge(settings, request, reply))
                        .isEqualTo(new StartOutcome.RejectedByPeer(reply));
            }
        }
    }

    @Tag("MPA2-9-2")
    @Test
    @DisplayName("private data too long for the frame throws an exception with the limit")
    void tooMuchPrivateData() {
        PrivateData tooLong = PrivateData.of(new byte[509]);
        assertThatThrownBy(() -> InitiatorNegotiation.request(StartSettings.DEFAULT, tooLong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("508");
        StartFrame request = InitiatorNegotiation.request(REV1, tooLong);
        assertThat(ResponderNegotiation.accept(StartSettings.DEFAULT, request, tooLong)
                        .reply()
                        .length())
                .isEqualTo(529);
    }

    @Test
    @DisplayName("contradictory settings are rejected")
    void impossibleSettings() {
        assertThatThrownBy(() -> settings(3, false, true, 1, 1, false, WRITE)).hasMessageContaining("revision 3");
        assertThatThrownBy(() -> settings(1, false, true, 1, 1, true, WRITE)).hasMessageContaining("peer-to-peer");
        assertThatThrownBy(() -> settings(2, false, true, 1, 1, false)).hasMessageContaining("ready-to-receive");
        assertThatThrownBy(() -> settings(2, false, true, -1, 1, false, WRITE)).hasMessageContaining("IRD -1");
        assertThatThrownBy(() -> settings(2, false, true, 1, NONE + 1, false, WRITE))
                .hasMessageContaining("ORD");
        assertThat(settings(2, false, true, 1, 1, true, WRITE).withRevision(1).peerToPeer())
                .isFalse();
    }

    private static StartSettings settings(
            int revision, boolean markers, boolean crc, int ird, int ord, boolean peerToPeer, RtrType... rtr) {
        return new StartSettings(revision, markers, crc, ird, ord, peerToPeer, Set.of(rtr));
    }

    private static StartFrame request(EnhancedData enhanced) {
        return new StartFrame(Kind.REQUEST, 2, false, true, false, 0, enhanced, PrivateData.NONE);
    }

    private static StartFrame reply(int revision, boolean crc, boolean rejected, EnhancedData enhanced) {
        return new StartFrame(Kind.REPLY, revision, false, crc, rejected, 0, enhanced, PrivateData.NONE);
    }

    private static Set<RtrType> types(String names) {
        return Arrays.stream(names.split(" "))
                .filter(name -> !name.isEmpty())
                .map(RtrType::valueOf)
                .collect(Collectors.toSet());
    }
}
