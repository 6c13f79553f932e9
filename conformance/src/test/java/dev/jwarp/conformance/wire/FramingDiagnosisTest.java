package dev.jwarp.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.wire.FramingDiagnosis.State;
import dev.jwarp.conformance.wire.FramingDiagnosis.Verdict;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One direction whose sender breaks a rule of framing: few FPDUs suffice to name the rule, in the requirement's own
 * terms.
 */
class FramingDiagnosisTest {
    private static final int START = 20;

    private static byte[] stream(FramingFault fault, boolean markers, boolean crc, Segment... segments) {
        return new Misframer(fault, markers, crc, START)
                .frames(Stream.of(segments).map(Segment::bytes).toList());
    }

    private static Verdict verdict(boolean markers, boolean crc, boolean over, byte[] octets) {
        FramingDiagnosis diagnosis = new FramingDiagnosis(markers, crc, START);
        diagnosis.add(octets);
        return diagnosis.verdict(over);
    }

    private static Segment send(int msn, int length) {
        return Segment.send(msn, Octets.pattern(length, msn));
    }

    @Test
    @DisplayName("there is no result before the first bytes")
    void nothingIsSaidBeforeAnythingCame() {
        assertThat(verdict(false, true, false, new byte[0]).state()).isEqualTo(State.RIGHT);
        assertThat(verdict(false, true, true, new byte[0]).state()).isEqualTo(State.RIGHT);
    }

    @ParameterizedTest
    @CsvSource({
        "CRC_SWAPPED, MPA-4.4-3, every CRC has its most significant byte first",
        "CRC_WITHOUT_PAD, MPA-4.4-2, the CRC does not cover the pad",
        "CRC_OF_ETHERNET, MPA-4.4-2, 'the CRC is the CRC-32 of Ethernet, not CRC32C'",
        "PAD_ABSENT, MPA-4.1-1, 'pad of 0 bytes after a ULPDU of 21, should be 1: no FPDU has a pad'",
        "PAD_WITHOUT_LENGTH, MPA-4.1-1, 'pad of 3 bytes after a ULPDU of 21, should be 1: the pad is computed as if the 2 bytes of ULPDU_Length were not there'",
        "LENGTH_COUNTS_ITSELF, MPA-4.1-2, ULPDU_Length counts its own 2 bytes",
        "LENGTH_LITTLE_ENDIAN, MPA-4.1-2, ULPDU_Length has its least significant byte first",
        "MARKERS_UNASKED, MPA-7.1.1-5, 'there are Markers, though the other side did not ask for them'"
    })
    @DisplayName("with CRCs in use one FPDU is enough")
    void withCrcsOneFpduIsEnough(FramingFault fault, String requirement, String what) {
        Verdict verdict = verdict(false, true, false, stream(fault, false, true, send(1, 3)));

        assertThat(verdict.state()).isEqualTo(State.BROKEN);
        assertThat(verdict.fault()).isEqualTo(fault);
        assertThat(verdict.requirement()).isEqualTo(requirement);
        assertThat(verdict.what()).isEqualTo(what);
    }

    @ParameterizedTest
    @CsvSource({"true, MPA-4.1-1", "false, MPA-4.1-5"})
    @DisplayName("a missing CRC field shows in the next header, or when no more bytes come")
    void crcFieldThatIsNotThere(boolean crc, String requirement) {
        byte[] one = stream(FramingFault.CRC_ABSENT, false, crc, send(1, 16));
        byte[] three = stream(FramingFault.CRC_ABSENT, false, crc, send(1, 16), send(2, 7), send(3, 9));

        assertThat(verdict(false, crc, false, one).state()).isEqualTo(State.RIGHT);
        for (Verdict verdict : List.of(verdict(false, crc, true, one), verdict(false, crc, false, three))) {
            assertThat(verdict.state()).isEqualTo(State.BROKEN);
            assertThat(verdict.fault()).isEqualTo(FramingFault.CRC_ABSENT);
            assertThat(verdict.requirement()).isEqualTo(requirement);
            assertThat(verdict.what()).isEqualTo("every FPDU lacks its CRC field");
        }
    }

    @Test
    @DisplayName("a pad that several rules explain is reported, and a rule only if no other explains it")
    void padThatSeveralRulesExplain() {
        byte[] one = stream(FramingFault.PAD_TO_8, false, true, send(1, 32));
        byte[] two = stream(FramingFault.PAD_TO_8, false, true, send(1, 32), send(2, 5));
        String pad = "pad of 4 bytes after a ULPDU of 50, should be 0";

        assertThat(verdict(false, true, true, one).requirement()).isEqualTo("MPA-4.1-1");
        assertThat(verdict(false, true, true, one).what()).isEqualTo(pad);
        assertThat(verdict(false, true, true, two).what())
                .isEqualTo(pad + ": ULPDU_Length, ULPDU and pad are a multiple of 8 bytes, not of 4");
    }

    @Test
    @DisplayName("the stream is read on by the named rule")
    void whatWasNamedIsHowStreamIsReadOn() {
        byte[] octets = stream(FramingFault.PAD_TO_8, false, false, send(1, 3), send(2, 16), send(3, 5), send(4, 7));

        Deframer deframer = new Deframer(verdict(false, false, false, octets).framing());
        deframer.add(octets);

        for (int msn = 1; msn <= 4; msn++) {
            assertThat(deframer.next().segment().msn()).isEqualTo(msn);
        }
        assertThat(deframer.rest()).isEmpty();
    }

    @Test
    @DisplayName("a sender that breaks all rules of framing but the length")
    void senderThatLeavesNothingButLength() {
        byte[] octets = stream(FramingFault.PAD_AND_CRC_ABSENT, false, true, send(1, 3), send(2, 5), send(3, 6));

        assertThat(verdict(false, true, false, octets).fault()).isEqualTo(FramingFault.PAD_AND_CRC_ABSENT);
    }

    @Test
    @DisplayName("if readings with and without a CRC field explain the same bytes, bytes like a CRC decide")
    void whatLooksLikeCrcDecides() {
        // 34 bytes of ULPDU: both readings of 36 give the same boundaries.
        Segment[] sends = {send(1, 16), send(2, 16), send(3, 16)};
        byte[] absent = stream(FramingFault.CRC_ABSENT, false, false, send(1, 14), send(2, 14), send(3, 14));

        for (boolean filled : new boolean[] {true, false}) {
            byte[] counted = stream(FramingFault.LENGTH_COUNTS_ITSELF, false, filled, sends);
            assertThat(verdict(false, false, false, counted).fault()).isEqualTo(FramingFault.LENGTH_COUNTS_ITSELF);
        }
        assertThat(verdict(false, false, false, absent).state()).isEqualTo(State.UNDECIDED);
        assertThat(verdict(false, false, true, absent).fault()).isEqualTo(FramingFault.CRC_ABSENT);
    }

    @Test
    @DisplayName("a counted pad shows in offsets that advance by less")
    void countedPadIsSeenByOffsets() {
        Segment[] write = {
            Segment.write(7, 0, Octets.pattern(101, 1)).last(false),
            Segment.write(7, 101, Octets.pattern(101, 2)).last(false),
            Segment.write(7, 202, Octets.pattern(101, 3))
        };

        Verdict verdict = verdict(false, true, false, stream(FramingFault.LENGTH_COUNTS_PAD, false, true, write));

        assertThat(verdict.fault()).isEqualTo(FramingFault.LENGTH_COUNTS_PAD);
        assertThat(verdict.requirement()).isEqualTo("MPA-4.1-2");
    }

    @Test
    @DisplayName("a wrong header is no fault of framing")
    void headerThatIsWrongIsNoneOfFraming() {
        Segment[] wrong = {
            send(1, 3).ddpVersion(2), send(2, 3).ddpVersion(2), send(3, 3).ddpVersion(2)
        };
        byte[] withCrcs = stream(FramingFault.NONE, false, true, wrong);
        byte[] without = stream(FramingFault.NONE, false, false, wrong);

        assertThat(verdict(false, true, false, withCrcs).state()).isEqualTo(State.RIGHT);
        assertThat(verdict(false, false, false, without).fault()).isEqualTo(FramingFault.NONE);
    }

    @ParameterizedTest
    @CsvSource({"MARKER_POINTER, true, 400, UNEXPLAINED", "PAD_ONES, false, 0, RIGHT"})
    @DisplayName("a wrong pointer or a pad of ones is no fault of framing")
    void flawThatIsNoneOfFraming(Framer.Flaw flaw, boolean markers, int longer, State state) {
        Framer framer = new Framer(markers, true);
        Octets out = new Octets();
        for (int msn = 1; msn < 9; msn++) {
            out.add(framer.frame(send(msn, longer + msn).bytes(), flaw));
        }

        assertThat(verdict(markers, true, true, out.bytes()).state()).isEqualTo(state);
    }

    @Test
    @DisplayName("a stream that ends in the middle of an FPDU is no fault of framing")
    void streamThatIsCutIsNoneOfFraming() {
        byte[] octets = stream(FramingFault.NONE, false, true, send(1, 16), send(2, 30), send(3, 7));
        for (int length = 0; length < octets.length - 4; length++) {
            byte[] cut = Arrays.copyOf(octets, length);
            assertThat(verdict(false, true, false, cut).state()).isEqualTo(State.RIGHT);
        }
    }

    @Test
    @DisplayName("CRCs that are wrong by no known rule are reported after three FPDUs; a single one is not")
    void crcsThatAreWrongByNoRule() {
        byte[] one = stream(FramingFault.CRC_UNKNOWN, false, true, send(1, 5));
        byte[] three = stream(FramingFault.CRC_UNKNOWN, false, true, send(1, 5), send(2, 6), send(3, 7));

        assertThat(verdict(false, true, true, one).state()).isEqualTo(State.UNEXPLAINED);
        assertThat(verdict(false, true, false, three).fault()).isEqualTo(FramingFault.CRC_UNKNOWN);
    }

    @Test
    @DisplayName("every requirement is one of the catalogue")
    void everyRequirementIsOneOfCatalogue() {
        var catalogue = dev.jwarp.conformance.catalogue.Catalogue.load();
        for (FramingFault fault : FramingFault.values()) {
            for (boolean crc : new boolean[] {false, true}) {
                if (fault != FramingFault.NONE) {
                    assertThat(catalogue.get(fault.requirement(crc)).text()).isNotEmpty();
                }
            }
        }
    }

    @Test
    @DisplayName("an offset that goes back by more than the length of the previous segment counts no pad")
    void offsetThatGoesBack() {
        Segment first = send(1, 1).mo(10).last(false);

        assertThat(PriorSegment.of(first).surplus(send(1, 4).mo(8))).isZero();
    }
}
