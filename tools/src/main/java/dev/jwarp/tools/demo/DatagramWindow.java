package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages of one window, and which of their bytes arrived. One thread. */
final class DatagramWindow {
    private final DatagramEnds ends;
    private final DemoSettings settings;
    private final int length;
    private final int messages;
    private final boolean[] came;

    /**
     * The completions of messages that arrived in part. Each is kept until its message is repaired, so that its map
     * stays valid.
     */
    private final @Nullable WorkCompletion[] kept;

    private WorkCompletion[] one = WorkCompletion.array(1);
    private int seen;

    /**
     * A message of which bytes are missing.
     *
     * @param message the number of the message in the window
     * @param offset of its first byte in the window
     * @param length bytes
     * @param validity the bytes that arrived
     * @param completion the completion of the message; null if there was none
     */
    record Torn(
            int message,
            int offset,
            int length,
            ValidityMap validity,
            @Nullable WorkCompletion completion) {
        /** Releases the completion, and with it the map. */
        void release() {
            if (completion != null) {
                completion.release();
            }
        }
    }

    /** The map of a message without a completion: no byte is valid. */
    private record NothingCame(long length) implements ValidityMap {
        @Override
        public long validBytes() {
            return 0;
        }

        @Override
        public long nextValid(long offset) {
            return length;
        }

        @Override
        public long nextMissing(long offset) {
            return Math.min(offset, length);
        }

        @Override
        public int granule() {
            return (int) Math.max(1, length);
        }

        @Override
        public int copyTo(long[] words) {
            if (words.length > 0) {
                words[0] = 0;
            }
            return 1;
        }
    }

    DatagramWindow(DatagramEnds ends, DemoSettings settings, int length) {
        this.ends = ends;
        this.settings = settings;
        this.length = length;
        messages = settings.messages(length);
        came = new boolean[messages];
        kept = new WorkCompletion[messages];
    }

    int messages() {
        return messages;
    }

    /** {@return the number of completed messages} */
    int seen() {
        return seen;
    }

    int offset(int message) {
        return message * settings.messageSize();
    }

    int length(int message) {
        return Math.min(settings.messageSize(), length - offset(message));
    }

    /** {@return whether the bytes in flight after this message fill the target's receive buffer} */
    boolean burstIsFull(int message) {
        long burst = Math.max(1, ends.room() / settings.messageSize());
        return (message + 1) % burst == 0;
    }

    /** Takes completions of Write-Records. */
    void takeRecords() {
        while (ends.writing().atTarget().poll(one)) {
            if (one[0].opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
                long offset = one[0].localAddress() - ends.targetWindow().address();
                take((int) (offset / settings.messageSize()));
            }
        }
    }

    /** Takes completions of Reads. */
    void takeReads() {
        while (ends.reading().atTarget().poll(one)) {
            if (one[0].validity() == null && !one[0].succeeded()) {
                throw ToolFailure.failed(one[0].describe());
            }
            take((int) one[0].id());
        }
    }

    private void take(int message) {
        if (!came[message]) {
            came[message] = true;
            seen++;
            ValidityMap validity = one[0].validity();
            if (validity != null && !validity.isComplete()) {
                kept[message] = one[0];
                one = WorkCompletion.array(1);
            }
        }
    }

    /** {@return the messages with missing bytes, including messages of which nothing arrived} */
    List<Torn> torn() {
        List<Torn> all = new ArrayList<>();
        for (int message = 0; message < messages; message++) {
            WorkCompletion completion = kept[message];
            ValidityMap validity = came[message] ? null : new NothingCame(length(message));
            if (completion != null) {
                validity = completion.validity();
            }
            if (validity != null) {
                all.add(new Torn(message, offset(message), length(message), validity, completion));
            }
        }
        return all;
    }
}
