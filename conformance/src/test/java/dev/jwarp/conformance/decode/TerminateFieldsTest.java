package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.List;
import java.util.Objects;
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
        StartFrame request = StartFrame.request().enhanced(new Depths(false, 0, 1, 1));
        StartFrame reply = StartFrame.reply().enhanced(new Depths(false, 0, 1, 1));
        Talked talked = new Talked(request, reply);
        Packets packets = Packets.open().send(true, request.bytes()).send(false, reply.bytes());
        if (when.equals("later")) {
            packets.send(true, talked.fromInitiator.frame(Segment.send(1).bytes()));
            packets.send(false, talked.fromResponder.frame(Segment.send(1).bytes()));
        }
        byte[] control = Octets.hex(octets);
        Segment terminate = Segment.terminate(0, 0, 0, 0).payload(control);

        List<Item> items = packets.send(true, talked.fromInitiator.frame(terminate.bytes()))
                .decode();

        Item.Framed last = Packets.fpdus(items).get(Packets.fpdus(items).size() - 1);
        assertThat("%04X".formatted(Objects.requireNonNull(last.terminated()).cause()))
                .isEqualTo(cause);
        assertThat(last.terminated().swapped()).isEqualTo(swapped);
    }
}
