package dev.jwarp.conformance.wire;

import java.util.Arrays;

/** The bytes of a stream that are still needed: more come behind, those in front are given up. Holds no memory while it is empty. For one thread. */
public final class Window {
    private static final int LEAST = 2048;

    private byte[] octets = new byte[0];
    private int start;
    private int end;
    private long position;

    /** Empty, at position 0 of the stream. */
    public Window() {}

    /** {@return how many octets are held} */
    public int available() {
        return end - start;
    }

    /** {@return the position in the stream of the first octet held} */
    public long position() {
        return position;
    }

    /** {@return the array in which the octets are; another one after octets were added} */
    public byte[] array() {
        return octets;
    }

    /** {@return where in the array the first octet is} */
    public int start() {
        return start;
    }

    /** {@return where in the array the octets end} */
    public int end() {
        return end;
    }

    /** Takes the next bytes of the stream. */
    public void add(byte[] from, int at, int length) {
        room(length);
        System.arraycopy(from, at, octets, end, length);
        end += length;
    }

    /** Takes zeros for bytes that are known to have been there. */
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

    /** Gives up the first bytes. */
    public void drop(int length) {
        start += length;
        position += length;
        if (start == end) {
            octets = new byte[0];
            start = 0;
            end = 0;
        }
    }

    /** Gives up all bytes, and passes over {@code length} that never came. */
    public void skip(long length) {
        drop(available());
        position += length;
    }
}
