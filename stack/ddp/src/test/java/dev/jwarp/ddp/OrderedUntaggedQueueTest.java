package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** RFC 5041 §5.3, §5.4, §7.1, over an ordered lower layer. */
class OrderedUntaggedQueueTest {
    private final Posted first = new Posted(64);
    private final Posted second = new Posted(64);
    private final QueueFixture in = new QueueFixture(UntaggedQueue.ordered(Posted.source(first, second)));

    @Tag("DDP-5.3-2")
    @Tag("RDMAP-5.3-3")
    @Test
    void deliversMessagesInOrderIntoTheBuffersInOrder() {
        assertThat(in.message(1, "one")).isNull();
        assertThat(in.message(2, "two")).isNull();
        assertThat(in.delivered).containsExactly("one", "two");
        assertThat(first.text()).startsWith("one.");
        assertThat(second.text()).startsWith("two.");
    }

    @Tag("DDP-5.4-1")
    @Test
    void deliversAMessageOnlyWithItsLastSegment() {
        assertThat(in.segment(1, 0, "one, ", false)).isNull();
        assertThat(in.queue.deliverable()).isFalse();
        assertThat(in.segment(1, 5, "continued", true)).isNull();
        assertThat(in.delivered).containsExactly("one, continued");
    }

    @Tag("DDP-5.4-2")
    @Tag("DDP-5.4-3")
    @Test
    void tellsLengthAndUlpFieldsOfAMessage() {
        QueueFixture peek = new QueueFixture(UntaggedQueue.ordered(Posted.source(first)));
        ByteBuffer ulpdu = ByteBuffer.allocate(64);
        UntaggedHeader.write(ulpdu, 0, true, 0x44, 0, 1);
        UntaggedHeader.writeRest(ulpdu, 0, 0xabcd, 0);
        DdpSegment segment = new DdpSegment();
        assertThat(segment.parse(ulpdu, 0, 38)).isNull();
        assertThat(peek.queue.place(segment, ulpdu, Integer.MAX_VALUE)).isNull();
        assertThat(peek.queue.deliverable()).isTrue();
        assertThat(peek.queue.buffer()).isSameAs(first);
        assertThat(peek.queue.messageLength()).isEqualTo(20);
        assertThat(peek.queue.ulpControl()).isEqualTo(0x44);
        assertThat(peek.queue.ulpWord()).isEqualTo(0xabcd);
        assertThatThrownBy(() -> peek.queue.place(segment, ulpdu, 0)).isInstanceOf(IllegalStateException.class);
        peek.queue.delivered();
        assertThat(peek.queue.nextMsn()).isEqualTo(2);
        assertThatThrownBy(peek.queue::delivered).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(peek.queue::buffer).isInstanceOf(IllegalStateException.class);
    }

    @Tag("RDMAP-5.3-1")
    @Test
    void aMessageWithoutOctetsConsumesABuffer() {
        assertThat(in.message(1, "")).isNull();
        assertThat(in.message(2, "two")).isNull();
        assertThat(in.delivered).containsExactly("", "two");
        assertThat(first.untouched()).isTrue();
        assertThat(first.placements).isZero();
    }

    @Tag("DDP-7.1-5")
    @Test
    void refusesASequenceNumberThatIsNotTheNext() {
        assertThat(in.message(0, "x")).isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(in.message(2, "x")).isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(in.message(9, "x")).isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(in.message(1, "x")).isNull();
        assertThat(in.message(1, "x")).as("once more").isEqualTo(TerminateCode.DDP_MSN_RANGE);
        assertThat(second.untouched()).isTrue();
    }

    @Tag("DDP-4.3-2")
    @Test
    void countsSequenceNumbersModuloTwoToTheThirtyTwo() {
        in.queue.startAt(-1);
        assertThat(in.message(-1, "last")).isNull();
        assertThat(in.message(0, "first")).isNull();
        assertThat(in.delivered).containsExactly("last", "first");
        assertThat(in.queue.nextMsn()).isEqualTo(1);
    }

    @Tag("DDP-7.1-2")
    @Test
    void refusesAMessageWithoutABuffer() {
        in.message(1, "one");
        in.message(2, "two");
        assertThat(in.message(3, "three")).isEqualTo(TerminateCode.DDP_NO_BUFFER);
        assertThat(in.message(4, "four")).as("not even the next").isEqualTo(TerminateCode.DDP_MSN_RANGE);
    }

    @Tag("DDP-7.1-3")
    @Test
    void refusesAHole() {
        assertThat(in.segment(1, 8, "x", true)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(in.segment(1, 65, "x", true)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(first.untouched()).isTrue();
    }

    @Test
    void refusesAnOverlapAndARepetition() {
        in.segment(1, 0, "12345", false);
        assertThat(in.segment(1, 4, "x", true)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(in.segment(1, 0, "x", true)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(in.segment(1, 0xffff_ffffL, "x", true)).isEqualTo(TerminateCode.DDP_INVALID_MO);
        assertThat(first.text()).startsWith("12345.");
    }

    @Tag("DDP-7.1-4")
    @Test
    void takesAMessageThatFillsItsBufferAndNotOneOctetMore() {
        assertThat(in.message(1, "x".repeat(64))).isNull();
        assertThat(in.message(2, "x".repeat(65))).isEqualTo(TerminateCode.DDP_MESSAGE_TOO_LONG);
        assertThat(second.untouched()).isTrue();
    }

    @Tag("DDP-7.1-4")
    @Test
    void refusesASecondSegmentThatEndsBehindTheBuffer() {
        in.segment(1, 0, "x".repeat(60), false);
        assertThat(in.segment(1, 60, "xxxxx", true)).isEqualTo(TerminateCode.DDP_MESSAGE_TOO_LONG);
        assertThat(first.intact(60)).isTrue();
    }

    @Test
    void refusesMoreThanTheKindOfMessageMayHave() {
        in.longest = 28;
        assertThat(in.message(1, "x".repeat(28))).isNull();
        assertThat(in.message(2, "x".repeat(29))).isEqualTo(TerminateCode.DDP_MESSAGE_TOO_LONG);
    }

    @Test
    void refusesAnotherOpcodeInTheMiddleOfAMessage() {
        in.segment(1, 0, "one", false);
        in.ulpControl = QueueFixture.SEND_SOLICITED;
        assertThat(in.segment(1, 3, "two", true)).isEqualTo(TerminateCode.RDMAP_UNEXPECTED_OPCODE);
    }

    @Test
    void givesTheBufferOfAnUnfinishedMessageBack() {
        assertThat(in.queue.drain()).isNull();
        in.segment(1, 0, "one", false);
        assertThat(in.queue.drain()).isSameAs(first);
        assertThat(in.queue.drain()).isNull();
    }

    @Property
    void anyRowOfSegmentsEndsInMessagesOrInACodeAndStaysWithinTheBuffers(
            @ForAll @Size(max = 12) List<@IntRange(max = 70) Integer> lengths,
            @ForAll @IntRange(max = 3) int msnStep,
            @ForAll @IntRange(min = -1, max = 2) int moStep) {
        Posted[] posted = {new Posted(64), new Posted(10), new Posted(0), new Posted(64)};
        QueueFixture any = new QueueFixture(UntaggedQueue.ordered(Posted.source(posted)));
        int msn = 1;
        long mo = 0;
        for (int length : lengths) {
            boolean last = length % 3 == 0;
            TerminateCode code = any.segment(msn, mo, "y".repeat(length), last);
            if (code != null) {
                break;
            }
            mo = last ? 0 : mo + length + (length % 7 == 0 ? moStep : 0);
            msn = last ? msn + (length % 5 == 0 ? msnStep : 1) : msn;
        }
        for (Posted buffer : posted) {
            assertThat(buffer.intact(buffer.capacity())).isTrue();
        }
    }
}
