package dev.jwarp.tools.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Standard output, which remembers why something could not be written: a {@link PrintStream} says only that. Any thread. */
public final class Results extends PrintStream {
    /** What the system says, in its language, where the reader of a pipe has gone; empty if that cannot be found out. */
    public static final String BROKEN_PIPE = brokenPipe();

    private final Target target;

    /** Flushed after every line: a user may be watching the pings. */
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

    /** {@return what the system said when something was not written first; null: all is written} */
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
