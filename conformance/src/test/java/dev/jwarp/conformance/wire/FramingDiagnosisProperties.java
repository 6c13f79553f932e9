package dev.jwarp.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.wire.FramingDiagnosis.State;
import dev.jwarp.conformance.wire.FramingDiagnosis.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Streams of messages of any lengths: only the rule that their sender breaks is named; none for right streams, nor for
 * one wrong FPDU.
 */
class FramingDiagnosisProperties {
    private static final int SENDS = 30;

    /** Enough for several Markers. */
    private static final int LEAST = 4000;

    /** Bytes that were examined before the result. */
    private int fed;

    /** Messages as a program makes them: some of several segments, some with a header of fixed size. */
    private static List<byte[]> ulpdus(Random random) {
        List<byte[]> ulpdus = new ArrayList<>();
        int longest = 1 + random.nextInt(random.nextBoolean() ? 40 : 3000);
        // With a pad after each segment.
        segments(ulpdus, random, 4 * random.nextInt(longest) + 1 + random.nextInt(3));
        for (int msn = 1, reads = 1; ulpdus.size() < SENDS || octets(ulpdus) < LEAST; ) {
            switch (random.nextInt(6)) {
                case 0 -> ulpdus.add(Segment.readRequest(reads++, 1, 2, 3, 4, 5).bytes());
                case 1 -> segments(ulpdus, random, 1 + random.nextInt(longest));
                case 2 ->
                    ulpdus.add(Segment.write(0xA0, 7, payload(random, random.nextInt(longest)))
                            .bytes());
                default ->
                    ulpdus.add(Segment.send(msn++, payload(random, random.nextInt(longest)))
                            .bytes());
            }
        }
        return ulpdus;
    }

    private static void segments(List<byte[]> ulpdus, Random random, int size) {
        for (int at = 0; at < 4 * size; at += size) {
            ulpdus.add(Segment.write(0xA0, at, payload(random, size))
                    .last(at == 3 * size)
                    .bytes());
        }
    }

    private static int octets(List<byte[]> ulpdus) {
        return ulpdus.stream().mapToInt(ulpdu -> ulpdu.length).sum();
    }

    private static byte[] payload(Random random, int length) {
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        return payload;
    }

    /** In pieces, as TCP divides the stream; stops at the first result. */
    private Verdict verdict(FramingDiagnosis diagnosis, byte[] stream, Random random) {
        int at = 0;
        while (at < stream.length) {
            int to = Math.min(stream.length, at + 1 + random.nextInt(1500));
            diagnosis.add(Arrays.copyOfRange(stream, at, to));
            Verdict verdict = diagnosis.verdict(false);
            if (verdict.state() == State.BROKEN) {
                fed = to;
                return verdict;
            }
            at = to;
        }
        fed = at;
        return diagnosis.verdict(true);
    }

    private static boolean shows(FramingFault fault, boolean markers, boolean crc, int start) {
        return switch (fault) {
            case NONE -> false;
            case MARKERS_COUNT_START -> markers && start % 512 != 0;
            case MARKERS_COUNT_HEADER -> markers && start > 20;
            default -> Misframer.shows(fault, markers, crc);
        };
    }

    @Property(tries = 1500)
    @Label("the broken rule is named, and the stream is read on by it")
    void ruleThatIsBrokenIsNamed(
            @ForAll FramingFault fault,
            @ForAll boolean markers,
            @ForAll boolean crc,
            @ForAll @IntRange(min = 20, max = 532) int start,
            @ForAll long seed) {
        if (shows(fault, markers, crc, start)) {
            brokenRuleIsNamed(fault, markers, crc, start, seed);
        }
    }

    @Example
    @Label("two rules that explain the first FPDUs equally")
    void twoRules() {
        brokenRuleIsNamed(FramingFault.CRC_ABSENT, true, false, 20, -21067);
    }

    private void brokenRuleIsNamed(FramingFault fault, boolean markers, boolean crc, int start, long seed) {
        Random random = new Random(seed);
        List<byte[]> ulpdus = ulpdus(random);
        byte[] stream = new Misframer(fault, markers, crc, start).frames(ulpdus);
        Verdict verdict = verdict(new FramingDiagnosis(markers, crc, start), stream, random);

        if (Arrays.equals(stream, right(ulpdus, markers, crc))) {
            assertThat(verdict.state()).isEqualTo(State.RIGHT);
            return;
        }
        assertThat(verdict.state()).as("%s", verdict).isEqualTo(State.BROKEN);
        if (verdict.fault() != fault) {
            // Whether it is to be told apart at all shows in what both kinds of sender make of the messages.
            byte[] same = new Misframer(verdict.fault(), markers, crc, start).frames(ulpdus);
            // The header of the last FPDU may not be complete yet.
            int told = Math.max(0, fed - 22);
            assertThat(Arrays.copyOf(same, told)).as("%s", verdict).isEqualTo(Arrays.copyOf(stream, told));
            return;
        }
        assertThat(verdict.requirement()).isEqualTo(fault.requirement(crc));
        Deframer deframer = new Deframer(verdict.framing());
        deframer.add(stream);
        for (byte[] ulpdu : ulpdus) {
            byte[] read = deframer.next().ulpdu();
            assertThat(
                            fault == FramingFault.LENGTH_COUNTS_PAD || fault == FramingFault.LENGTH_COUNTS_ALL
                                    ? Arrays.copyOf(read, ulpdu.length)
                                    : read)
                    .isEqualTo(ulpdu);
        }
        assertThat(deframer.rest()).isEmpty();
    }

    @Property(tries = 300)
    @Label("no rule is named for a right stream")
    void nothingIsNamedOfRightStream(
            @ForAll boolean markers,
            @ForAll boolean crc,
            @ForAll @IntRange(min = 20, max = 532) int start,
            @ForAll long seed) {
        Random random = new Random(seed);
        byte[] stream = right(ulpdus(random), markers, crc);

        assertThat(verdict(new FramingDiagnosis(markers, crc, start), stream, random)
                        .state())
                .isEqualTo(State.RIGHT);
    }

    private static byte[] right(List<byte[]> ulpdus, boolean markers, boolean crc) {
        Framer framer = new Framer(markers, crc);
        Octets stream = new Octets();
        ulpdus.forEach(ulpdu -> stream.add(framer.frame(ulpdu)));
        return stream.bytes();
    }

    @Property(tries = 1000)
    @Label("one FPDU with changed bits is no fault of framing")
    void oneFpduWithChangedBitsIsNoneOfFraming(
            @ForAll boolean markers,
            @ForAll boolean crc,
            @ForAll @IntRange(min = 20, max = 532) int start,
            @ForAll @IntRange(max = 5) int which,
            @ForAll long seed) {
        Random random = new Random(seed);
        Framer framer = new Framer(markers, crc);
        Octets stream = new Octets();
        int at = 0;
        for (byte[] ulpdu : ulpdus(random)) {
            byte[] octets = framer.frame(ulpdu);
            if (at++ == which) {
                for (int bits = 1 + random.nextInt(3); bits > 0; bits--) {
                    octets[random.nextInt(random.nextBoolean() ? Math.min(8, octets.length) : octets.length)] ^=
                            (byte) (1 << random.nextInt(8));
                }
            }
            stream.add(octets);
        }

        Verdict verdict = verdict(new FramingDiagnosis(markers, crc, start), stream.bytes(), random);

        assertThat(verdict.state()).as("%s", verdict).isNotEqualTo(State.BROKEN);
    }
}
