package dev.jwarp.tools.perf.perftest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.perf.perftest.Ends.Found;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What perftest's own programs said on their control connection. */
class RecordedTest {
    private final List<byte[]> client = said("client");
    private final List<byte[]> server = said("server");

    static List<byte[]> said(String who) {
        try (InputStream file = RecordedTest.class.getResourceAsStream("ib_write_bw.txt")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(who + " "))
                    .map(line -> HexFormat.of().parseHex(line.substring(who.length() + 1)))
                    .toList();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("every message of the original can be read")
    void everyMessageOfOriginalCanBeRead() {
        for (List<byte[]> side : List.of(client, server)) {
            assertThat(VersionText.fault(message(side, 0), 16)).isNull();
            assertThat(VersionText.read(message(side, 0))).isEqualTo("6.06").isEqualTo(VersionText.OURS);
            assertThat(Session.SizeMessage.read(message(side, 1))).isEqualTo(4096);
            assertThat(Session.SizeMessage.read(message(side, 2))).isEqualTo(64);
            assertThat(Session.MtuText.fault(message(side, 3), 2)).isNull();
            assertThat(Session.MtuText.read(message(side, 3))).isEqualTo(3);
            assertThat(Destination.read(message(side, 4))).isEqualTo(Destination.NOTHING);
            assertThat(Destination.read(message(side, 5))).isEqualTo(Destination.NOTHING);
            assertThat(Destination.fault(message(side, 15), 56)).isNull();
        }
    }

    @Test
    @DisplayName("the original describes its memory")
    void originalDescribesItsMemory() {
        Destination there = Destination.read(message(client, 6));

        assertThat(there.stag()).isEqualTo(0xf9d06700);
        assertThat(there.address()).isEqualTo(0x564c86ee7000L);
        assertThat(there.queuePair()).isEqualTo(2);
        assertThat(there.outstandingReads()).isEqualTo(1);
        for (int again = 7; again <= 9; again++) {
            assertThat(Destination.read(message(client, again))).isEqualTo(there);
        }
        assertThat(Destination.read(message(client, 15))).isEqualTo(there);
    }

    @Test
    @DisplayName("the original reports what it printed")
    void originalReportsWhatItPrinted() {
        BandwidthReport report = BandwidthReport.NOTHING;
        for (int part = 0; part < BandwidthReport.PARTS; part++) {
            report = report.read(message(client, 10 + part), part);
        }

        assertThat(report.size()).isEqualTo(64);
        assertThat(report.messages()).isEqualTo(5);
        assertThat(String.format(
                        java.util.Locale.ROOT, "%.2f %.2f %.6f", report.peak(), report.average(), report.rate()))
                .isEqualTo("0.41 0.24 0.003889");
    }

    @Test
    @DisplayName("what we write is what the original wrote")
    void whatWeWriteIsWhatOriginalWrote() {
        ByteBuffer ours = ByteBuffer.allocate(Destination.LENGTH);
        VersionText.write(ours, VersionText.OURS);
        assertThat(ours.slice(0, 16)).isEqualTo(message(client, 0));
        Session.SizeMessage.write(ours, 4096);
        assertThat(ours.slice(0, 4)).isEqualTo(message(client, 1));
        Session.SizeMessage.write(ours, 64);
        assertThat(ours.slice(0, 4)).isEqualTo(message(client, 2));
        Session.MtuText.write(ours, 3);
        assertThat(ours.slice(0, 2)).isEqualTo(message(client, 3));
        Destination.NOTHING.write(ours);
        assertThat(ours).isEqualTo(message(client, 4));
    }

    @Test
    @DisplayName("a server takes the original clients words")
    void serverTakesOriginalClientsWords() throws Exception {
        CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
        CompletableFuture<Found> serving =
                Ends.server(Ends.settings(PerftestProgram.WRITE_BW, 5, 64), Map.of(), address);
        Script.client(Ends.soon(address), client);
        Found server = Ends.soon(serving);

        assertThat(server.failure()).isNull();
        assertThat(server.lines).containsExactly("reported: 5 of 64");
    }

    private static ByteBuffer message(List<byte[]> side, int number) {
        return ByteBuffer.wrap(side.get(number));
    }
}
