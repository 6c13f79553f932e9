package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.datagram.DatagramAddress;
import org.jspecify.annotations.Nullable;

/**
 * What arrived in a posted receive, and from which peer. One object an endpoint, filled anew for each call of
 * {@link DatagramListener#receiveCompleted}: read it during the call only.
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

    /** Creates an empty one. */
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

    /** {@return whether there was a message; false: the receive was flushed or failed, and all below means nothing} */
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

    /** {@return bytes of it in the receive's memory; less than the message has only if it is incomplete} */
    public long placedOctets() {
        return placedOctets;
    }

    /** {@return whether the sender asked for an event (RFC 5040 §5.3)} */
    public boolean solicited() {
        return solicited;
    }

    /** {@return whether it was sent to a group} */
    public boolean group() {
        return group;
    }

    /**
     * {@return what of an incomplete message arrived, to be given back with {@link MessageRecord#release}; null if the
     * message is complete}
     */
    public @Nullable MessageRecord record() {
        return record;
    }
}
