package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.mpa.StartFrame.Kind;
import dev.jwarp.mpa.StartFrameAssembler.Progress;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The assembler of a start-up frame")
class StartFrameAssemblerTest {
    private static final int NEVER = -1;

    @ParameterizedTest(name = "{0}: {1} after {2} bytes")
    @CsvSource({
        "BADMPA-KEY, WRONG_KEY, 16",
        "BADMPA-REP-KEY, WRONG_KEY, 12",
        "BADMPA-INIT-INIT, REQUEST_FOR_REPLY, 10",
        "BADMPA-RESP-GETS-REP, REPLY_FOR_REQUEST, 10",
        "BADMPA-REV0, UNSUPPORTED_REVISION, 20",
        "BADMPA-REV3, UNSUPPORTED_REVISION, 20",
        "BADMPA-REP-REV3, UNSUPPORTED_REVISION, 20",
        "BADMPA-PD513, PRIVATE_DATA_TOO_LONG, 20",
        "BADMPA-REP-PD513, PRIVATE_DATA_TOO_LONG, 20",
        "BADMPA-PD-MAX, PRIVATE_DATA_TOO_LONG, 20",
        "BADMPA-S-PD2, MISSING_READ_DEPTHS, 20",
        "BADMPA-EXTRA, OCTETS_BEHIND_REQUEST, 23"
    })
    @DisplayName("finds errors as early as possible, byte by byte and in one piece")
    void malformedVectors(String id, StartFrameProblem problem, int octetsNeeded) {
        Vector vector = Vectors.byId(id);
        byte[] octets = vector.octets();
        assertThat(vector.expect().path("action").asText()).isEqualTo("close");
        StartFrameAssembler whole = new StartFrameAssembler(expectedBy(vector));
        assertThat(whole.receive(ByteBuffer.wrap(octets))).isEqualTo(Progress.BROKEN);
        assertThat(whole.problem()).isEqualTo(problem);
        assertThatThrownBy(whole::frame).isInstanceOf(IllegalStateException.class);

        StartFrameAssembler slow = new StartFrameAssembler(expectedBy(vector));
        int brokenAfter = NEVER;
        for (int i = 0; i < octets.length && brokenAfter == NEVER; i++) {
            brokenAfter = slow.receive(ByteBuffer.wrap(octets, i, 1)) == Progress.BROKEN ? i + 1 : NEVER;
        }
        assertThat(slow.problem()).isEqualTo(problem);
        assertThat(brokenAfter).isEqualTo(octetsNeeded);
    }

    @Tag("MPA-7.1.2-2")
    @Test
    @DisplayName("BADMPA-SHORT-FIN: an end within the frame makes it invalid")
    void shortThenFin() {
        StartFrameAssembler assembler = new StartFrameAssembler(Kind.REQUEST);
        assertThat(assembler.receive(
                        ByteBuffer.wrap(Vectors.byId("BADMPA-SHORT-FIN").octets())))
                .isEqualTo(Progress.INCOMPLETE);
        assertThat(assembler.endOfInput()).isEqualTo(Progress.BROKEN);
        assertThat(assembler.problem()).isEqualTo(StartFrameProblem.ENDED_EARLY);
    }

    @Test
    @DisplayName("BADMPA-SHORT-STALL: half a frame is neither complete nor invalid, so the start-up timer decides")
    void stalled() {
        StartFrameAssembler assembler = new StartFrameAssembler(Kind.REQUEST);
        assertThat(assembler.isEmpty()).isTrue();
        assertThat(assembler.receive(
                        ByteBuffer.wrap(Vectors.byId("BADMPA-SHORT-STALL").octets())))
                .isEqualTo(Progress.INCOMPLETE);
        assertThat(assembler.isEmpty()).isFalse();
        assertThat(assembler.problem()).isNull();
        assertThatThrownBy(assembler::frame).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("the end of the connection after a complete frame does not make the frame invalid")
    void endBehindFrame() {
        StartFrameAssembler assembler = new StartFrameAssembler(Kind.REPLY);
        assembler.receive(ByteBuffer.wrap(Vectors.byId("MPA-REP2-CS").octets()));
        assertThat(assembler.endOfInput()).isEqualTo(Progress.COMPLETE);
    }

    @Test
    @DisplayName("leaves bytes after a Reply in the input, because the first FPDU may follow directly")
    void octetsBehindReply() {
        byte[] reply = Vectors.byId("MPA-REP2-P2P-C").octets();
        byte[] fpdu = Vectors.byId("OP-SEND").octets();
        ByteBuffer in = ByteBuffer.allocate(reply.length + fpdu.length);
        in.put(reply).put(fpdu).flip();
        StartFrameAssembler assembler = new StartFrameAssembler(Kind.REPLY);
        assertThat(assembler.receive(in)).isEqualTo(Progress.COMPLETE);
        assertThat(in.position()).isEqualTo(reply.length);
        assertThat(assembler.receive(in)).isEqualTo(Progress.COMPLETE);
        assertThat(in.position()).isEqualTo(reply.length);
    }

    @Tag("MPA-7.1.1-14")
    @Test
    @DisplayName("rejects a complete Request if bytes follow before the Reply, in the same read or a later one")
    void octetsBehindRequest() {
        StartFrameAssembler assembler = new StartFrameAssembler(Kind.REQUEST);
        assertThat(assembler.receive(ByteBuffer.wrap(Vectors.byId("MPA-REQ2-CS").octets())))
                .isEqualTo(Progress.COMPLETE);
        assertThat(assembler.receive(ByteBuffer.allocate(0))).isEqualTo(Progress.COMPLETE);
        assertThat(assembler.receive(ByteBuffer.allocate(1))).isEqualTo(Progress.BROKEN);
        assertThat(assembler.problem()).isEqualTo(StartFrameProblem.OCTETS_BEHIND_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MPA-REQ1-PD512", "MPA-RSOCKET-REQ", "MPA-REQ1-PLAIN"})
    @DisplayName("accepts a Request byte by byte")
    void octetByOctet(String id) {
        byte[] octets = Vectors.byId(id).octets();
        StartFrameAssembler assembler = new StartFrameAssembler(Kind.REQUEST);
        for (int i = 0; i < octets.length; i++) {
            assertThat(assembler.progress()).isEqualTo(Progress.INCOMPLETE);
            assembler.receive(ByteBuffer.wrap(octets, i, 1));
        }
        assertThat(assembler.frame().encode()).isEqualTo(ByteBuffer.wrap(octets));
    }

    @Test
    @DisplayName("in revision 1 the S bit is reserved: no IRD and ORD are read, for any length of private data")
    void revision1KnowsNoS() {
        byte[] octets = Vectors.byId("MPA-REQ1-PLAIN").octets();
        octets[StartFrame.FLAGS_OFFSET] |= 0x10;
        StartFrameAssembler assembler = new StartFrameAssembler(Kind.REQUEST);
        assertThat(assembler.receive(ByteBuffer.wrap(octets))).isEqualTo(Progress.COMPLETE);
        assertThat(assembler.frame().enhanced()).isNull();
        assertThat(assembler.frame().encode()).isEqualTo(ByteBuffer.wrap(octets));
    }

    @Tag("MPA-7.1.1-10")
    @Test
    @DisplayName(
            "revision 0 is refused unless accepted as 1: then its S bit is reserved, and the answer has revision 0")
    void revision0() {
        byte[] octets = Vectors.byId("MPA-REQ1-PLAIN").octets();
        octets[StartFrame.REVISION_OFFSET] = 0;
        octets[StartFrame.FLAGS_OFFSET] |= 0x10;
        StartFrameAssembler strict = new StartFrameAssembler(Kind.REQUEST);
        assertThat(strict.receive(ByteBuffer.wrap(octets))).isEqualTo(Progress.BROKEN);
        assertThat(strict.problem()).isEqualTo(StartFrameProblem.UNSUPPORTED_REVISION);
        assertThat(strict.revision()).isZero();

        StartFrameAssembler lenient = new StartFrameAssembler(Kind.REQUEST, true);
        assertThat(lenient.revision()).isEqualTo(-1);
        assertThat(lenient.receive(ByteBuffer.wrap(octets))).isEqualTo(Progress.COMPLETE);
        assertThat(lenient.frame().enhanced()).isNull();
        assertThat(lenient.frame().encode()).isEqualTo(ByteBuffer.wrap(octets));
        ResponderNegotiation.Acceptance acceptance =
                ResponderNegotiation.accept(StartSettings.DEFAULT, lenient.frame(), PrivateData.NONE);
        assertThat(acceptance.reply().revision()).isZero();
        assertThat(acceptance.reply().enhanced()).isNull();

        octets[StartFrame.REVISION_OFFSET] = 3;
        StartFrameAssembler third = new StartFrameAssembler(Kind.REQUEST, true);
        assertThat(third.receive(ByteBuffer.wrap(octets))).isEqualTo(Progress.BROKEN);
        assertThat(third.revision()).isEqualTo(3);
    }

    @Tag("MPA2-6-1")
    @Tag("MPA2-9-2")
    @Test
    @DisplayName("a frame that cannot be encoded cannot be created")
    void impossibleFrames() {
        EnhancedData word = new EnhancedData(false, Set.of(), 1, 1);
        assertThatThrownBy(() -> frame(3, 0, null, 0)).hasMessageContaining("revision 3");
        assertThatThrownBy(() -> frame(-1, 0, null, 0)).hasMessageContaining("revision -1");
        assertThatThrownBy(() -> frame(1, 0, word, 0)).hasMessageContaining("revision 2");
        assertThatThrownBy(() -> frame(0, 0, word, 0)).hasMessageContaining("revision 2");
        assertThatThrownBy(() -> frame(1, 0x20, null, 0)).hasMessageContaining("reserved");
        assertThatThrownBy(() -> frame(2, 0x10, null, 0)).hasMessageContaining("reserved");
        assertThatThrownBy(() -> frame(1, 0, null, 513)).hasMessageContaining("at most 512");
        assertThatThrownBy(() -> frame(2, 0, word, 509)).hasMessageContaining("at most 508");
        assertThatThrownBy(() -> new EnhancedData(false, Set.of(), 0x4000, 0)).hasMessageContaining("IRD 16384");
        assertThatThrownBy(() -> new EnhancedData(false, Set.of(), 0, -1)).hasMessageContaining("ORD -1");
    }

    @Test
    @DisplayName("private data is copied in and out")
    void privateDataIsAValue() {
        byte[] octets = {1, 2, 3};
        PrivateData data = PrivateData.of(octets);
        octets[0] = 9;
        data.toByteArray()[1] = 9;
        assertThat(data.toByteArray()).containsExactly(1, 2, 3);
        assertThat(data).isEqualTo(PrivateData.of(ByteBuffer.wrap(new byte[] {0, 1, 2, 3}, 1, 3)));
        assertThat(data).hasSameHashCodeAs(PrivateData.of(new byte[] {1, 2, 3})).hasToString("010203");
        assertThat(data).isNotEqualTo(PrivateData.NONE);
        assertThat(List.of(PrivateData.of(new byte[0]), PrivateData.of(ByteBuffer.allocate(0))))
                .containsOnly(PrivateData.NONE);
    }

    private static StartFrame frame(int revision, int reserved, EnhancedData enhanced, int privateDataLength) {
        PrivateData privateData = PrivateData.of(new byte[privateDataLength]);
        return new StartFrame(Kind.REQUEST, revision, false, true, false, reserved, enhanced, privateData);
    }

    private static Kind expectedBy(Vector vector) {
        return vector.text("receiver").equals("responder") ? Kind.REQUEST : Kind.REPLY;
    }
}
