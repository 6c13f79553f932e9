package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.ddp.llp.sim.DatagramFaults;
import dev.jwarp.ddp.llp.sim.SimDatagramPipe;
import dev.jwarp.ddp.llp.sim.SimNetwork;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** RFC 5041 §5.3, §5.4, §7.1, over a lower layer that does not keep the order. */
class UnorderedUntaggedQueueTest {
    private final Posted first = new Posted(64);
    private final Posted second = new Posted(64);
    private final Posted third = new Posted(64);
    private final QueueFixture in =
            new QueueFixture(UntaggedQueue.unordered(Posted.source(first, second, third), 4, 3));

    @Test
    void placesSegmentsInAnyOrderAndDeliversTheMessageOnce() {
        assertThat(in.segment(1, 6, "world", true)).isNull();
        assertThat(in.delivered).isEmpty();
        assertThat(first.text()).startsWith("......world.");
        assertThat(in.segment(1, 0, "hello ", false)).isNull();
        assertThat(in.delivered).containsExactly("hello world");
    }

    @Test
    void deliversMessagesInTheOrderOfTheirNumbers() {
        assertThat(in.message(3, "three")).isNull();
        assertThat(in.message(2, "two")).isNull();
        assertThat(in.delivered).isEmpty();
        assertThat(in.message(1, "one")).isNull();
        assertThat(in.delivered).containsExactly("one", "two", "three");
        assertThat(first.text()).startsWith("one");
        assertThat(third.text()).startsWith("three");
    }

    @Test
    void takesWhatComesAgainInSilence() {
        assertThat(in.segment(1, 0, "hello ", false)).isNull();
        assertThat(in.segment(1, 0, "HELLO ", false)).isNull();
        assertThat(first.placements).as("nothing new in it").isEqualTo(1);
        assertThat(in.segment(1, 6, "world", true)).isNull();
        assertThat(in.segment(1, 6, "WORLD", true)).isNull();
        assertThat(in.message(1, "late")).isNull();
        assertThat(in.delivered).containsExactly("hello world");
        assertThat(first.text()).startsWith("hello world.");
        assertThat(second.untouched()).isTrue();
    }

    @Test
    void deliversAMessageWithoutOctets() {
        assertThat(in.message(2, "two")).isNull();
        assertThat(in.message(1, "")).isNull();
        assertThat(in.delivered).containsExactly("", "two");
    }

    @Test
    void refusesNumbersOutsideOfItsWindow() {
        assertThat(in.message(5, "x")).isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(in.message(1 - 5, "x")).isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(in.message(1 - 4, "x")).as("a late repetition").isNull();
        assertThat(first.untouched()).isTrue();
    }

    @Test
    void keepsToItsWindowHoweverManyBuffersThereAre() {
        QueueFixture narrow = new QueueFixture(UntaggedQueue.unordered(() -> new Posted(64), 2, 3));
        assertThat(narrow.message(3, "x")).isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(narrow.message(2, "two")).isNull();
        assertThat(narrow.message(1, "one")).isNull();
        assertThat(narrow.message(4, "four")).isNull();
        assertThat(narrow.message(5, "x")).isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(narrow.delivered).containsExactly("one", "two");
    }

    @Test
    void startsEachMessageAfreshInAWindowThatMovesOn() {
        QueueFixture narrow = new QueueFixture(UntaggedQueue.unordered(() -> new Posted(64), 2, 3));
        for (int msn = 1; msn < 20; msn += 2) {
            for (int late = msn + 1; late >= msn; late--) {
                assertThat(narrow.segment(late, 6, "world", true)).isNull();
                assertThat(narrow.delivered).hasSize(msn - 1);
                assertThat(narrow.segment(late, 0, "hello ", false)).isNull();
            }
            assertThat(narrow.delivered).hasSize(msn + 1).containsOnly("hello world");
        }
    }

    @Test
    void refusesNumbersForWhichThereIsNoBuffer() {
        assertThat(in.message(4, "x")).as("the next without a buffer").isEqualTo(TerminateCode.DDP_NO_BUFFER);
        QueueFixture none = new QueueFixture(UntaggedQueue.unordered(Posted.source(), 4, 3));
        assertThat(none.message(2, "x")).as("behind the next without a buffer").isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(none.message(1, "x")).isEqualTo(TerminateCode.DDP_NO_BUFFER);
    }

    @Test
    void countsSequenceNumbersModuloTwoToTheThirtyTwo() {
        in.queue.startAt(-1);
        assertThat(in.message(0, "second")).isNull();
        assertThat(in.message(-1, "first")).isNull();
        assertThat(in.message(1, "third")).isNull();
        assertThat(in.delivered).containsExactly("first", "second", "third");
    }

    @Test
    void refusesOffsetsBehindTheBuffer() {
        assertThat(in.segment(1, 65, "x", false)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(in.segment(1, 0xffff_ffffL, "x", false)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(in.segment(1, 64, "x", false)).isEqualTo(TerminateCode.DDP_MESSAGE_TOO_LONG);
        assertThat(in.segment(1, 60, "xxxxx", true)).isEqualTo(TerminateCode.DDP_MESSAGE_TOO_LONG);
        assertThat(first.untouched()).isTrue();
        in.longest = 10;
        assertThat(in.segment(1, 11, "", false)).isEqualTo(TerminateCode.DDP_INVALID_MO);
    }

    @Test
    void refusesOctetsBehindTheEndOfTheMessage() {
        assertThat(in.segment(1, 5, "end", true)).isNull();
        assertThat(in.segment(1, 8, "x", false)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(in.segment(1, 5, "endings", true)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(in.segment(1, 0, "end", true)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(first.text()).startsWith(".....end.");
    }

    @Test
    void refusesAnEndBeforeOctetsThatCameAlready() {
        assertThat(in.segment(1, 20, "far", false)).isNull();
        assertThat(in.segment(1, 5, "end", true)).isEqualTo(TerminateCode.DDP_INVALID_MO);
    }

    @Test
    void refusesAnotherOpcodeWithinAMessage() {
        assertThat(in.segment(1, 5, "end", true)).isNull();
        in.ulpControl = QueueFixture.SEND_SOLICITED;
        assertThat(in.segment(1, 0, "begin", false)).isEqualTo(TerminateCode.RDMAP_UNEXPECTED_OPCODE);
    }

    @Test
    void tellsTheUlpFieldsOfTheLastSegment() {
        in.delivers = false;
        in.ulpWord = 7;
        assertThat(in.segment(1, 5, "end", true)).isNull();
        in.ulpWord = 9;
        assertThat(in.segment(1, 0, "begin", false)).isNull();
        assertThat(in.queue.deliverable()).isTrue();
        assertThat(in.queue.ulpWord()).isEqualTo(7);
        assertThat(in.queue.ulpControl()).isEqualTo(QueueFixture.SEND);
        assertThat(in.queue.messageLength()).isEqualTo(8);
    }

    @Test
    void boundsTheHolesItRemembers() {
        assertThat(in.segment(1, 0, "a", false)).isNull();
        assertThat(in.segment(1, 10, "a", false)).isNull();
        assertThat(in.segment(1, 20, "a", false)).isNull();
        assertThat(in.segment(1, 30, "a", false)).isEqualTo(TerminateCode.DDP_LOCAL_CATASTROPHIC);
        assertThat(first.intact(30)).isTrue();
    }

    @Test
    void givesTheBuffersOfUnfinishedMessagesBackInOrder() {
        in.message(2, "whole, but not its turn");
        in.segment(3, 0, "part", false);
        assertThat(in.queue.drain()).isSameAs(first);
        assertThat(in.queue.drain()).isSameAs(second);
        assertThat(in.queue.drain()).isSameAs(third);
        assertThat(in.queue.drain()).isNull();
    }

    @Test
    void saysSoWhenUsedWrongly() {
        assertThatThrownBy(in.queue::delivered).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(in.queue::buffer).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> UntaggedQueue.unordered(Posted.source(), 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** One segment of one of the messages of {@link #messages}. */
    private record Piece(int msn, int mo, String payload, boolean last) {}

    private static List<String> messages(int count, SplittableRandom random) {
        List<String> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(65);
            for (int j = 0; j < length; j++) {
                text.append((char) ('a' + random.nextInt(26)));
            }
            messages.add(text.toString());
        }
        return messages;
    }

    private static List<Piece> pieces(List<String> messages, int firstMsn, SplittableRandom random) {
        List<Piece> pieces = new ArrayList<>();
        Segmenter segmenter = new Segmenter();
        for (int i = 0; i < messages.size(); i++) {
            String message = messages.get(i);
            segmenter.begin(message.length(), UntaggedHeader.LENGTH);
            while (segmenter.hasNext()) {
                int length = segmenter.next(UntaggedHeader.LENGTH + 1 + random.nextInt(20));
                int mo = (int) segmenter.offset();
                pieces.add(new Piece(firstMsn + i, mo, message.substring(mo, mo + length), segmenter.last()));
            }
        }
        return pieces;
    }

    @Property
    void anyOrderOfSegmentsWithAnyRepetitionsGivesTheMessages(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int count) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> messages = messages(count, random);
        int firstMsn = random.nextInt();
        List<Piece> pieces = pieces(messages, firstMsn, random);
        pieces.addAll(List.copyOf(pieces.subList(0, random.nextInt(pieces.size() + 1))));
        Collections.shuffle(pieces, new Random(seed));

        Posted[] posted = new Posted[count];
        Arrays.setAll(posted, i -> new Posted(messages.get(i).length()));
        QueueFixture any = new QueueFixture(UntaggedQueue.unordered(Posted.source(posted), count, 64));
        any.queue.startAt(firstMsn);
        for (Piece piece : pieces) {
            assertThat(any.segment(piece.msn, piece.mo, piece.payload, piece.last))
                    .isNull();
        }
        assertThat(any.delivered).isEqualTo(messages);
        for (Posted buffer : posted) {
            assertThat(buffer.intact(buffer.capacity())).isTrue();
        }
    }

    @Property(tries = 50)
    void aPipeThatLosesDuplicatesAndReordersGivesTheMessagesOnceAllArrived(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> messages = messages(8, random);
        List<Piece> pieces = pieces(messages, 1, random);
        Posted[] posted = new Posted[8];
        Arrays.setAll(posted, i -> new Posted(64));
        QueueFixture far = new QueueFixture(UntaggedQueue.unordered(Posted.source(posted), 8, 64));
        SimNetwork network = new SimNetwork(seed);
        SimDatagramPipe pipe = new SimDatagramPipe(network, new DatagramFaults(0.3, 0.3, 0, 100_000), datagram -> {
            Piece piece = pieces.get(datagram.getInt(0));
            assertThat(far.segment(piece.msn, piece.mo, piece.payload, piece.last))
                    .isNull();
        });
        ByteBuffer datagram = ByteBuffer.allocate(4);
        for (int round = 0; far.delivered.size() < 8 && round < 100; round++) {
            for (int i = 0; i < pieces.size(); i++) {
                pipe.send(datagram.putInt(0, i));
            }
            network.settle();
        }
        assertThat(far.delivered).isEqualTo(messages);
    }

    @Property
    void anySegmentsEndInMessagesOrInACodeAndStayWithinTheBuffers(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Posted[] posted = {new Posted(64), new Posted(10), new Posted(0), new Posted(64), new Posted(30)};
        QueueFixture any = new QueueFixture(UntaggedQueue.unordered(Posted.source(posted), 3, 4));
        for (int i = 0; i < 40; i++) {
            int msn = random.nextInt(-2, 7);
            long mo = random.nextInt(20) == 0 ? random.nextLong(1L << 32) : random.nextInt(70);
            TerminateCode code = any.segment(msn, mo, "z".repeat(random.nextInt(12)), random.nextInt(3) == 0);
            if (code != null) {
                break;
            }
        }
        for (Posted buffer : posted) {
            assertThat(buffer.intact(buffer.capacity())).isTrue();
        }
    }
}
