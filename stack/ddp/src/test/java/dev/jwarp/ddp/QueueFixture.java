package dev.jwarp.ddp;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes segments to a queue and collects the delivered messages. */
final class QueueFixture {
    static final int SEND = 0x43;
    static final int SEND_SOLICITED = 0x45;

    final UntaggedQueue<Posted> queue;
    final List<String> delivered = new ArrayList<>();
    private final DdpSegment segment = new DdpSegment();
    int ulpControl = SEND;
    int ulpWord;
    int longest = Integer.MAX_VALUE;
    boolean delivers = true;

    QueueFixture(UntaggedQueue<Posted> queue) {
        this.queue = queue;
    }

    /** Places one segment, and delivers messages that are complete. */
    @Nullable
    TerminateCode segment(int msn, long mo, String payload, boolean last) {
        byte[] octets = payload.getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer ulpdu = ByteBuffer.allocate(3 + UntaggedHeader.LENGTH + octets.length);
        UntaggedHeader.write(ulpdu, 3, last, ulpControl, 0, msn);
        UntaggedHeader.writeRest(ulpdu, 3, ulpWord, mo);
        ulpdu.put(3 + UntaggedHeader.LENGTH, octets);
        TerminateCode unparsed = segment.parse(ulpdu, 3, UntaggedHeader.LENGTH + octets.length);
        if (unparsed != null) {
            throw new AssertionError(unparsed);
        }
        TerminateCode code = queue.place(segment, ulpdu, longest);
        while (delivers && code == null && queue.deliverable()) {
            delivered.add(queue.buffer().text().substring(0, queue.messageLength()));
            queue.delivered();
        }
        return code;
    }

    @Nullable
    TerminateCode message(int msn, String payload) {
        return segment(msn, 0, payload, true);
    }
}
