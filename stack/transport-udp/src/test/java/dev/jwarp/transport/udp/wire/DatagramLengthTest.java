package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The largest Segment Size")
class DatagramLengthTest {
    private static final int TAGGED = 14;
    private static final int UNTAGGED = 18;

    @Tag("DG-4.5-4")
    @ParameterizedTest(name = "{0} bytes of UDP payload")
    @CsvSource({
        "1252, 1208, 1204, 1196, 1192",
        "1232, 1188, 1184, 1176, 1172",
        "1472, 1428, 1424, 1416, 1412",
        "1452, 1408, 1404, 1396, 1392",
        "8972, 8928, 8924, 8916, 8912",
        "8952, 8908, 8904, 8896, 8892",
        "65507, 65464, 65460, 65452, 65448",
        "65487, 65444, 65440, 65432, 65428"
    })
    @DisplayName("is that of the table in datagram-iWARP §4.5")
    void table(int payload, int tagged, int untagged, int reliableTagged, int reliableUntagged) {
        assertThat(DatagramLength.segmentSize(payload, 0, TAGGED)).isEqualTo(tagged);
        assertThat(DatagramLength.segmentSize(payload, 0, UNTAGGED)).isEqualTo(untagged);
        assertThat(DatagramLength.segmentSize(payload, RdExtension.LENGTH, TAGGED))
                .isEqualTo(reliableTagged);
        assertThat(DatagramLength.segmentSize(payload, RdExtension.LENGTH, UNTAGGED))
                .isEqualTo(reliableUntagged);
    }
}
