package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.mpa.StartFrame.Kind;
import dev.jwarp.mpa.StartFrameAssembler.Progress;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.nio.ByteBuffer;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Start-up by the vectors")
class NegotiationVectorsTest {
    private static final Set<RtrType> ALL_RTR = Set.of(RtrType.values());

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "MPA-REQ1-PLAIN, 1, false, 0, 0, false, ''",
        "MPA-REQ1-M-PD, 1, true, 0, 0, false, 68656c6c6f",
        "MPA-REQ2-CS, 2, false, 8, 4, false, ''",
        "MPA-REQ2-CS-PD, 2, false, 1, 1, false, 756c7021",
        "MPA-REQ2-P2P-BCD, 2, false, 16, 16, true, ''",
        "MPA-REQ2-3FFF, 2, false, 16383, 16383, false, ''"
    })
    @DisplayName("our Request equals the vector")
    void requests(String id, int revision, boolean markers, int ird, int ord, boolean peerToPeer, String privateData) {
        StartSettings settings = new StartSettings(revision, markers, true, ird, ord, peerToPeer, ALL_RTR);
        StartFrame request = InitiatorNegotiation.request(settings, PrivateData.of(Vectors.hex(privateData)));
        assertThat(request.encode()).isEqualTo(ByteBuffer.wrap(Vectors.byId(id).octets()));
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource({
        "MPA-REQ1-PLAIN, MPA-REP1-OK, 7, 7, ALL, ''",
        "MPA-REQ1-NOCRC, MPA-REP1-OK, 7, 7, ALL, ''",
        "MPA-REQ1-RES, MPA-REP1-OK, 7, 7, ALL, ''",
        "MPA-REQ1-R, MPA-REP1-OK, 7, 7, ALL, ''",
        "MPA-REQ2-CS, MPA-REP2-CS, 16, 16, ALL, ''",
        "MPA-REQ2-CS-BCD, MPA-REP2-CS, 16, 16, ALL, ''",
        "MPA-REQ2-P2P-BCD, MPA-REP2-P2P-C, 16, 16, WRITE, ''",
        "MPA-REQ2-P2P-BCD, MPA-REP2-P2P-D, 16, 16, READ, ''",
        "MPA-REQ2-P2P-BCD, MPA-REP2-P2P-B, 16, 16, SEND, ''",
        "MPA-REQ2-3FFF, MPA-REP2-3FFF, 3, 5, ALL, ''"
    })
    @DisplayName("our accepting Reply equals the vector")
    void replies(String request, String reply, int ird, int ord, String rtr, String privateData) {
        Set<RtrType> types = rtr.equals("ALL") ? ALL_RTR : Set.of(RtrType.valueOf(rtr));
        StartSettings settings = new StartSettings(2, false, true, ird, ord, false, types);
        ResponderNegotiation.Acceptance acceptance =
                ResponderNegotiation.accept(settings, frame(request), PrivateData.of(Vectors.hex(privateData)));
        assertThat(acceptance.reply().encode())
                .isEqualTo(ByteBuffer.wrap(Vectors.byId(reply).octets()));
    }

    @Test
    @DisplayName("with Markers and private data, our Reply is MPA-REP1-OK-PD")
    void replyWithMarkers() {
        StartSettings settings = new StartSettings(2, true, true, 1, 1, false, ALL_RTR);
        PrivateData okay = PrivateData.of(Vectors.hex("6f6b6179"));
        assertThat(ResponderNegotiation.accept(settings, frame("MPA-REQ1-PLAIN"), okay)
                        .reply())
                .isEqualTo(frame("MPA-REP1-OK-PD"));
    }

    @Tag("MPA2-10-1")
    @Tag("MPA-7.1.2-3")
    @Test
    @DisplayName("our rejecting Replies are MPA-REP1-REJECT and MPA-REP2-REJECT, which has the ORD that we need")
    void rejections() {
        StartSettings settings = StartSettings.DEFAULT.withDepths(4, 32);
        PrivateData busy = PrivateData.of(Vectors.hex("62757379"));
        assertThat(ResponderNegotiation.reject(settings, frame("MPA-REQ1-PLAIN"), busy))
                .isEqualTo(frame("MPA-REP1-REJECT"));
        assertThat(ResponderNegotiation.reject(settings, frame("MPA-REQ2-CS"), PrivateData.NONE))
                .isEqualTo(frame("MPA-REP2-REJECT"));
    }

    @Test
    @DisplayName("a default siw initiator is answered with its revision, CRC and read depths")
    void siwRping() {
        StartSettings settings = StartSettings.DEFAULT.withDepths(64, 64);
        ResponderNegotiation.Acceptance acceptance =
                ResponderNegotiation.accept(settings, frame("MPA-SIW-RPING-REQ"), PrivateData.NONE);
        assertThat(acceptance.reply().crc()).isTrue();
        assertThat(acceptance.reply().enhanced()).isEqualTo(new EnhancedData(false, Set.of(), 1, 1));
        Agreement agreement = acceptance.agreement();
        assertThat(agreement.crc()).isTrue();
        assertThat(agreement.ird()).isEqualTo(1);
        assertThat(agreement.ord()).isEqualTo(1);
    }

    @Test
    @DisplayName("rsockets' record is the private data after IRD and ORD")
    void rsockets() {
        assertThat(frame("MPA-RSOCKET-REQ").privateData())
                .hasToString(Vectors.byId("MPA-RSOCKET-REQ").text("rs_conn"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "BADMPA-REP-NOS, REPLY_NOT_ENHANCED, true",
        "BADMPA-REP-S, REPLY_ENHANCED, false",
    })
    @DisplayName("a Reply that does not fit our Request closes the connection")
    void closes(String id, StartFrameProblem problem, boolean mayRetry) {
        Vector vector = Vectors.byId(id);
        assertThat(vector.expect().path("action").asText()).isEqualTo("close");
        StartFrame request = frame(vector.text("sent"));
        StartSettings settings = StartSettings.DEFAULT.withRevision(request.revision());
        StartOutcome outcome = InitiatorNegotiation.judge(settings, request, frame(id));
        assertThat(outcome).isEqualTo(new StartOutcome.Close(problem));
        assertThat(((StartOutcome.Close) outcome).mayRetryWithRevision1()).isEqualTo(mayRetry);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "BADMPA-RTR-NONE, WRITE, 16, 16",
        "BADMPA-RTR-EMPTY, ALL, 16, 16",
        "BADMPA-RTR-A0, ALL, 16, 16",
        "BADMPA-IRD, '', 8, 4"
    })
    @DisplayName("unacceptable parameters are answered with the vector's Terminate")
    void terminates(String id, String rtr, int ird, int ord) {
        Vector vector = Vectors.byId(id);
        Set<RtrType> types = rtr.equals("WRITE") ? Set.of(RtrType.WRITE) : ALL_RTR;
        StartSettings settings = new StartSettings(2, false, true, ird, ord, !rtr.isEmpty(), types);
        StartFrame request = InitiatorNegotiation.request(settings, PrivateData.NONE);
        StartOutcome outcome = InitiatorNegotiation.judge(settings, request, frame(id));
        assertThat(outcome).isInstanceOf(StartOutcome.Terminate.class);
        StartOutcome.Terminate terminate = (StartOutcome.Terminate) outcome;
        assertThat(vector.expect().path("action").asText()).isEqualTo("terminate");
        assertThat(terminate.error().code())
                .isEqualTo(vector.expect().path("code").asInt());
        assertThat(terminate.sentence()).isNotBlank();
        assertThat(terminate.framing().crc()).isTrue();
        assertThat(terminate.framing().sendMarkers()).isFalse();
    }

    @Tag("MPA-7.1.2-5")
    @Test
    @DisplayName("BADMPA-REJECT-DATA: a rejection ends MPA, and further bytes are ignored")
    void rejectedWithData() {
        ByteBuffer in = ByteBuffer.wrap(Vectors.byId("BADMPA-REJECT-DATA").octets());
        StartFrameAssembler assembler = new StartFrameAssembler(Kind.REPLY);
        assertThat(assembler.receive(in)).isEqualTo(Progress.COMPLETE);
        assertThat(in.position()).isEqualTo(20);
        StartFrame request = frame("MPA-REQ1-PLAIN");
        assertThat(InitiatorNegotiation.judge(StartSettings.DEFAULT.withRevision(1), request, assembler.frame()))
                .isEqualTo(new StartOutcome.RejectedByPeer(assembler.frame()));
    }

    private static StartFrame frame(String id) {
        byte[] octets = Vectors.byId(id).octets();
        StartFrameAssembler assembler = new StartFrameAssembler(octets[9] == 'q' ? Kind.REQUEST : Kind.REPLY);
        assertThat(assembler.receive(ByteBuffer.wrap(octets))).isEqualTo(Progress.COMPLETE);
        return assembler.frame();
    }
}
