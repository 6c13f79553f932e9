package dev.jwarp.tools.ping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.ping.RpingServer.Advertisement;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AdvertisementTest {
    @Test
    @DisplayName("sixteen bytes big endian")
    void sixteenBytesBigEndian() {
        ByteBuffer octets = ByteBuffer.allocate(Advertisement.LENGTH);

        Advertisement advertisement = new Advertisement(0x0123456789abcdefL, 0xcafe0042, 64);

        advertisement.write(octets);

        assertThat(HexFormat.of().formatHex(octets.array())).isEqualTo("0123456789abcdef" + "cafe0042" + "00000040");
        assertThat(Advertisement.of(octets)).isEqualTo(advertisement);
    }
}
