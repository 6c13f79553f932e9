package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.tcp.EchoPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An idle connection")
class IdleConnectionTest {
    private static final int CONNECTIONS = 400;
    private static final int ALLOWED = 8 << 10;

    @Test
    @DisplayName("holds no buffers: both sides together less than 8 KiB")
    void small() {
        try (EchoPair pair = new EchoPair(new NioTransportProvider(), Map.of()).connect()) {
            exchange(pair, 1);
            long before = usedAfterCollection();
            List<EchoPair.Upper> uppers = exchange(pair, CONNECTIONS);
            // The layers above of this test hold 64 KiB outside of the heap, which does not count here.
            assertThat((usedAfterCollection() - before) / CONNECTIONS).isLessThan(ALLOWED);
            assertThat(uppers).hasSize(CONNECTIONS);
        }
    }

    private static List<EchoPair.Upper> exchange(EchoPair pair, int connections) {
        List<EchoPair.Upper> uppers = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            EchoPair.Upper upper = pair.connectSecond();
            uppers.add(upper);
            while (upper.received() == 0) {
                pair.client.poll();
                pair.server.poll();
            }
        }
        return uppers;
    }

    private static long usedAfterCollection() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}
