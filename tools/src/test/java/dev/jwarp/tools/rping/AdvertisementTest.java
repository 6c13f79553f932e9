package dev.jwarp.tools.rping;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AdvertisementTest {
    @Test
    @DisplayName("sixteen bytes big endian")
    void sixteenBytesBigEndian() {
        ByteBuffer octets = ByteBuffer.allocate(Advertisement.LENGTH);

        Advertisement.write(octets, 0x0123456789abcdefL, 0xcafe0042, 64);

        assertThat(HexFormat.of().formatHex(octets.array())).isEqualTo("0123456789abcdef" + "cafe0042" + "00000040");
        assertThat(Advertisement.address(octets)).isEqualTo(0x0123456789abcdefL);
        assertThat(Advertisement.stag(octets)).isEqualTo(0xcafe0042);
        assertThat(Advertisement.size(octets)).isEqualTo(64);
    }
}
