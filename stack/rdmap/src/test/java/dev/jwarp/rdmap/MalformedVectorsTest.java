package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Every malformed vector gets exactly the Terminate it names, and changes nothing")
class MalformedVectorsTest {
    private static final byte[] GOOD_WRITE = Vectors.hex("c14000001100000000000000400041424344");

    static List<Vector> malformed() {
        List<Vector> all = Vectors.ofKind("malformed-fpdu");
        assertThat(all).hasSize(53);
        return all;
    }

    /** The receiver that the vectors describe in their {@code state}. */
    private static final class Receiver {
        final Station station;
        final List<TaggedBuffer> regions = new ArrayList<>();
        final TaggedBuffer receives;

        Receiver(boolean extensions, boolean shared) {
            station = new Station(new StreamSettings(extensions, 4, 1_000_000), 8, 1);
            station.domainShared = shared;
            int all = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
            region(0x1100, Station.DOMAIN, all);
            region(0x2200, Station.DOMAIN, Access.LOCAL_WRITE | Access.REMOTE_READ);
            region(0x3300, Station.DOMAIN, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
            region(0x4400, Station.DOMAIN + 1, all);
            region(0x5500, Station.DOMAIN, all);
            receives = station.region(128);
            station.establish(false, 2, 2, ReadyToReceive.NONE);
            station.postReceive(1, receives, 0, 64);
            station.postReceive(2, receives, 64, 64);
        }

        private TaggedBuffer region(int sTag, long domain, int access) {
            TaggedBuffer region = station.table.registerAs(sTag, domain, Station.memory(0x1000), 0x4000, access);
            regions.add(region);
            return region;
        }

        void assertUntouched() {
            for (TaggedBuffer region : regions) {
                assertThat(Station.octets(region)).as(region.toString()).containsOnly(0);
                assertThat(region.valid()).as(region.toString()).isTrue();
            }
        }
    }

    @Tag("DDP-6.2.2-2")
    @Tag("DDP-7.1-10")
    @Tag("DDP-7.1-11")
    @Tag("DDP-7.1-12")
    @Tag("RDMAP-4.8-1")
    @Tag("RDMAP-4.8-2")
    @Tag("RDMAP-6.2.1-1")
    @Tag("RDMAP-7-1")
    @ParameterizedTest
    @MethodSource("malformed")
    @DisplayName("one Terminate, then the end of our direction; all work is flushed; later segments are dropped")
    void terminates(Vector vector) {
        Receiver receiver = new Receiver(
                !vector.text("state").contains("RFC 7306 not supported"),
                vector.text("state").contains("shared with a second stream"));
        Station station = receiver.station;
        boolean lowerLayer = vector.expect().path("layer").asInt() == 2;
        if (lowerLayer) {
            // MPA checks CRC and Markers, and reports the code.
            station.stream.onLlpError(code(vector), true, 0);
        } else {
            for (JsonNode setup : vector.json().path("setup_fpdus")) {
                station.take(ulpdu(Vectors.hex(setup.asText())));
            }
            zero(receiver.receives);
            station.take(Vectors.hex(vector.text("ulpdu")));
        }
        station.take(GOOD_WRITE);

        assertThat(vector.expect().path("action").asText()).isEqualTo("terminate");
        assertThat(hex(station.lower.sent(station.stream)))
                .containsExactly(vector.expect().path("terminate_ulpdu").asText());
        assertThat(station.lower.closeRequested).isTrue();
        assertThat(station.lower.aborted).isFalse();
        assertThat(station.stream.state()).isEqualTo(StreamState.TERMINATE);
        assertThat(station.failures).isEqualTo(1);
        assertThat(station.failureFoundHere).isTrue();
        assertThat(station.failure).isEqualTo(code(vector));
        assertThat(station.counters.found(code(vector))).isEqualTo(1);
        assertThat(station.counters.get(RdmapCounter.TERMINATES_SENT)).isEqualTo(1);
        assertThat(station.counters.get(RdmapCounter.ULPDUS_DISCARDED)).isEqualTo(1);
        receiver.assertUntouched();
        // Checks on delivery follow placement: the receive holds the data, but its completion does not report it.
        boolean judgedAtDelivery =
                vector.id().startsWith("BAD-INV-") || vector.id().startsWith("BAD-IMM-");
        assertThat(Station.octets(receiver.receives, judgedAtDelivery ? 12 : 0, judgedAtDelivery ? 116 : 128))
                .containsOnly(0);
        assertThat(station.receives()).hasSize(2);
        assertThat(station.receivesOut()).isZero();

        station.stream.onClosed(LlpEnd.GRACEFUL, 0);
        assertThat(station.stream.state()).isEqualTo(StreamState.ERROR);
        assertThat(station.end).isEqualTo(LlpEnd.GRACEFUL);
        assertThat(station.failures).isEqualTo(1);
    }

    @Test
    @DisplayName("BAD-TRUNC-FIN: a FIN within a frame is a lost connection: no Terminate, all work is flushed")
    void truncated() {
        Station station = new Receiver(true, false).station;
        station.stream.onClosed(LlpEnd.TRUNCATED, 0);

        assertThat(Vectors.byId("BAD-TRUNC-FIN").expect().path("action").asText())
                .isEqualTo("close");
        assertThat(station.lower.sent(station.stream)).isEmpty();
        assertThat(station.failure).isEqualTo(TerminateCode.MPA_CONNECTION_LOST);
        assertThat(station.stream.state()).isEqualTo(StreamState.ERROR);
        assertThat(station.receiveResults()).containsExactly("1 WR_FLUSH_ERR", "2 WR_FLUSH_ERR");
        assertThat(station.counters.get(RdmapCounter.CONNECTIONS_LOST)).isEqualTo(1);
    }

    @Tag("RDMAP-5.4-3")
    @Tag("RDMAP-5.4-5")
    @Tag("RDMAP-6.2.1-2")
    @Test
    @DisplayName("BAD-AFTER-TERM: a Terminate is reported and not answered; later segments are dropped")
    void afterTerminate() {
        Station station = new Receiver(true, false).station;
        byte[] stream = Vectors.byId("BAD-AFTER-TERM").octets();
        byte[] terminate = ulpdu(stream);
        byte[] send = ulpdu(HexFormat.of().parseHex(HexFormat.of().formatHex(stream, 28, stream.length)));
        station.take(terminate);
        station.take(send);

        assertThat(station.lower.sent(station.stream)).isEmpty();
        assertThat(station.lower.closeRequested).isTrue();
        assertThat(station.failureFoundHere).isFalse();
        assertThat(station.failure).isEqualTo(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(station.stream.state()).isEqualTo(StreamState.TERMINATE);
        assertThat(station.receives()).allMatch(c -> c.status() == OperationStatus.WR_FLUSH_ERR);
        assertThat(station.counters.get(RdmapCounter.ULPDUS_DISCARDED)).isEqualTo(1);
        assertThat(station.counters.get(RdmapCounter.TERMINATES_RECEIVED)).isEqualTo(1);
    }

    @Tag("RDMAP-5.4-6")
    @Test
    @DisplayName("BAD-TERM-QN0: a malformed Terminate closes the stream without an answer")
    void terminateOnAnotherQueue() {
        Station station = new Receiver(true, false).station;
        station.take(ulpdu(Vectors.byId("BAD-TERM-QN0").octets()));

        assertThat(station.lower.sent(station.stream)).isEmpty();
        assertThat(station.lower.closeRequested).isTrue();
        assertThat(station.failure).isNull();
        assertThat(station.failures).isEqualTo(1);
        assertThat(station.failureMessage).isNull();
        assertThat(station.stream.state()).isEqualTo(StreamState.TERMINATE);
        assertThat(station.counters.get(RdmapCounter.BROKEN_TERMINATES_RECEIVED))
                .isEqualTo(1);
        assertThat(station.counters.get(RdmapCounter.TERMINATES_RECEIVED)).isZero();
    }

    private static TerminateCode code(Vector vector) {
        JsonNode expect = vector.expect();
        return TerminateCode.of(
                expect.path("layer").asInt(),
                expect.path("type").asInt(),
                expect.path("code").asInt());
    }

    private static void zero(TaggedBuffer region) {
        region.memoryAt(0).put(0, new byte[region.memoryAt(0).capacity()]);
    }

    /** The ULPDU of the first FPDU in a byte array without Markers. */
    private static byte[] ulpdu(byte[] fpdu) {
        byte[] ulpdu = new byte[ByteBuffer.wrap(fpdu).getShort(0) & 0xffff];
        System.arraycopy(fpdu, 2, ulpdu, 0, ulpdu.length);
        return ulpdu;
    }

    private static List<String> hex(List<byte[]> ulpdus) {
        return ulpdus.stream().map(HexFormat.of()::formatHex).toList();
    }
}
