package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bytes of a Terminate with one meaning in the order of the RFC and another in siw's: the phase of the connection
 * decides.
 */
class TerminateFieldsTest {
    @ParameterizedTest(name = "{0}, {1}: {2}")
    @CsvSource({
        // By the RFC MPA 06, insufficient IRD; as siw writes it RDMA 06, unexpected opcode.
        "20060000, setup, 2006, false",
        "20060000, later, 0206, true",
        "02060000, setup, 2006, true",
        "02060000, later, 0206, false",
        // Only one of these meanings exists.
        "02020000, later, 2002, true",
        "20020000, later, 2002, false",
        "1200C000, later, 1200, false",
        "21020300, later, 1202, true"
    })
    @DisplayName("the phase decides")
    void phaseDecides(String octets, String when, String cause, boolean swapped) {
        Depths depths = Depths.clientServer(1, 1);
        Talked talked = new Talked(
                StartFrame.request().enhanced(depths), StartFrame.reply().enhanced(depths));
        if (when.equals("later")) {
            talked.i(Segment.send(1)).r(Segment.send(1));
        }
        Segment terminate = Segment.terminate(0, 0, 0, 0).payload(Octets.hex(octets));

        List<Item> items = talked.opened()
                .sendEach(true, talked.fpdus(true))
                .sendEach(false, talked.fpdus(false))
                .send(true, talked.fromInitiator.frame(terminate.bytes()))
                .decode();

        assertThat(Packets.terminates(items)).singleElement().satisfies(fields -> {
            assertThat("%04X".formatted(fields.cause())).isEqualTo(cause);
            assertThat(fields.swapped()).isEqualTo(swapped);
        });
    }
}
