package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A stream of datagrams in one direction, with two groups of them in flight. */
final class DatagramStream extends DatagramNear {
    private static final int GROUPS = 2;

    private final ByteBuffer answer = ByteBuffer.allocateDirect(1);

    /** @param arguments {@code provider=jdk|jwarp stream=yes size=N} */
    DatagramStream(Arguments arguments) throws IOException {
        super(arguments, 1_400);
    }

    @Override
    public Sample round(long nanos) throws IOException {
        long start = System.nanoTime();
        long groups = 0;
        int open = 0;
        do {
            if (open == GROUPS) {
                channel.read(answer.clear());
                open--;
            }
            for (int i = 0; i < DatagramFar.GROUP; i++) {
                channel.write(message.clear());
            }
            open++;
            groups++;
        } while (System.nanoTime() - start < nanos);
        for (; open > 0; open--) {
            channel.read(answer.clear());
        }
        long messages = groups * DatagramFar.GROUP;
        return Sample.ofStream(messages, messages * message.capacity(), System.nanoTime() - start);
    }
}
