package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports of messages with missing segments, and of messages that never end. */
class MessagesTest {
    private final List<Item.Message> messages = new ArrayList<>();
    private final Messages sums = new Messages(item -> {
        if (item instanceof Item.Message message) {
            messages.add(message);
        }
    });
    private final Decoder decoder = new Decoder(Set.of(), null, sums, sums::ended);

    private List<Item.Message> messages(List<Frame> frames) {
        frames.forEach(decoder::frame);
        decoder.end();
        sums.end();
        return messages;
    }

    private static Talked writes(int messages, int segments) {
        Talked talked = Talked.plain();
        for (int i = 0; i < messages * segments; i++) {
            int part = i % segments;
            talked.i(Segment.write(9, 0x1000 + 1000 * part, new byte[1000]).last(part == segments - 1));
        }
        return talked;
    }

    /** The frames without the one that brought this FPDU of the initiator. */
    private static List<Frame> without(Talked talked, int fpdu) {
        List<Frame> frames = new ArrayList<>(talked.packets().frames());
        frames.remove(4 + fpdu);
        return frames;
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 7, 8})
    @DisplayName("a Write with a missing segment is not whole, whichever segment is missing")
    void writeOfWhichSegmentWasLost(int lost) {
        Talked talked = writes(3, 4).i(Segment.send(1)).i(Segment.send(2));

        assertThat(messages(without(talked, lost)))
                .filteredOn(Item.Message::whole)
                .extracting(Item.Message::length)
                .startsWith(4000L)
                .endsWith(0L, 0L)
                .containsOnly(4000L, 0L);
    }

    @Test
    @DisplayName("a Write of one segment after a loss may be the end of a longer one")
    void writeOfOneSegmentBehindLoss() {
        Talked talked = writes(5, 1).i(Segment.send(1));

        assertThat(messages(without(talked, 2)))
                .extracting(Item.Message::whole)
                .containsExactly(true, false, true, true, true);
    }

    @Test
    @DisplayName("very many unfinished messages are dropped in favour of others")
    void veryManyMessagesThatNeverEnd() {
        Talked talked = Talked.plain();
        for (int queue = 10; queue < 10 + Messages.MOST_OPEN + 5; queue++) {
            talked.i(Segment.send(1, new byte[2]).queue(queue).last(false));
        }
        for (int i = 0; i < 6; i++) {
            talked.i(Segment.write(9, 0x1000 + 10 * (i % 2), Octets.pattern(10, 1))
                    .last(i % 2 == 1));
        }

        assertThat(messages(Made.bundled(talked, 60_000).frames()))
                .filteredOn(Item.Message::whole)
                .hasSize(3)
                .allMatch(message -> message.segments() == 2 && message.length() == 20);
    }

    @Test
    @DisplayName("findings of messages that have not ended count like messages")
    void findingsCountLikeMessages() {
        Talked talked = Talked.plain();
        for (int queue = 10; queue < 10 + Messages.MOST_OPEN / 2 + 5; queue++) {
            talked.i(Segment.send(1).queue(queue).last(false));
        }

        Made.bundled(talked, 60_000).frames().forEach(decoder::frame);

        assertThat(messages).isNotEmpty();
    }

    @Test
    @DisplayName("an unfinished message is passed on when its connection ends")
    void messageThatHasNotEnded() {
        writes(1, 2).packets().frames().subList(0, 6).forEach(decoder::frame);
        assertThat(messages).isEmpty();

        decoder.frame(Packets.frame(7, Packets.tcp(false, 1_000_021, 0, Tcp.RST, new byte[0])));

        assertThat(messages).extracting(Item.Message::whole).containsExactly(false);
    }
}
