package dev.jwarp.transport.tcp.nio;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The streams of a loop, in no order; each knows its place, so that one leaves at once. Owner only. */
final class StreamList {
    private @Nullable NioStream[] streams = new NioStream[16];
    private int size;

    int size() {
        return size;
    }

    NioStream get(int index) {
        return Objects.requireNonNull(streams[index]);
    }

    void add(NioStream stream) {
        if (size == streams.length) {
            streams = Arrays.copyOf(streams, 2 * size);
        }
        stream.listIndex = size;
        streams[size++] = stream;
    }

    /** Does nothing if it is not there. The last one takes its place: a walk of the list from its end misses none. */
    void remove(NioStream stream) {
        if (stream.listIndex < 0) {
            return;
        }
        NioStream last = get(--size);
        streams[size] = null;
        if (last != stream) {
            streams[stream.listIndex] = last;
            last.listIndex = stream.listIndex;
        }
        stream.listIndex = -1;
    }
}
