package dev.jwarp.conformance.wire;

import java.util.Arrays;

/**
 * The bytes of a stream that are still needed: new bytes are appended, and the first ones are dropped. Holds no memory
 * while empty. For one thread.
 */
public class Window {
    private static final int LEAST = 2048;

    private byte[] octets = new byte[0];
    private int start;
    private int end;
    private long position;

    /** An empty window at position 0 of the stream. */
    public Window() {}

    /** {@return number of held bytes} */
    public int available() {
        return end - start;
    }

    /** {@return position in the stream of the first held byte} */
    public long position() {
        return position;
    }

    /** {@return the array that holds the bytes; a new one after bytes were added} */
    public byte[] array() {
        return octets;
    }

    /** {@return index in the array of the first held byte} */
    public int start() {
        return start;
    }

    /** {@return index in the array after the last held byte} */
    public int end() {
        return end;
    }

    /** Appends the next bytes of the stream. */
    public void add(byte[] from, int at, int length) {
        room(length);
        System.arraycopy(from, at, octets, end, length);
        end += length;
    }

    /** Appends zeros in place of bytes that are missing. */
    public void addZeros(int length) {
        room(length);
        Arrays.fill(octets, end, end + length, (byte) 0);
        end += length;
    }

    private void room(int length) {
        if (end + length > octets.length) {
            int needed = available() + length;
            byte[] into = needed > octets.length ? new byte[Math.max(LEAST, needed + needed / 2)] : octets;
            System.arraycopy(octets, start, into, 0, available());
            end -= start;
            start = 0;
            octets = into;
        }
    }

    /** Drops the first bytes. */
    public void drop(int length) {
        start += length;
        position += length;
        if (start == end) {
            octets = new byte[0];
            start = 0;
            end = 0;
        }
    }

    /** Drops all bytes, and skips {@code length} bytes that never came. */
    public void skip(long length) {
        drop(available());
        position += length;
    }
}
