package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.TerminateMessage;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The table of errors, row by row")
class ErrorTableTest {
    private static final int NO_STAG = 0x00bad000;

    /** MPA's codes of start-up, which the transport finds and sends before the stream exists. */
    private static final Set<TerminateCode> START_UP = EnumSet.of(
            TerminateCode.MPA_INVALID_START_FRAME,
            TerminateCode.MPA_LOCAL_CATASTROPHIC,
            TerminateCode.MPA_INSUFFICIENT_IRD,
            TerminateCode.MPA_NO_MATCHING_RTR);

    /** Codes of datagrams only, which have no stream to end. */
    private static final Set<TerminateCode> DATAGRAMS =
            EnumSet.of(TerminateCode.DATAGRAM_TOO_LONG, TerminateCode.DATAGRAM_BUSY);

    /** A station with three regions: one with all access rights, one with local access only, one of another domain. */
    private static final class Device {
        final Station station = new Station();
        final TaggedBuffer open = station.region(0x1000, 0x4000, Station.ALL);
        final TaggedBuffer closed = station.region(0x1000, 0x4000, Access.LOCAL_WRITE);
        final TaggedBuffer foreign =
                station.table.register(Station.DOMAIN + 1, Station.memory(0x1000), 0x4000, Station.ALL);

        Device() {
            station.establish(true, 2, 2, ReadyToReceive.NONE);
            station.postReceive(1, open, 0, 64);
        }

        void read(int sTag, long to, int size) {
            station.take(Ulpdus.readRequest(1, 1, 0, size, sTag, to));
        }

        void write(int sTag, long to, int size) {
            station.take(Ulpdus.write(sTag, to, Ulpdus.octets(size)));
        }
    }

    private static final Map<TerminateCode, Consumer<Device>> PROVOCATIONS = provocations();

    private static Map<TerminateCode, Consumer<Device>> provocations() {
        Map<TerminateCode, Consumer<Device>> table = new EnumMap<>(TerminateCode.class);
        table.put(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, d -> {
            d.station.write(1, d.closed, 0, 10, 1, 0);
            d.station.table.deregister(d.closed);
        });
        table.put(TerminateCode.RDMAP_INVALID_STAG, d -> d.read(NO_STAG, 0x4000, 1));
        table.put(TerminateCode.RDMAP_BASE_BOUNDS, d -> d.read(d.open.stag(), 0x4fff, 2));
        table.put(TerminateCode.RDMAP_ACCESS_RIGHTS, d -> d.read(d.closed.stag(), 0x4000, 1));
        table.put(TerminateCode.RDMAP_STAG_NOT_ASSOCIATED, d -> d.read(d.foreign.stag(), 0x4000, 1));
        table.put(TerminateCode.RDMAP_TO_WRAP, d -> d.read(d.open.stag(), -1, 1));
        table.put(TerminateCode.RDMAP_CANNOT_INVALIDATE, d -> d.station.take(Ulpdus.sendWithInvalidate(1, NO_STAG)));
        table.put(TerminateCode.RDMAP_PROTECTION_UNSPECIFIED, d -> locally(d, "RDMAP_PROTECTION_UNSPECIFIED"));
        table.put(TerminateCode.RDMAP_INVALID_VERSION, d -> d.station.take(Ulpdus.with(Ulpdus.send(1), 1, 0xC3)));
        table.put(TerminateCode.RDMAP_UNEXPECTED_OPCODE, d -> d.station.take(Ulpdus.with(Ulpdus.send(1), 1, 0x4F)));
        table.put(
                TerminateCode.RDMAP_CATASTROPHIC_STREAM,
                d -> d.station.take(Ulpdus.fetchAdd(1, 1, d.open.stag(), 0x4001, 1)));
        table.put(TerminateCode.RDMAP_CATASTROPHIC_GLOBAL, d -> locally(d, "RDMAP_CATASTROPHIC_GLOBAL"));
        table.put(
                TerminateCode.RDMAP_CANNOT_INVALIDATE_OPERATION, d -> locally(d, "RDMAP_CANNOT_INVALIDATE_OPERATION"));
        table.put(TerminateCode.RDMAP_OPERATION_UNSPECIFIED, d -> d.station.take(Ulpdus.immediate(1, (byte) 1)));
        table.put(TerminateCode.DDP_LOCAL_CATASTROPHIC, d -> {
            d.station.table.deregister(d.open);
            d.station.take(Ulpdus.send(1, (byte) 1));
        });
        table.put(TerminateCode.DDP_INVALID_STAG, d -> d.write(NO_STAG, 0x4000, 1));
        table.put(TerminateCode.DDP_BASE_BOUNDS, d -> d.write(d.open.stag(), 0x3fff, 2));
        table.put(TerminateCode.DDP_STAG_NOT_ASSOCIATED, d -> d.write(d.foreign.stag(), 0x4000, 1));
        table.put(TerminateCode.DDP_TO_WRAP, d -> d.write(d.open.stag(), -1, 2));
        table.put(TerminateCode.DDP_TAGGED_VERSION, d -> d.station.take(Ulpdus.with(Ulpdus.write(1, 0), 0, 0xC2)));
        table.put(
                TerminateCode.DDP_INVALID_QN, d -> d.station.take(Ulpdus.untagged(RdmapOpcode.SEND, true, 0, 4, 1, 0)));
        table.put(TerminateCode.DDP_NO_BUFFER, d -> {
            d.station.take(Ulpdus.send(1));
            d.station.take(Ulpdus.send(2));
        });
        table.put(TerminateCode.DDP_MSN_RANGE, d -> d.station.take(Ulpdus.send(2)));
        table.put(
                TerminateCode.DDP_INVALID_MO, d -> d.station.take(Ulpdus.untagged(RdmapOpcode.SEND, true, 0, 0, 1, 1)));
        table.put(TerminateCode.DDP_MESSAGE_TOO_LONG, d -> d.station.take(Ulpdus.send(1, Ulpdus.octets(65))));
        table.put(TerminateCode.DDP_UNTAGGED_VERSION, d -> d.station.take(Ulpdus.with(Ulpdus.send(1), 0, 0x40)));
        table.put(TerminateCode.MPA_CONNECTION_LOST, d -> d.station.stream.onClosed(LlpEnd.RESET, 0));
        table.put(TerminateCode.MPA_CRC, d -> d.station.stream.onLlpError(TerminateCode.MPA_CRC, true, 0));
        table.put(TerminateCode.MPA_MARKER, d -> d.station.stream.onLlpError(TerminateCode.MPA_MARKER, true, 0));
        return table;
    }

    /**
     * Rows that only the device itself can raise, or that this stack reports with another code; peers may send them.
     */
    private static void locally(Device device, String code) {
        device.station.stream.terminate(TerminateCode.valueOf(code), 0);
    }

    static Set<TerminateCode> rows() {
        return PROVOCATIONS.keySet();
    }

    @Test
    @DisplayName("every row is tested, except those of start-up and of datagrams")
    void complete() {
        Set<TerminateCode> elsewhere = EnumSet.copyOf(START_UP);
        elsewhere.addAll(DATAGRAMS);
        assertThat(EnumSet.complementOf(EnumSet.copyOf(elsewhere))).isEqualTo(rows());
    }

    @Tag("DDP-7.1-12")
    @Tag("RDMAP-5.4-1")
    @Tag("RDMAP-5.4-3")
    @Tag("RDMAP-5.4-5")
    @Tag("RDMAP-6.2.1-1")
    @Tag("RDMAP-7.1-1")
    @Tag("RDMAP-7.1-3")
    @ParameterizedTest
    @MethodSource("rows")
    @DisplayName("is found, sent to the peer in one Terminate, and decoded there")
    void provoked(TerminateCode code) {
        Device device = new Device();
        Station station = device.station;
        PROVOCATIONS.get(code).accept(device);

        List<byte[]> wire = station.lower.sent(station.stream);
        assertThat(station.failure).isEqualTo(code);
        assertThat(station.failureFoundHere).isTrue();
        assertThat(station.failures).isEqualTo(1);
        assertThat(station.counters.found(code)).isEqualTo(1);
        assertThat(station.counters.get(RdmapCounter.ERRORS_FOUND)).isEqualTo(1);
        if (code == TerminateCode.MPA_CONNECTION_LOST) {
            assertThat(wire).isEmpty();
            return;
        }
        assertThat(wire).hasSize(1);
        assertThat(station.failureMessage.code()).isEqualTo(code);
        assertThat(station.stream.state()).isEqualTo(StreamState.TERMINATE);
        assertThat(station.lower.closeRequested).isTrue();

        Station peer = new Station().establish();
        peer.take(wire.get(0));
        assertThat(peer.failure).isEqualTo(code);
        assertThat(peer.failureFoundHere).isFalse();
        assertThat(peer.failureMessage.toString()).startsWith(code.toString());
        assertThat(peer.counters.told(code)).isEqualTo(1);
        assertThat(peer.stream.state()).isEqualTo(StreamState.TERMINATE);
        assertThat(peer.lower.sent(peer.stream)).isEmpty();
        assertThat(peer.lower.closeRequested).isTrue();
    }

    @Tag("RDMAP-4.8-3")
    @ParameterizedTest
    @MethodSource("rows")
    @DisplayName("quotes the headers of figure 10 in RFC 5040")
    void quotes(TerminateCode code) {
        Device device = new Device();
        PROVOCATIONS.get(code).accept(device);
        device.station.lower.sent(device.station.stream);
        TerminateMessage message = device.station.failureMessage;
        if (message == null) {
            return;
        }
        boolean ofAMessage = code.layer() < 2
                && code.errorType() != 0
                && !EnumSet.of(
                                TerminateCode.RDMAP_PROTECTION_UNSPECIFIED,
                                TerminateCode.RDMAP_CATASTROPHIC_GLOBAL,
                                TerminateCode.RDMAP_CANNOT_INVALIDATE_OPERATION)
                        .contains(code);
        boolean ofARead = code.layer() == 0
                && code.errorType() == 1
                && ofAMessage
                && code != TerminateCode.RDMAP_CANNOT_INVALIDATE;
        assertThat(message.ddpHeader().hasRemaining()).isEqualTo(ofAMessage);
        assertThat(message.segmentLength() >= 0).isEqualTo(ofAMessage);
        assertThat(message.readRequest().hasRemaining()).isEqualTo(ofARead);
    }
}
