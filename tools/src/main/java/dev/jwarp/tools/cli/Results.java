package dev.jwarp.tools.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that keeps the message of the first failed write: {@link PrintStream} keeps only a flag. Any thread.
 */
public final class Results extends PrintStream {
    /**
     * The system's message, in its language, for a write to a broken pipe; empty if the message cannot be determined.
     */
    public static final String BROKEN_PIPE = brokenPipe();

    private final Target target;

    /** Flushes after every line, because a user may be watching. */
    public Results(OutputStream to) {
        this(new Target(to));
    }

    private Results(Target target) {
        super(target, true, StandardCharsets.UTF_8);
        this.target = target;
    }

    private static String brokenPipe() {
        try {
            Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel sink = pipe.sink()) {
                pipe.source().close();
                sink.write(ByteBuffer.allocate(1));
            }
            return "";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** {@return the system's message of the first failed write; null if everything is written} */
    public @Nullable String lost() {
        flush();
        return target.lost;
    }

    private static final class Target extends FilterOutputStream {
        private volatile @Nullable String lost;

        Target(OutputStream to) {
            super(to);
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                out.write(bytes, from, length);
            } catch (IOException e) {
                lost = lost == null ? String.valueOf(e.getMessage()) : lost;
                throw e;
            }
        }
    }
}
