package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.capture.Packet.Tcp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** However TCP divides, repeats and reorders a stream, the decoded items are the same. */
class ResegmentationProperties {
    private static final List<String> KINDS = List.of("plain", "withoutCrc", "markers");
    private static final int INITIAL = 0xFFFF_F000;
    /** Limit of held early segments: beyond it tiny ones would count as lost. */
    private static final int MOST_DISORDERED = 2000;

    /** The decoded items, without frames and times. */
    private static List<String> essence(List<Item> items) {
        TextLines text = new TextLines(true, false);
        return items.stream()
                .filter(item -> !(item instanceof Item.Note))
                .map(item -> {
                    List<String> lines = new ArrayList<>(text.lines(item));
                    lines.set(0, lines.get(0).replaceFirst("^ *\\d+ +[-0-9.]+ ", ""));
                    return String.join("\n", lines);
                })
                .toList();
    }

    @Property(tries = 300)
    @Label("other segments, copies, overlaps and disorder change nothing")
    void cutsCopiesOverlapsAndDisorderChangeNothing(
            @ForAll @IntRange(max = 2) int kind,
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 3000) int longest) {
        Talked talked = Talked.ofKind(KINDS.get(kind)).chatter();
        List<Frame> frames = new ArrayList<>();
        add(frames, true, Tcp.SYN, INITIAL - 1, new byte[0]);
        add(frames, false, Tcp.SYN | Tcp.ACK, INITIAL - 1, new byte[0]);
        Random random = new Random(seed);
        scatter(frames, true, talked.initiator, longest, random);
        scatter(frames, false, talked.responder, longest, random);

        assertThat(essence(Packets.decode(frames)))
                .isEqualTo(essence(Talked.ofKind(KINDS.get(kind)).chatter().decode()));
    }

    private static void add(List<Frame> frames, boolean initiator, int flags, int sequence, byte[] octets) {
        frames.add(Packets.frame(frames.size() + 1L, Packets.tcp(initiator, sequence, INITIAL, flags, octets)));
    }

    private static void scatter(List<Frame> frames, boolean initiator, List<byte[]> parts, int longest, Random random) {
        byte[] stream = Packets.join(parts.toArray(byte[][]::new));
        List<int[]> ranges = new ArrayList<>();
        int at = 0;
        while (at < stream.length) {
            int to = Math.min(stream.length, at + 1 + random.nextInt(longest));
            ranges.add(new int[] {at, to});
            if (random.nextInt(4) == 0) {
                // A repetition that TCP cut in another way.
                int from = Math.max(0, at - random.nextInt(50));
                ranges.add(new int[] {from, Math.min(stream.length, to + random.nextInt(50))});
            }
            at = to;
        }
        for (int from = 0; from < ranges.size(); from += MOST_DISORDERED) {
            Collections.shuffle(ranges.subList(from, Math.min(ranges.size(), from + MOST_DISORDERED)), random);
        }
        for (int[] range : ranges) {
            add(frames, initiator, Tcp.ACK, INITIAL + range[0], Arrays.copyOfRange(stream, range[0], range[1]));
        }
    }
}
