package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Misframer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Captures of a stack with one coarse fault, taken in all circumstances: the decoder reports this fault, and no
 * requirement that the stack does not break.
 */
class StrangersTest {
    /** Some faults, and those that have once caused wrong reports. */
    private static final int[] SEEDS = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 26, 28, 44, 46, 88, 108, 111, 155};

    /** A conversation whose initiator has one fault. */
    record Stranger(String name, Set<String> broken, boolean once, Talked talked) {}

    /** How the capture was taken, and whether it shows the whole fault. */
    record Circumstance(String name, boolean whole, UnaryOperator<List<Frame>> change, int cut) {}

    record Capture(Stranger stranger, Circumstance circumstance) {
        @Override
        public String toString() {
            return stranger.name + ", " + circumstance.name;
        }

        List<Frame> frames() {
            return circumstance.change.apply(packets(stranger, circumstance.cut).frames());
        }
    }

    private static List<Segment> messages(boolean initiator) {
        List<Segment> segments = new ArrayList<>();
        if (initiator) {
            segments.add(Segment.send(1, Octets.pattern(17, 1)));
            segments.add(Segment.readRequest(1, 0xAA00, 0x1000, 1001, 0xBB00, 0x2000));
            for (int at = 0; at < 4 * 1251; at += 1251) {
                segments.add(Segment.write(0xCC00, 0x3000 + at, Octets.pattern(1251, at))
                        .last(at == 3 * 1251));
            }
            segments.add(Segment.send(2, Octets.pattern(701, 2)).last(false));
            segments.add(Segment.send(2, Octets.pattern(701, 3)).mo(701).last(false));
            segments.add(Segment.send(2, Octets.pattern(33, 3)).mo(1402));
            for (int msn = 3; msn < 60; msn++) {
                segments.add(Segment.send(msn, Octets.pattern(msn * 7 % 61, msn)));
            }
        } else {
            segments.add(
                    Segment.readResponse(0xAA00, 0x1000, Octets.pattern(501, 1)).last(false));
            segments.add(Segment.readResponse(0xAA00, 0x1000 + 501, Octets.pattern(500, 2)));
            for (int msn = 1; msn < 10; msn++) {
                segments.add(Segment.send(msn, Octets.pattern(msn * 5 % 31, msn)));
            }
        }
        return segments;
    }

    private static Stranger framing(FramingFault fault, boolean markers, boolean crc) {
        Talked talked = Talked.of(markers, crc, Octets.pattern(8, 1));
        Misframer wrong = new Misframer(fault, markers, crc, talked.request.bytes().length);
        messages(true).forEach(segment -> talked.initiator.add(wrong.frame(segment.bytes())));
        messages(false).forEach(talked::r);
        Set<String> broken = fault == FramingFault.NONE
                ? Set.of()
                : new TreeSet<>(List.of(fault.requirement(crc), fault.requirement(!crc)));
        String name = fault + (markers ? ", Markers" : "") + (crc ? ", CRC" : "");
        return new Stranger(name, broken, true, talked);
    }

    static Stream<Stranger> strangers() {
        List<Stranger> all = new ArrayList<>();
        for (FramingFault fault : FramingFault.values()) {
            for (int kind = 0; kind < 4; kind++) {
                boolean markers = (kind & 1) != 0;
                boolean crc = (kind & 2) != 0;
                if (Misframer.shows(fault, markers, crc)) {
                    all.add(framing(fault, markers, crc));
                }
            }
        }
        for (int revision : new int[] {0, 3}) {
            StartFrame request = StartFrame.request().revision(revision);
            all.add(other("revision " + revision, request, s -> s, "MPA-7.1.1-11"));
        }
        all.add(other("a long Read Request", StrangersTest::longer, "RDMAP-4.4-1"));
        String turned = " in the other order of bytes";
        all.add(other("an MSN" + turned, s -> s.tagged() ? s : s.msn(turned(s.msn())), MSNS));
        all.add(other("a QN" + turned, s -> s.queue(turned(s.queue())), "RDMAP-5.2.1-1"));
        all.add(other("an MO" + turned, s -> s.mo(turned(s.mo())), "DDP-5.2-1"));
        all.add(other("a TO" + turned, s -> s.to(Long.reverseBytes(s.to())), "DDP-5.2-2"));
        int[] shared = new int[1];
        all.add(other("one MSN for all queues", s -> oneMsn(s, shared), MSNS));
        return all.stream();
    }

    private static final String[] MSNS = {"DDP-4.3-1", "DDP-4.3-2"};

    private static Stranger other(String name, UnaryOperator<Segment> fault, String... broken) {
        return other(name, StartFrame.request(), fault, broken);
    }

    /** A stack with right framing, and a fault elsewhere. */
    private static Stranger other(String name, StartFrame request, UnaryOperator<Segment> fault, String... broken) {
        Talked talked = new Talked(request, StartFrame.reply());
        messages(true).forEach(segment -> talked.i(fault.apply(segment)));
        messages(false).forEach(talked::r);
        return new Stranger(name, new TreeSet<>(List.of(broken)), false, talked);
    }

    private static Segment longer(Segment segment) {
        return segment.is(Opcode.READ_REQUEST) ? segment.payload(Arrays.copyOf(segment.payload(), 32)) : segment;
    }

    private static long turned(long value) {
        return Integer.reverseBytes((int) value) & 0xFFFF_FFFFL;
    }

    private static Segment oneMsn(Segment segment, int[] last) {
        if (!segment.tagged()) {
            last[0] += segment.mo() == 0 ? 1 : 0;
            segment.msn(last[0]);
        }
        return segment;
    }

    /** Startup frames for themselves, then what both sides say: an FPDU a segment, or cut every so many bytes. */
    private static Packets packets(Stranger stranger, int cut) {
        Packets packets = stranger.talked.opened();
        for (boolean initiator : new boolean[] {true, false}) {
            List<byte[]> fpdus = stranger.talked.fpdus(initiator);
            if (cut > 0) {
                packets.sendCut(initiator, Packets.join(fpdus), cut);
            } else {
                packets.sendEach(initiator, fpdus);
            }
            packets.finish(initiator);
        }
        return packets;
    }

    private static List<Frame> renumbered(List<Frame> frames) {
        List<Frame> all = new ArrayList<>();
        frames.forEach(frame -> all.add(Packets.frame(all.size() + 1L, frame.octets())));
        return all;
    }

    private static List<Frame> without(List<Frame> frames, int from, int every) {
        return renumbered(IntStream.range(0, frames.size())
                .filter(i -> i < from || (i - from) % every != 0)
                .mapToObj(frames::get)
                .toList());
    }

    private static List<Frame> disordered(List<Frame> frames) {
        List<Frame> all = new ArrayList<>(frames);
        for (int i = 6; i + 1 < all.size(); i += 3) {
            Collections.swap(all, i, i + 1);
        }
        return renumbered(all);
    }

    private static List<Frame> twice(List<Frame> frames) {
        return renumbered(
                frames.stream().flatMap(frame -> Stream.of(frame, frame)).toList());
    }

    private static List<Frame> wrapped(List<Frame> frames, int linkType, byte[] before, boolean six) {
        return frames.stream()
                .map(frame -> {
                    byte[] octets = Packets.join(before, six ? six(frame.octets()) : frame.octets());
                    return new Frame(frame.number(), frame.nanos(), linkType, octets, octets.length);
                })
                .toList();
    }

    /** The same segment in IPv6. */
    private static byte[] six(byte[] four) {
        byte[] header = Octets.hex("60000000 %04X 06 40".formatted(four.length - 20));
        byte[] prefix = Octets.hex("20010db8 0000000000000000");
        byte[] source = Arrays.copyOfRange(four, 12, 16);
        byte[] target = Arrays.copyOfRange(four, 16, 20);
        return Packets.join(header, prefix, source, prefix, target, Arrays.copyOfRange(four, 20, four.length));
    }

    static List<Circumstance> circumstances() {
        byte[] vlan = Octets.hex("02000000000102000000000281000005 0800");
        byte[] cooked = Octets.hex("00000001000602000000000100000800");
        return List.of(
                new Circumstance("a segment each", true, frames -> frames, 0),
                new Circumstance("merged", true, frames -> frames, 20_000),
                new Circumstance("cut", true, frames -> frames, 700),
                new Circumstance("joined", false, frames -> frames.subList(9, frames.size()), 0),
                new Circumstance("joined in an FPDU", false, frames -> frames.subList(6, frames.size()), 700),
                new Circumstance("lost", false, frames -> without(frames, 12, 9), 0),
                new Circumstance("lost and cut", false, frames -> without(frames, 8, 7), 500),
                new Circumstance("reordered", true, StrangersTest::disordered, 0),
                new Circumstance("duplicated", true, StrangersTest::twice, 0),
                new Circumstance("VLAN", true, frames -> wrapped(frames, 1, vlan, false), 0),
                new Circumstance("IPv6", true, frames -> wrapped(frames, Packets.RAW, new byte[0], true), 900),
                new Circumstance("cooked", true, frames -> wrapped(frames, 113, cooked, false), 0));
    }

    static Stream<Capture> captures() {
        return strangers()
                .flatMap(stranger -> circumstances().stream().map(circumstance -> new Capture(stranger, circumstance)));
    }

    @ParameterizedTest
    @MethodSource("captures")
    @DisplayName("only the fault is reported")
    void faultIsNamedAndNothingElse(Capture capture) {
        List<Item> items = Packets.decode(capture.frames(), Packets.SERVER_PORT);

        List<String> found = Packets.violations(items);
        assertThat(new TreeSet<>(found)).as("phantoms").isSubsetOf(capture.stranger.broken);
        if (capture.circumstance.whole) {
            boolean named = !capture.stranger.broken.isEmpty();
            assertThat(found).as("named").hasSizeBetween(named ? 1 : 0, !named ? 0 : capture.stranger.once ? 1 : 99);
        }
        if (!capture.stranger.once) {
            assertThat(Packets.fpdus(items)).allMatch(item -> item.crc() == Crc.OK || item.crc() == Crc.CUT);
            return;
        }
        if (capture.circumstance.whole) {
            assertThat(opcodes(items)).isEqualTo(sent());
        }
        assertThat(sent()).as("no message that was not sent").containsAll(opcodes(items));
    }

    @ParameterizedTest
    @MethodSource("strangers")
    @DisplayName("wherever a capture begins, and whatever it has lost, only broken requirements are reported")
    void nothingElseIsFoundWhateverWasLost(Stranger stranger) {
        for (int seed : SEEDS) {
            List<Frame> frames = damaged(stranger, new Random(seed));

            List<Item> items = Packets.decode(frames, Packets.SERVER_PORT);

            assertThat(new TreeSet<>(Packets.violations(items)))
                    .as("phantoms, seed " + seed)
                    .isSubsetOf(stranger.broken);
            if (stranger.once) {
                assertThat(sent())
                        .as("no message that was not sent, seed " + seed)
                        .containsAll(opcodes(items));
            }
        }
    }

    /** A capture that may begin late and may have lost frames. */
    private static List<Frame> damaged(Stranger stranger, Random random) {
        List<Frame> all = packets(stranger, random.nextInt(3) == 0 ? 0 : 200 + random.nextInt(3000))
                .frames();
        boolean late = random.nextBoolean();
        double loss = random.nextInt(3) == 0 ? 0 : random.nextDouble() * 0.3;
        // The handshake and the startup frames.
        int first = late ? Math.min(all.size() - 2, 5 + random.nextInt(all.size() / 3)) : 0;
        List<Frame> left = new ArrayList<>();
        for (int i = first; i < all.size(); i++) {
            if (random.nextDouble() >= loss || (!late && i < 5)) {
                left.add(all.get(i));
            }
        }
        return renumbered(left);
    }

    private static List<String> opcodes(List<Item> items) {
        return Packets.fpdus(items).stream()
                .filter(item -> item.place().fromInitiator())
                .map(item -> line(item.segment()))
                .toList();
    }

    private static List<String> sent() {
        return messages(true).stream().map(StrangersTest::line).toList();
    }

    private static String line(Segment segment) {
        return TextLines.name(segment) + " " + segment.msn() + " " + segment.mo() + " " + segment.to();
    }
}
