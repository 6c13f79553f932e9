package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fault in the header of the first FPDU is reported as such: not as private data, and not as a fault of the peer that
 * answers it.
 */
class FirstFpduTest {
    private static final int SENDS = 8;

    /** One wrong bit of a header. */
    record Changed(int at, int bit, boolean crc, boolean markers) {
        byte[] apply(byte[] ulpdu) {
            byte[] octets = ulpdu.clone();
            octets[at] ^= (byte) (1 << bit);
            return octets;
        }
    }

    static Stream<Changed> headers() {
        List<Changed> all = new ArrayList<>();
        // Flags and versions, the opcode, and the queue number.
        for (int at : new int[] {0, 1, 6, 9}) {
            for (int bit = 0; bit < 8; bit++) {
                for (boolean crc : new boolean[] {true, false}) {
                    all.add(new Changed(at, bit, crc, false));
                    all.add(new Changed(at, bit, crc, true));
                }
            }
        }
        return all.stream();
    }

    /** Both sides send in turn. */
    private static List<Item> talk(boolean crc, boolean markers, int changed, UnaryOperator<byte[]> change) {
        Talked talked = Talked.of(markers, crc);
        Packets packets = talked.opened();
        for (int msn = 1; msn <= SENDS; msn++) {
            byte[] ulpdu = Segment.send(msn, Octets.pattern(5 * msn, msn)).bytes();
            talked.i(Segment.raw(msn <= changed ? change.apply(ulpdu) : ulpdu));
            talked.r(Segment.send(msn, Octets.pattern(6 * msn, 9)));
            packets.send(true, talked.initiator.get(msn)).send(false, talked.responder.get(msn));
        }
        return packets.finish(true).finish(false).decode();
    }

    @ParameterizedTest
    @MethodSource("headers")
    @DisplayName("a wrong bit in the first header is no private data, and no fault of the responder")
    void wrongBitInFirstHeader(Changed changed) {
        List<Item> items = talk(changed.crc, changed.markers, 1, changed::apply);

        assertThat(Packets.violations(items)).doesNotContain("MPA-7.1.1-14", "MPA-7.1.2-6");
        assertThat(Packets.fpdus(items)).hasSize(2 * SENDS).noneMatch(item -> item.crc() == Crc.BAD);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "a wrong version in all FPDUs is reported, with CRCs for each, and not charged to the responder that answers")
    void wrongVersionInAllFpdus(boolean crc) {
        List<Item> items = talk(crc, false, SENDS, new Changed(1, 6, crc, false)::apply);

        // Without CRCs the start of the second FPDU is unknown.
        assertThat(Packets.violations(items)).hasSize(crc ? SENDS : 1).containsOnly("RDMAP-4.1-2");
        assertThat(Packets.fpdus(items))
                .filteredOn(item -> !item.place().fromInitiator())
                .hasSize(SENDS);
    }

    @Test
    @DisplayName("a Terminate that answers an FPDU under examination does not belong to the setup")
    void terminateThatAnswersHeldFpdu() {
        Talked talked = Talked.plain()
                .i(Segment.send(1, new byte[5]), Framer.Flaw.CRC)
                .r(Segment.terminate(0, 0, 0, 0).payload(Octets.hex("20060000")));

        List<Item> items = talked.packets().decode();

        assertThat(Packets.terminates(items)).extracting(TerminateFields::cause).containsExactly(0x0206);
    }
}
