package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramAddress;
import org.jspecify.annotations.Nullable;

/**
 * Details of the message that filled a posted receive, and its sender. Each endpoint reuses one object for all calls of
 * {@link DatagramListener#receiveCompleted}; its contents are valid only during the call.
 */
public final class DatagramReceipt {
    private final DatagramAddress source = new DatagramAddress();
    private boolean present;
    private int sourceQpn;
    private long messageLength;
    private long placedOctets;
    private boolean solicited;
    private boolean group;
    private @Nullable MessageRecord record;

    /** Creates an empty receipt. */
    public DatagramReceipt() {}

    void clear() {
        present = false;
        sourceQpn = 0;
        messageLength = 0;
        placedOctets = 0;
        solicited = false;
        group = false;
        record = null;
    }

    void set(DatagramAddress from, int qpn, long length, boolean withEvent, boolean toGroup) {
        present = true;
        source.set(from);
        sourceQpn = qpn;
        messageLength = length;
        placedOctets = length;
        solicited = withEvent;
        group = toGroup;
        record = null;
    }

    void incomplete(long octets, @Nullable MessageRecord what) {
        placedOctets = octets;
        record = what;
    }

    /**
     * {@return whether the receive has a message; false if it was flushed or failed, and then the other getters are
     * meaningless}
     */
    public boolean present() {
        return present;
    }

    /** {@return the sender's address} Copy it to keep it. */
    public DatagramAddress source() {
        return source;
    }

    /** {@return the sender's queue pair} */
    public int sourceQpn() {
        return sourceQpn;
    }

    /** {@return bytes of the message} */
    public long messageLength() {
        return messageLength;
    }

    /**
     * {@return bytes of the message in the receive's memory; fewer than {@link #messageLength} only if the message is
     * incomplete}
     */
    public long placedOctets() {
        return placedOctets;
    }

    /** {@return whether the sender asked for an event (RFC 5040 §5.3)} */
    public boolean solicited() {
        return solicited;
    }

    /** {@return whether the message was sent to a group} */
    public boolean group() {
        return group;
    }

    /**
     * {@return the parts of an incomplete message that arrived; the listener calls {@link MessageRecord#release}. Null
     * if the message is complete}
     */
    public @Nullable MessageRecord record() {
        return record;
    }
}
