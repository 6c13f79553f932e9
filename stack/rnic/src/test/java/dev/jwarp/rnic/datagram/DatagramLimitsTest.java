package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rdmap.datagram.DatagramLimit;
import dev.jwarp.rdmap.datagram.DatagramSettings;
import dev.jwarp.rnic.core.Configuration;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramTimeouts;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The limits of a datagram queue pair")
class DatagramLimitsTest {
    private static DatagramSettings of(Map<String, String> settings) {
        Configuration configuration = new Configuration(
                DatagramLimits.settings(), settings, new Configuration.Surroundings(Map.of(), Map.of()));
        return new DatagramLimits(configuration)
                .of(DatagramAttributes.builder(new InetSocketAddress(0)).build(), 1, DatagramTimeouts.DEFAULT);
    }

    @Test
    @DisplayName("are the defaults without settings")
    void usual() {
        DatagramSettings usual = of(Map.of());
        for (DatagramLimit limit : DatagramLimit.values()) {
            if (limit.isSize()) {
                assertThat(usual.get(limit)).as(limit.key()).isEqualTo(limit.defaultValue());
            }
        }
        assertThat(usual.get(DatagramLimit.WEIGHT)).isEqualTo(1);
    }

    @Test
    @DisplayName("are derived from the numbers of incomplete messages and served Reads, and are at least 1")
    void follow() {
        DatagramSettings few = of(Map.of("jwarp.datagram.records", "16", "jwarp.datagram.read-jobs", "2"));
        assertThat(few.get(DatagramLimit.RECORDS_PER_SOURCE)).isEqualTo(1);
        assertThat(few.get(DatagramLimit.WRITE_RECORD_LOG)).isEqualTo(16);
        assertThat(few.get(DatagramLimit.BITMAP_MEMORY)).isEqualTo(64 << 10);
        assertThat(few.get(DatagramLimit.READ_JOBS_PER_SOURCE)).isEqualTo(1);
        assertThat(few.get(DatagramLimit.OUTSTANDING_READS)).isEqualTo(1);
        assertThat(few.get(DatagramLimit.RELIABLE_READS)).isEqualTo(1);
        DatagramSettings most = of(Map.of("jwarp.datagram.records", "65536", "jwarp.datagram.read-jobs", "65536"));
        assertThat(most.get(DatagramLimit.RECORDS_PER_SOURCE)).isEqualTo(4_096);
        assertThat(most.get(DatagramLimit.WRITE_RECORD_LOG)).isEqualTo(65_536);
        assertThat(most.get(DatagramLimit.BITMAP_MEMORY)).isEqualTo(64 << 20);
        assertThat(most.get(DatagramLimit.READ_JOBS_PER_SOURCE)).isEqualTo(8_192);
        assertThat(most.get(DatagramLimit.OUTSTANDING_READS)).isEqualTo(16_384);
        assertThat(most.get(DatagramLimit.RELIABLE_READS)).isEqualTo(4_096);
    }
}
