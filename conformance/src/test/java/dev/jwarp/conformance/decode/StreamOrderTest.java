package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.capture.PacketReader;
import dev.jwarp.conformance.wire.Octets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments of one direction, put in order. */
class StreamOrderTest implements StreamOrder.Sink {
    private static final int FIRST = -20;

    private final StreamOrder order = new StreamOrder(this, new Budget(1L << 40));
    private final Octets octets = new Octets();
    private final List<String> events = new ArrayList<>();
    private final byte[] stream = Octets.pattern(100, 3);

    private static Tcp segment(int sequence, int flags, byte[] payload, int cut) {
        byte[] packet = Packets.tcp(true, sequence, 0, flags, payload);
        Frame frame = new Frame(1, 0, Packets.RAW, Arrays.copyOf(packet, packet.length - cut), packet.length);
        return (Tcp) new PacketReader().read(frame);
    }

    private static Tcp ack(int acknowledged) {
        return (Tcp)
                new PacketReader().read(Packets.frame(1, Packets.tcp(false, 1, acknowledged, Tcp.ACK, new byte[0])));
    }

    private void part(int from, int to) {
        order.add(segment(FIRST + from, Tcp.ACK, Arrays.copyOfRange(stream, from, to), 0));
    }

    /** So many segments of ten bytes each, one after the other. */
    private void tens(int sequence, int count) {
        for (int i = 0; i < count; i++) {
            order.add(segment(sequence + 10 * i, Tcp.ACK, Arrays.copyOf(stream, 10), 0));
        }
    }

    @Override
    public void octets(Tcp segment, int skip, int length) {
        octets.add(Arrays.copyOfRange(segment.data(), segment.at() + skip, segment.at() + skip + length));
    }

    @Override
    public void gap(long length, boolean snapLength) {
        events.add((snapLength ? "cut " : "gap ") + length + " at " + octets.size());
    }

    @Override
    public void leftOut(Tcp segment) {
        events.add("left out " + segment.length());
    }

    @Override
    public void end(boolean fin) {
        events.add(fin ? "fin" : "end");
    }

    @Test
    @DisplayName("early segments wait, copies and overlaps count once, and numbers wrap")
    void earlyOnesWaitCopiesAndOverlaps() {
        order.add(segment(FIRST - 1, Tcp.SYN, new byte[0], 0));
        part(50, 100);
        part(10, 30);
        part(0, 12);
        part(0, 12);
        part(20, 60);
        order.add(segment(FIRST + 100, Tcp.FIN | Tcp.ACK, new byte[0], 0));

        assertThat(octets.bytes()).isEqualTo(stream);
        assertThat(events).containsExactly("fin");
        assertThat(order.fromSyn()).isTrue();
    }

    @Test
    @DisplayName("a gap is reported when no more bytes come")
    void holeIsToldWhenNothingMoreComes() {
        part(0, 10);
        part(30, 40);
        assertThat(events).isEmpty();

        order.flush();

        assertThat(events).containsExactly("gap 20 at 10", "end");
        assertThat(octets.size()).isEqualTo(20);
    }

    @Test
    @DisplayName("a gap that the receiver has acknowledged is reported after some more segments")
    void holeThatReceiverHasNot() {
        part(0, 10);
        part(30, 40);
        for (int i = 0; i < 64; i++) {
            order.acknowledged(ack(FIRST + 10));
        }
        assertThat(events).isEmpty();
        for (int i = 0; i <= 64; i++) {
            order.acknowledged(ack(FIRST + 40));
        }
        assertThat(events).containsExactly("gap 20 at 10");
    }

    @Test
    @DisplayName("a gap is reported when too many bytes are held after it")
    void holeIsToldWhenTooMuchIsHeldBehindIt() {
        part(0, 10);
        byte[] block = new byte[60_000];
        int sent = 0;
        while (events.isEmpty()) {
            order.add(segment(FIRST + 20 + sent, Tcp.ACK, block, 0));
            sent += block.length;
        }
        assertThat(events).containsExactly("gap 10 at 10");
        assertThat(sent).isBetween(StreamOrder.MOST_HELD - 2 * block.length, StreamOrder.MOST_HELD + 2 * block.length);
        assertThat(octets.size()).isEqualTo(10 + sent);
    }

    @ParameterizedTest
    @ValueSource(longs = {(1L << 30) + 1, 1_500_000_000L, 1L << 31, 3_000_000_000L, (1L << 32) - (1L << 27)})
    @DisplayName(
            "a hole is told however long it is, once four segments follow each other behind it or nothing more comes")
    void longHole(long hole) {
        part(0, 10);
        tens((int) (FIRST + 10 + hole), 3);
        assertThat(events).isEmpty();
        order.flush();
        assertThat(events).containsExactly("gap " + hole + " at 10", "end");
        assertThat(octets.size()).isEqualTo(40);
    }

    @Test
    @DisplayName("distant segments that do not follow each other are ignored")
    void strays() {
        for (int i = 0; i < 10; i++) {
            part(10 * i, 10 * i + 10);
            tens((FIRST ^ 1 << 31) + 10 * i, 1);
        }
        assertThat(events).isEmpty();
        assertThat(octets.bytes()).isEqualTo(stream);
    }

    @Test
    @DisplayName("the stream continues after a long gap")
    void goesOnBehindLongHole() {
        part(0, 10);
        int there = FIRST + 10 + 1_500_000_000;
        tens(there, 9);
        order.add(segment(there + 90, Tcp.ACK | Tcp.FIN, new byte[0], 0));
        assertThat(events).containsExactly("gap 1500000000 at 10", "fin");
        assertThat(octets.size()).isEqualTo(100);
    }

    @Test
    @DisplayName("held segments are counted by their payload, not by their frames")
    void whatIsHeldIsCounted() {
        Budget budget = new Budget(10_000);
        StreamOrder stream = new StreamOrder(this, budget);
        stream.add(segment(FIRST, Tcp.ACK, new byte[1], 0));
        stream.add(segment(FIRST + 2, Tcp.ACK, new byte[1000], 0));

        assertThat(budget.held()).isBetween(1000L, 2000L);
        assertThat(segment(FIRST + 2, Tcp.ACK, new byte[1000], 0).alone().data())
                .hasSize(1000);

        stream.hurry();

        assertThat(events).containsExactly("gap 1 at 1");
        assertThat(budget.held()).isZero();
    }

    @Test
    @DisplayName("bytes cut by a snapshot length are reported at once")
    void whatSnapshotLengthCutIsToldAtOnce() {
        order.add(segment(FIRST, Tcp.ACK, Arrays.copyOf(stream, 50), 20));
        part(50, 100);

        assertThat(events).containsExactly("cut 20 at 30");
        assertThat(octets.size()).isEqualTo(80);
    }

    @Test
    @DisplayName("a segment of another connection is not accepted, and reported at the end")
    void segmentsOfAnotherConnectionAreNotTaken() {
        part(0, 10);
        order.add(segment(FIRST + (1 << 30) + 500, Tcp.ACK, new byte[10], 0));
        order.flush();

        assertThat(octets.size()).isEqualTo(10);
        assertThat(events).containsExactly("left out 10", "end");
    }

    @Test
    @DisplayName("repeated bytes are skipped, from anywhere in a window of 1 GiB, and the stream goes on")
    void sentAgain() {
        part(0, 1);
        int sent = 1;
        for (; sent <= 100 << 20; sent += 60_000) { // without bytes: they were cut off
            order.add(cut(sent, 60_000));
        }
        events.clear();
        for (int i = 0; i < 5; i++) {
            order.add(cut(1 + 60_000 * i, 60_000));
        }
        order.add(segment(FIRST + sent, Tcp.ACK, new byte[5], 0));
        order.flush();
        assertThat(events).containsExactly("end");
        assertThat(octets.size()).isEqualTo(6);
    }

    private static Tcp cut(int from, int length) {
        return segment(FIRST + from, Tcp.ACK, new byte[length], length);
    }
}
