package dev.jwarp.tools.demo;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How one way of moving the file over datagrams went. One thread. */
final class DatagramMoved {
    private final DemoDatagramOperation operation;
    private final MessageDigest digest = Sha256.create();
    private final Arrived arrived = new Arrived();
    private final List<Holes> holes = new ArrayList<>();
    private long messages;
    private long partial;
    private long lost;
    private long rereads;
    private long nanos;
    private byte @Nullable [] sha256;

    DatagramMoved(DemoDatagramOperation operation) {
        this.operation = operation;
    }

    /** A window was moved, and repaired. */
    void took(int count, long nanoseconds) {
        messages += count;
        nanos += nanoseconds;
    }

    /**
     * A window was moved, and not yet repaired.
     *
     * @param firstMessage its first message
     * @param place its place in the file
     */
    void missed(DatagramWindow window, long firstMessage, long place) {
        for (DatagramWindow.Torn torn : window.torn()) {
            boolean nothing = torn.validity().validBytes() == 0;
            lost += nothing ? 1 : 0;
            partial += nothing ? 0 : 1;
            holes.add(Holes.of(firstMessage + torn.message(), place + torn.offset(), torn.validity()));
        }
    }

    /** A Read that was to repair something has ended. */
    void reread() {
        rereads++;
    }

    DemoDatagramOperation operation() {
        return operation;
    }

    /** {@return Write-Records or Reads that carried the file, those that repaired it not counted} */
    long messages() {
        return messages;
    }

    /** {@return those of them of which some bytes were missing} */
    long partial() {
        return partial;
    }

    /** {@return those of them of which nothing came} */
    long lost() {
        return lost;
    }

    /** {@return Reads that repaired them} */
    long rereads() {
        return rereads;
    }

    /** {@return what was missing at first, message by message} */
    List<Holes> holes() {
        return holes;
    }

    /** {@return how many bytes were missing at first} */
    long missing() {
        return holes.stream().mapToLong(Holes::missing).sum();
    }

    /** {@return how long bytes were moving} */
    long nanos() {
        return nanos;
    }

    /** {@return where what was moved is counted in, at its origin} */
    MessageDigest digest() {
        return digest;
    }

    Arrived arrived() {
        return arrived;
    }

    /** {@return the hash of what was moved, at its origin} No more can be moved then. */
    byte[] sha256() {
        sha256 = sha256 == null ? digest.digest() : sha256;
        return sha256;
    }

    boolean equal() {
        return Arrays.equals(sha256(), arrived.sha256()) && arrived.difference() == null;
    }
}
