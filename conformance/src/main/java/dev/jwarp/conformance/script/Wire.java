package dev.jwarp.conformance.script;

import dev.jwarp.conformance.wire.Octets;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A blocking TCP connection to the device, with a record of every byte. Writes are never joined: each call of
 * {@link #send} makes at least one TCP segment of its own, as far as the kernel allows (no Nagle).
 *
 * <p>Not thread-safe, except for {@link #abandon}: a case has one thread.
 */
public final class Wire extends Journal implements AutoCloseable {
    /** Bytes of one frame that are written one by one. The rest is written at once to save time. */
    private static final int ONE_BY_ONE = 2_048;

    /** Limit of the bytes that wait for a common write. */
    private static final int MOST_TOGETHER = 64 << 10;

    /** How bytes are divided into writes. */
    public enum Writes {
        /** Each piece in a write of its own. */
        EACH,
        BYTE_BY_BYTE,
        /** All pieces that the tester sends before it reads, in one write. */
        TOGETHER
    }

    private final Socket socket;
    private final Octets waiting = new Octets();
    private Writes writes = Writes.EACH;
    private final InputStream in;
    private volatile boolean abandoned;
    private byte[] held = new byte[0];
    private boolean ended;
    private boolean reset;

    /** Takes over a connected socket. */
    public Wire(Socket socket) {
        // A closed socket no longer knows its addresses.
        super(
                (InetSocketAddress) socket.getLocalSocketAddress(),
                (InetSocketAddress) socket.getRemoteSocketAddress(),
                false);
        this.socket = socket;
        try {
            socket.setTcpNoDelay(true);
            in = socket.getInputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        record(Event.Kind.CONNECTED, new byte[0], "");
    }

    /** Changes how bytes are divided into writes from now on. */
    public void writing(Writes how) {
        writes = how;
    }

    /**
     * Sends bytes, at once unless pieces are collected. A failure is recorded; the case is judged by what the device
     * sends.
     */
    public void send(byte[] octets, String note) {
        record(Event.Kind.SENT, octets, note);
        waiting.add(octets);
        if (writes != Writes.TOGETHER || waiting.size() >= MOST_TOGETHER) {
            flush();
        }
    }

    void flush() {
        byte[] octets = waiting.bytes();
        if (octets.length == 0) {
            return;
        }
        waiting.clear();
        int single = writes == Writes.BYTE_BY_BYTE ? Math.min(octets.length, ONE_BY_ONE) : 0;
        try {
            for (int i = 0; i < single; i++) {
                socket.getOutputStream().write(octets, i, 1);
            }
            socket.getOutputStream().write(octets, single, octets.length - single);
        } catch (IOException e) {
            note("could not send: " + e.getMessage());
        }
    }

    /**
     * Waits until at least {@code count} unread bytes are there. The limit of {@code millis} begins anew with each byte
     * that comes. Returns false if the bytes did not come.
     */
    public boolean await(int count, long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        int before = held.length;
        while (held.length < count && !ended) {
            if (held.length > before) {
                before = held.length;
                deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            read((int) Math.min(left, Integer.MAX_VALUE));
        }
        return held.length >= count;
    }

    /** Waits for the next bytes or the end of the stream, for at most {@code millis}; false if neither comes. */
    public boolean awaitAnything(long millis) {
        int before = held.length;
        boolean was = ended;
        if (!ended && millis > 0) {
            read((int) Math.min(millis, Integer.MAX_VALUE));
        }
        return held.length > before || ended != was;
    }

    void pause(long millis) {
        flush();
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Inconclusive("interrupted");
        }
    }

    /** Waits so many milliseconds, and reads the bytes that come in that time. */
    public void pass(long millis) {
        long until = millis() + millis;
        while (millis() < until) {
            if (!ended) {
                awaitAnything(until - millis());
                continue;
            }
            try {
                Thread.sleep(Math.max(1, until - millis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void read(int millis) {
        byte[] buffer = new byte[65536];
        flush();
        try {
            socket.setSoTimeout(Math.max(1, millis));
            int count = in.read(buffer);
            if (count < 0) {
                ended = true;
                record(Event.Kind.PEER_CLOSED, new byte[0], "FIN");
                return;
            }
            byte[] octets = Arrays.copyOf(buffer, count);
            record(Event.Kind.RECEIVED, octets, "");
            byte[] more = Arrays.copyOf(held, held.length + count);
            System.arraycopy(octets, 0, more, held.length, count);
            held = more;
        } catch (SocketTimeoutException e) {
            // Nothing came. The caller checks its time limit.
        } catch (IOException e) {
            ended = true;
            if (abandoned) {
                note("given up by the tester");
                return;
            }
            reset = true;
            record(Event.Kind.PEER_RESET, new byte[0], String.valueOf(e.getMessage()));
        }
    }

    /** Received bytes that are still unread. */
    public byte[] held() {
        return held.clone();
    }

    /** Removes and returns {@code count} of the received bytes. */
    public byte[] take(int count) {
        byte[] taken = Arrays.copyOf(held, count);
        held = Arrays.copyOfRange(held, count, held.length);
        return taken;
    }

    /** Whether the direction of the device has ended, with FIN or RST. */
    public boolean ended() {
        return ended || abandoned;
    }

    /** Whether the direction of the device ended with RST. */
    public boolean wasReset() {
        return reset;
    }

    /** Ends the direction of the tester with FIN; that of the device may go on. */
    public void finish() {
        flush();
        record(Event.Kind.CLOSED, new byte[0], "FIN");
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            note("could not send FIN: " + e.getMessage());
        }
    }

    /** Ends the connection with RST. */
    public void reset() {
        flush();
        record(Event.Kind.RESET, new byte[0], "RST");
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            note("could not reset: " + e.getMessage());
        }
    }

    /** Whether the device has sent bytes. */
    public boolean said() {
        return events().stream().anyMatch(e -> e.kind() == Event.Kind.RECEIVED);
    }

    /** Milliseconds between the device's first bytes and the event before them; 0 if the device sent nothing. */
    public long answeredMillis() {
        long before = 0;
        for (Event event : events()) {
            if (event.kind() == Event.Kind.RECEIVED) {
                return (event.nanos() - before) / 1_000_000;
            }
            before = event.nanos();
        }
        return 0;
    }

    /** Ends the conversation. Any thread may call this; a thread that reads or writes here returns soon. */
    public void abandon() {
        abandoned = true;
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is of no more use, and only the thread of the case may write to the record.
        }
    }

    /** Whether the tester has given up the conversation. Later events do not show what the device would have sent. */
    public boolean abandoned() {
        return abandoned;
    }

    @Override
    public void close() {
        flush();
        try {
            socket.close();
        } catch (IOException e) {
            note("could not close: " + e.getMessage());
        }
    }
}
