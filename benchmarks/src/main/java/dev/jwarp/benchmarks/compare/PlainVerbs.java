package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One program over one connection, in the verbs of jwarp or in DiSNI's API: round trips of Sends, or a stream of RDMA
 * Writes in lists. Each end is a process, because a process has only one context of DiSNI.
 */
final class PlainVerbs implements Contender {
    /** Size of a Send. The first byte of a message to the far end says whether more messages follow in this round. */
    static final int MESSAGE = 64;

    /** Number of Writes that are posted with one call; the last one is signaled. */
    static final int LIST = 4;

    static final int REQUESTS = 64;
    static final int RECEIVES = 2;
    static final int BATCH = 16;

    private static final int RDMA_WRITE = 1;
    private static final int RECV = 128;
    private static final int LISTS_UNDER_WAY = 8;
    private static final byte MORE = 1;
    private static final byte LAST = 0;

    /** The operations of both APIs. For one thread. */
    interface End {
        /** {@return registered memory: one message to send, followed by room for one received message} */
        ByteBuffer memory();

        /** Sets the target of Writes. */
        void aim(long address, int key) throws IOException;

        void receive() throws IOException;

        void send() throws IOException;

        /** Posts {@link PlainVerbs#LIST} Writes. */
        void write() throws IOException;

        /** {@return number of completions that were polled} */
        int poll() throws IOException;

        /** {@return the opcode of a completion of the last poll, as a number of libibverbs} */
        int opcode(int index) throws IOException;

        void requestNotification() throws IOException;

        void await() throws IOException;
    }

    private final FarProcess far;
    private final End end;
    private final boolean block;
    private final boolean stream;
    private final int size;
    private final TimedRoundTrips trips = new TimedRoundTrips(MESSAGE, new Turn());
    private int arrived;
    private int written;

    /** @param arguments {@code api=disni|verbs wait=spin|block stream=yes}, {@code size=N} of a Write; settings of jwarp */
    PlainVerbs(Arguments arguments) throws IOException {
        size = size(arguments);
        stream = arguments.is("stream", "yes");
        block = arguments.is("wait", "block");
        far = new FarProcess(PlainVerbs.class, arguments);
        int port = Integer.parseInt(far.next());
        boolean disni = arguments.is("api", "disni");
        end = disni ? DisniEnd.connect(arguments, port) : VerbsEnd.connect(arguments, port);
        String[] place = far.next().split(" ", -1);
        end.aim(Long.parseLong(place[0]), Integer.parseInt(place[1]));
    }

    static int size(Arguments arguments) {
        return arguments.number("size", 64 << 10);
    }

    /** {@return the line in which the far end prints the target for Writes} */
    static String place(long address, int key) {
        return address + " " + key;
    }

    @Override
    public Sample round(long nanos) throws IOException {
        end.memory().put(0, MORE);
        Sample sample = stream ? stream(nanos) : trips.round(nanos, this::trip);
        end.memory().put(0, LAST);
        trip();
        return sample;
    }

    private void trip() throws IOException {
        end.send();
        for (arrived = 0; arrived == 0; ) {
            take();
        }
        end.receive();
    }

    private Sample stream(long nanos) throws IOException {
        long start = System.nanoTime();
        long lists = 0;
        written = 0;
        do {
            while (lists - written == LISTS_UNDER_WAY) {
                take();
            }
            end.write();
            lists++;
        } while (System.nanoTime() - start < nanos);
        trip(); // the answer shows that all earlier Writes were placed
        long writes = lists * LIST;
        return Sample.ofStream(writes, writes * size, System.nanoTime() - start);
    }

    /** {@return number of completions that were polled} If there are none, an end that blocks waits for an event. */
    private static int poll(End end, boolean block) throws IOException {
        int count = end.poll();
        if (count == 0 && block) {
            end.requestNotification();
            count = end.poll();
            if (count == 0) {
                end.await();
            }
        }
        return count;
    }

    private void take() throws IOException {
        int count = poll(end, block);
        for (int i = 0; i < count; i++) {
            switch (end.opcode(i)) {
                case RECV -> arrived++;
                case RDMA_WRITE -> written++;
                default -> {} // the completion of a Send: the answer follows
            }
        }
    }

    /** The far end: returns messages. Between rounds it always waits for an event. */
    public static void main(String[] words) throws IOException {
        Arguments arguments = Arguments.of(Arrays.asList(words));
        End end = arguments.is("api", "disni") ? DisniEnd.accept(arguments) : VerbsEnd.accept(arguments);
        boolean block = arguments.is("wait", "block") || arguments.is("stream", "yes");
        int at = size(arguments);
        boolean more = false;
        while (true) {
            int count = poll(end, block || !more);
            for (int i = 0; i < count; i++) {
                if (end.opcode(i) == RECV) {
                    more = end.memory().get(at) == MORE;
                    end.send();
                    end.receive();
                }
            }
        }
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {
        far.close();
    }
}
