package dev.jwarp.rnic.stat;

import dev.jwarp.llp.nio.SystemChannels;
import dev.jwarp.verbs.ObservedRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes rows to a reader. If the reader is too slow, writes throw an IOException after a time-out, so that the reader
 * does not block this process. One thread.
 */
final class Outlet implements RowSource.Sink, AutoCloseable {
    /** Largest number of rows of a kind. */
    static final int MOST_OF_A_KIND = 20_000;

    private static final int BUFFER = 65_536;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private final SocketChannel channel;
    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private final long stallNanos;
    private final long deadline;
    private final Map<String, Integer> written = new HashMap<>();
    private final Map<String, Long> cut = new LinkedHashMap<>();
    private long rows;

    /**
     * @param stallNanos longest permitted pause of the reader
     * @param allNanos longest permitted time for all rows
     */
    Outlet(SocketChannel channel, long stallNanos, long allNanos) throws IOException {
        this.channel = channel;
        this.stallNanos = stallNanos;
        deadline = System.nanoTime() + allNanos;
        channel.configureBlocking(false);
        selector = SystemChannels.provider().openSelector();
        channel.register(selector, SelectionKey.OP_WRITE);
        put((RowText.HEADER + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public boolean wants(String object) {
        boolean room = written.getOrDefault(object, 0) < MOST_OF_A_KIND;
        if (!room) {
            cut.put(object, (long) MOST_OF_A_KIND);
        }
        return room;
    }

    @Override
    public void row(ObservedRow row) {
        if (!wants(row.object())) {
            return;
        }
        written.merge(row.object(), 1, Integer::sum);
        rows++;
        try {
            put(RowText.encode(row));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes the rows that end the answer: the kinds that were cut, and the number of rows. */
    void end() throws IOException {
        for (Map.Entry<String, Long> kind : Map.copyOf(cut).entrySet()) {
            row(ObservedRow.of("cut").with("object", kind.getKey()).with("shown", kind.getValue()));
        }
        put(RowText.encode(ObservedRow.of(RowText.END).with("rows", rows)));
        flush();
    }

    private void put(byte[] line) throws IOException {
        if (line.length > RowText.LONGEST_LINE) {
            throw new IOException("a row of " + line.length + " bytes is too long to be sent");
        }
        if (line.length > buffer.remaining()) {
            flush();
        }
        buffer.put(line);
    }

    private void flush() throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            if (channel.write(buffer) == 0) {
                long nanos = Math.min(stallNanos, deadline - System.nanoTime());
                if (nanos <= 0 || selector.select(Math.max(1, nanos / NANOS_PER_MILLI)) == 0) {
                    throw new IOException("the reader is too slow");
                }
                selector.selectedKeys().clear();
            }
        }
        buffer.clear();
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
