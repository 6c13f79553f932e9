package dev.jwarp.messaging;

import dev.jwarp.verbs.Counter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What an endpoint counts. */
enum EndpointCounter {
    SHORT_SENT("Short messages sent, or queued because they wait for room."),
    SHORT_RECEIVED("Short messages received."),
    LONG_WRITTEN("Long messages of this side written into a return buffer of the receiver."),
    LONG_OFFERED("Long messages of this side that the receiver has to read."),
    LONG_RECEIVED("Long messages received, whole."),
    LONG_READ("Long messages received by reading them from the sender."),
    CALLS("Calls begun."),
    CALLS_WITHOUT_REPLY("Calls that ended without a reply: after their time, cancelled, or with their conversation."),
    REPLIES_LATE("Replies to calls that had ended."),
    CONVERSATIONS("Conversations that became ready, begun by either side."),
    CONVERSATIONS_FAILED("Conversations that ended with an error, or could not begin."),
    FRAMES_DROPPED("Received Sends that are no frames, or of no conversation.");

    private final String sentence;

    EndpointCounter(String sentence) {
        this.sentence = sentence;
    }

    /** {@return a value for each counter, in an array of its own} */
    static Map<EndpointCounter, long[]> zeros() {
        Map<EndpointCounter, long[]> all = new EnumMap<>(EndpointCounter.class);
        for (EndpointCounter each : values()) {
            all.put(each, new long[1]);
        }
        return all;
    }

    /** {@return the counters, in the order of this enum} */
    static List<Counter> list(Map<EndpointCounter, long[]> values) {
        List<Counter> all = new ArrayList<>();
        values.forEach((each, value) ->
                all.add(new Counter("messages_" + each.name().toLowerCase(Locale.ROOT), value[0], each.sentence)));
        return all;
    }
}
