package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reports of messages with missing segments, and of messages that never end. */
class MessagesTest {
    private static List<Item.Message> messages(List<Frame> frames) {
        List<Item.Message> messages = new ArrayList<>();
        Messages sums = new Messages(item -> {
            if (item instanceof Item.Message message) {
                messages.add(message);
            }
        });
        Decoder decoder = new Decoder(Set.of(), sums, sums::ended);
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

    @Test
    @DisplayName("a Write with a missing segment is not whole, whichever segment is missing")
    void writeOfWhichSegmentWasLost() {
        Talked talked = writes(3, 4).i(Segment.send(1)).i(Segment.send(2));
        for (int lost = 5; lost <= 8; lost++) {
            List<Item.Message> messages = messages(without(talked, lost));

            assertThat(messages)
                    .filteredOn(Item.Message::whole)
                    .extracting(Item.Message::length)
                    .as("lost segment " + lost)
                    .startsWith(4000L)
                    .endsWith(0L, 0L)
                    .containsOnly(4000L, 0L);
        }
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
            talked.i(Segment.of(Opcode.SEND)
                    .queue(queue)
                    .msn(1)
                    .payload(new byte[2])
                    .last(false));
        }
        for (int i = 0; i < 6; i++) {
            talked.i(Segment.write(9, 0x1000 + 10 * (i % 2), Octets.pattern(10, 1))
                    .last(i % 2 == 1));
        }

        List<Item.Message> whole = messages(Made.bundled(talked, 60_000).frames()).stream()
                .filter(Item.Message::whole)
                .toList();

        assertThat(whole).hasSize(3).allMatch(message -> message.segments() == 2 && message.length() == 20);
    }

    @Test
    @DisplayName("findings of messages that have not ended count like messages")
    void findingsCountLikeMessages() {
        Talked talked = Talked.plain();
        for (int queue = 10; queue < 10 + Messages.MOST_OPEN / 2 + 5; queue++) {
            talked.i(Segment.of(Opcode.SEND).queue(queue).msn(1).last(false));
        }
        int[] handedOut = new int[1];
        Messages sums = new Messages(item -> handedOut[0] += item instanceof Item.Message ? 1 : 0);
        Decoder decoder = new Decoder(Set.of(), sums, stream -> {});
        Made.bundled(talked, 60_000).frames().forEach(decoder::frame);
        decoder.end();

        assertThat(handedOut[0]).isPositive();
    }

    @Test
    @DisplayName("an unfinished message is passed on when its connection ends")
    void messageThatHasNotEnded() {
        Packets packets = writes(1, 2).packets();
        List<Frame> frames = new ArrayList<>(packets.frames().subList(0, 6));
        int[] whole = new int[2];
        Messages sums = new Messages(item -> {
            if (item instanceof Item.Message message) {
                whole[message.whole() ? 1 : 0]++;
            }
        });
        Decoder decoder = new Decoder(Set.of(), sums, sums::ended);
        frames.forEach(decoder::frame);
        assertThat(whole).containsExactly(0, 0);

        decoder.frame(Packets.frame(7, Packets.tcp(false, 1_000_021, 0, Packets.RST, new byte[0])));

        assertThat(whole).containsExactly(1, 0);
    }
}
