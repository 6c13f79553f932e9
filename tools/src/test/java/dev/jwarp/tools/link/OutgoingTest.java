package dev.jwarp.tools.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.RdmaProvider;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** See the class under test. */
@DisplayName("Memory for what goes out")
class OutgoingTest {
    private static final int SENDS = 4;
    private static final int LENGTH = 12;

    @Test
    @DisplayName("has a place that no outstanding Send needs, also when the queue is full and posting fails")
    void free() {
        try (Context context = RdmaProvider.load().devices().get(0).open();
                ProtectionDomain domain = context.allocateProtectionDomain()) {
            Outgoing outgoing = new Outgoing(domain::allocate, SENDS, LENGTH);
            Deque<Integer> outstanding = new ArrayDeque<>();
            for (int message = 0; message < 10 * SENDS; message++) {
                assertThat(outgoing.offset())
                        .isBetween(0, (int) outgoing.memory().length() - LENGTH);
                assertThat(outstanding).doesNotContain(outgoing.offset());
                if (outstanding.size() == SENDS) {
                    outstanding.removeFirst(); // this one is not posted, and the oldest is done
                } else {
                    outstanding.addLast(outgoing.offset());
                    outgoing.posted();
                }
            }
            outgoing.memory().close();
        }
    }
}
