package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Startup frames with a wrong PD_Length: the fault is reported once, and the FPDUs after them are found. */
class PrivateDataTest {
    private static final int SENDS = 5;

    /** Both sides send; the Request, or the Reply, states this number of bytes of private data and sends another. */
    private static List<Item> decode(boolean inRequest, int stated, int sent, boolean markers) {
        StartFrame request = StartFrame.request();
        StartFrame reply = StartFrame.reply().with(markers ? StartFrame.MARKERS : 0);
        (inRequest ? request : reply).privateData(Octets.pattern(sent, 3)).declaring(stated);
        Talked talked = new Talked(request, reply).sends(SENDS, msn -> 200);
        for (int msn = 1; msn <= SENDS; msn++) {
            talked.r(Segment.send(msn, Octets.pattern(200, msn)));
        }
        return talked.packets().finish(true).finish(false).decode();
    }

    @ParameterizedTest
    @CsvSource({"40, 8", "8, 40", "0, 1", "1, 0", "4, 3", "3, 4", "0, 511", "512, 4", "12, 300"})
    @DisplayName("a wrong PD_Length of a Request or a Reply is reported")
    void lengthThatIsNotThatOfPrivateData(int stated, int sent) {
        for (boolean request : new boolean[] {true, false}) {
            for (boolean markers : new boolean[] {true, false}) {
                List<Item> items = decode(request, stated, sent, markers);

                assertThat(Packets.violations(items)).containsExactly("MPA-7.1.1-14");
                assertThat(items.stream().flatMap(item -> item.findings().stream()))
                        .extracting(Finding::what)
                        .containsExactly("PD_Length is " + stated + ", but " + sent + " bytes of private data follow");
                assertThat(Packets.fpdus(items)).hasSize(2 * SENDS).allMatch(item -> item.crc() == Crc.OK);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"600, 600", "2000, 12", "65535, 0"})
    @DisplayName("a PD_Length above the limit is reported")
    void lengthThatIsMoreThanMayBe(int stated, int sent) {
        for (boolean request : new boolean[] {true, false}) {
            List<Item> items = decode(request, stated, sent, false);

            assertThat(Packets.violations(items)).containsExactly("MPA-7.1.1-12");
            assertThat(Packets.fpdus(items)).hasSize(2 * SENDS).allMatch(item -> item.crc() == Crc.OK);
        }
    }

    @Test
    @DisplayName("a Request in two segments is whole, even if the second one was captured late")
    void requestOfWhichPartWasCapturedLate() {
        byte[] request =
                StartFrame.request().privateData(Octets.pattern(100, 3)).bytes();
        Packets packets = Packets.open()
                .sendCut(true, request, 60)
                .send(false, StartFrame.reply().bytes());
        Collections.swap(packets.frames(), 4, 5);

        List<Item> items = packets.decode();

        assertThat(Packets.violations(items)).isEmpty();
        assertThat(items).filteredOn(Item.Start.class::isInstance).hasSize(2);
    }
}
