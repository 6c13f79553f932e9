package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

@Label("The lengths of FPDUs")
class FpduPropertyTest {
    @Property
    @Label("an FPDU is as long as the reference encoder's, and never longer than the maximum")
    void lengthWithMarkers(
            @ForAll @IntRange(max = Fpdu.MAX_ULPDU_RECEIVED) int ulpdu, @ForAll @LongRange(max = 1L << 40) long words) {
        int length = Fpdu.lengthWithMarkers(ulpdu, 4 * words);
        assertThat(length).isEqualTo(Streams.plainly(List.of(new byte[ulpdu]), false, true, 4 * words).length);
        assertThat(length).isLessThanOrEqualTo(Fpdu.MAX_LENGTH_WITH_MARKERS);
    }

    @Tag("MPA-4.5-1")
    @Tag("MPA-4.5-2")
    @Property
    @Label("an FPDU of MULPDU bytes fits the segment with its Markers, for any start")
    void mulpduFits(@ForAll @IntRange(min = 160, max = 65_000) int emss, @ForAll @IntRange(max = 127) int word) {
        assertThat(Fpdu.length(Mulpdu.of(emss, false))).isLessThanOrEqualTo(emss);
        assertThat(Fpdu.lengthWithMarkers(Mulpdu.of(emss, true), 4L * word)).isLessThanOrEqualTo(emss);
    }
}
