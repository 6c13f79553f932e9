package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

@Label("FPDUs and their TCP segments")
class SegmentRoomPropertyTest {
    private static final int HEADER = 14;

    /** Sends messages back to back, and checks each FPDU and each end of a segment. */
    private static final class Sender {
        final int emss;
        final boolean markers;
        final SegmentRoom segment;
        long offset;

        /** The octets after {@code offset} that belong to the segment before the first one. */
        int begun;

        Sender(int emss, boolean markers, int begun) {
            this.emss = emss;
            this.markers = markers;
            this.begun = begun;
            segment = new SegmentRoom(emss, markers);
            segment.begin(begun);
        }

        private int roomAt(long at) {
            return emss - (int) ((at + begun) % emss);
        }

        void message(int length) {
            int left = length;
            boolean crossed = false;
            do {
                long wanted = HEADER + (long) left;
                int mulpdu = segment.mulpdu(wanted, offset);
                assertThat(mulpdu).isBetween(Mulpdu.MINIMUM, segment.mulpdu()); // MPA-4.5-3
                int ulpdu = (int) Math.min(wanted, mulpdu);
                int fpdu = markers ? Fpdu.lengthWithMarkers(ulpdu, offset) : Fpdu.length(ulpdu);
                boolean crosses = fpdu > roomAt(offset);
                if (crosses) {
                    assertThat(roomAt(offset))
                            .as("room left before an FPDU that extends into the next segment")
                            .isLessThan(SegmentRoom.LEAST);
                    assertThat(crossed)
                            .as("two ends in a row without an FPDU that begins there")
                            .isFalse();
                }
                assertThat(fpdu).isLessThanOrEqualTo(emss);
                offset += fpdu;
                segment.put(fpdu);
                assertThat(segment.isWhole()).isEqualTo(roomAt(offset) == emss);
                crossed = crosses;
                left -= ulpdu - HEADER;
            } while (left > 0);
        }
    }

    @Tag("MPA-5.1-1")
    @Tag("MPA-4.5-3")
    @Property
    @Label("an FPDU ends with its segment if that has 140 bytes left, otherwise with the next segment")
    void messages(
            @ForAll @IntRange(min = 70, max = 4_000) int words,
            @ForAll boolean markers,
            @ForAll @IntRange(max = 100_000) int begun,
            @ForAll @Size(min = 1, max = 60) List<@IntRange(max = 20_000) Integer> messages) {
        Sender sender = new Sender(4 * words, markers, begun / 4 * 4);
        assertThat(sender.segment.aligns()).isTrue();
        messages.forEach(sender::message);
    }

    @Tag("MPA-5.1-1")
    @Property
    @Label("a long message fills one segment after the other, each with its own FPDU")
    void longMessage(@ForAll @IntRange(min = 70, max = 4_000) int words) {
        int emss = 4 * words;
        SegmentRoom segment = new SegmentRoom(emss, false);
        for (int i = 0; i < 10; i++) {
            assertThat(segment.isWhole()).isTrue();
            int ulpdu = segment.mulpdu(1 << 20, (long) i * emss);
            assertThat(ulpdu).isEqualTo(Mulpdu.of(emss, false));
            segment.put(Fpdu.length(ulpdu));
        }
    }

    @Property
    @Label("FPDUs are not fitted to segments that are no multiple of four, too small, or larger than FPDUs (loopback)")
    void notAligned(@ForAll @IntRange(min = 1, max = 66_000) int emss, @ForAll boolean markers) {
        SegmentRoom segment = new SegmentRoom(emss, markers);
        if (emss % 4 != 0 || emss < 280 || emss > 64_776) {
            assertThat(segment.aligns()).isFalse();
            segment.put(100);
            assertThat(segment.mulpdu(1 << 20, 100)).isEqualTo(Mulpdu.of(emss, markers));
        } else {
            assertThat(segment.aligns()).isTrue();
        }
    }
}
