package dev.jwarp.conformance.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JournalTest {
    private static final InetSocketAddress END = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private final Journal journal = new Journal(END, END, true);

    private void comes(int octets, String note) {
        journal.add(new Event(1, Event.Kind.RECEIVED, new byte[octets], note));
    }

    @Test
    @DisplayName("bytes of a device beyond the limit are counted and not kept")
    void whatDeviceSaysBeyondBudgetIsCountedAndNotKept() {
        comes(1_000_000, "");
        for (int i = 0; i < 100_000; i++) {
            comes(65_536, "much");
        }
        journal.add(new Event(2, Event.Kind.PEER_CLOSED, new byte[0], "FIN"));

        List<Event> events = journal.events();
        assertThat(events).hasSizeLessThan(100);
        assertThat(events.stream().mapToLong(e -> e.octets().length).sum()).isBetween(4_000_000L, 4L << 20);
        assertThat(events.stream().mapToLong(Event::length).sum()).isEqualTo(1_000_000 + 100_000L * 65_536);
        assertThat(events.get(events.size() - 2).note()).contains("bytes not kept");
        assertThat(events.get(events.size() - 1).note()).isEqualTo("FIN");
    }

    @Test
    @DisplayName("after a gap small pieces are not kept either")
    void whatIsSmallComesNotWholeBehindWhatIsMissing() {
        comes(5 << 20, "the large one");
        comes(1, "");

        assertThat(journal.events()).singleElement().satisfies(e -> {
            assertThat(e.kept()).isFalse();
            assertThat(e.length()).isEqualTo((5 << 20) + 1);
        });
    }

    @Test
    @DisplayName("an ended conversation keeps as many bytes as it may")
    void conversationThatIsOverKeepsAsMuchAsItMay() {
        comes(100, "first");
        comes(1_000, "second");

        Transcript few = Journal.closed(Journal.closed(journal, 500), 500);

        assertThat(few.datagrams()).isTrue();
        assertThat(few.events()).extracting(Event::kept).containsExactly(true, false);
        assertThat(few.events()).extracting(Event::note).containsExactly("first", "second; bytes not kept");
    }
}
