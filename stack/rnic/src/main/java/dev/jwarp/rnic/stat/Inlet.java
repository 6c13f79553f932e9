package dev.jwarp.rnic.stat;

import dev.jwarp.llp.nio.SystemChannels;
import dev.jwarp.verbs.ObservedRow;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of another process. Time and memory are limited, because that process may be of another version,
 * stopped, or no jwarp process at all.
 */
final class Inlet implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
    /** Pause before a new attempt to connect if the backlog is full. */
    private static final long PAUSE_MILLIS = 10;

    private static final int MOST_OCTETS = 64 << 20;

    private final SocketChannel channel;
    private final String process;
    private final ByteBuffer buffer = ByteBuffer.allocate(8 * RowText.LONGEST_LINE);
    private final long deadline = System.nanoTime() + PATIENCE_NANOS;
    private final long stallMillis;
    private int octets;

    /**
     * Connects.
     *
     * @param process name of the process, for messages
     * @param stallMillis longest permitted silence of the process
     * @throws AccessDeniedException if this user may not connect
     * @throws java.net.ConnectException if no process listens there any more
     */
    Inlet(Path socket, String process, long stallMillis) throws IOException {
        this.process = process;
        this.stallMillis = stallMillis;
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(stallMillis);
        SocketChannel connected = connect(socket);
        while (connected == null) {
            if (System.nanoTime() - until > 0) {
                throw silent();
            }
            pause();
            connected = connect(socket);
        }
        channel = connected;
    }

    /** {@return a connection; null if the backlog of the process is full} */
    private static @Nullable SocketChannel connect(Path socket) throws IOException {
        SocketChannel made = SystemChannels.provider().openSocketChannel(StandardProtocolFamily.UNIX);
        try {
            made.configureBlocking(false);
            if (made.connect(UnixDomainSocketAddress.of(socket))) {
                return made;
            }
        } catch (ConnectException e) {
            made.close();
            throw e;
        } catch (SocketException e) {
            // The JDK has one exception for all other reasons, and no numbers.
            made.close();
            if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
                throw new ConnectException(socket + " has gone");
            }
            if (!Files.isWritable(socket)) {
                throw new AccessDeniedException(socket.toString());
            }
        }
        made.close();
        return null;
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while it waited to be answered");
        }
    }

    /** {@return all rows} */
    List<ObservedRow> rows() throws IOException {
        List<ObservedRow> rows = new ArrayList<>();
        boolean first = true;
        try (Selector selector = SystemChannels.provider().openSelector()) {
            channel.register(selector, SelectionKey.OP_READ);
            while (fill(selector)) {
                for (ByteBuffer line = nextLine(); line != null; line = nextLine()) {
                    if (first) {
                        checkVersion(line);
                        first = false;
                        continue;
                    }
                    ObservedRow row = RowText.decode(line);
                    if (row == null) {
                        throw strange("a line that is no row");
                    }
                    if (row.object().equals(RowText.END) && row.number("rows") == rows.size()) {
                        return rows;
                    }
                    rows.add(row);
                }
                buffer.compact();
            }
        }
        throw new RdmaException(
                RdmaErrorCode.CLOSED_BY_PEER,
                process + " stopped before the end of its answer: it may have ended, or be short of"
                        + " descriptors. Try again.");
    }

    private void checkVersion(ByteBuffer line) {
        String header = RowText.text(line);
        if (header == null || !header.startsWith(RowText.HEADER_PREFIX)) {
            throw strange("something else than rows");
        }
        if (!header.equals(RowText.HEADER)) {
            throw new RdmaException(
                    RdmaErrorCode.PROTOCOL_MISMATCH,
                    process + " runs another version of jwarp, whose answer this version does not understand."
                            + " Use the jwarp command of that version.");
        }
    }

    private RdmaException strange(String what) {
        return new RdmaException(
                RdmaErrorCode.PROTOCOL_MISMATCH, process + " sent " + what + ": it is not this jwarp.");
    }

    private RdmaException silent() {
        return new RdmaException(
                RdmaErrorCode.TIMED_OUT, process + " does not answer: it may be stopped (SIGSTOP), or far too busy.");
    }

    /** Waits for more bytes, and flips the buffer. Returns false at the end. */
    private boolean fill(Selector selector) throws IOException {
        if (!buffer.hasRemaining()) {
            throw strange("a line without end");
        }
        while (true) {
            int read = channel.read(buffer);
            if (read > 0) {
                octets += read;
                if (octets > MOST_OCTETS) {
                    throw strange("more than " + MOST_OCTETS + " bytes");
                }
                buffer.flip();
                return true;
            }
            if (read < 0) {
                return false;
            }
            long millis = Math.min(stallMillis, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            if (millis <= 0 || selector.select(millis) == 0) {
                throw silent();
            }
            selector.selectedKeys().clear();
        }
    }

    /** {@return the next complete line of the buffer, without its line end; null if there is none yet} */
    private @Nullable ByteBuffer nextLine() {
        for (int end = buffer.position(); end < buffer.limit(); end++) {
            if (buffer.get(end) == '\n') {
                ByteBuffer line = buffer.slice(buffer.position(), end - buffer.position());
                buffer.position(end + 1);
                return line;
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
