package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import org.jspecify.annotations.Nullable;

/**
 * An event for the program that is no completion, for the error queue of a datagram queue pair. An event never changes
 * the state of a UD endpoint. Each endpoint reuses one object for all calls of {@link DatagramListener#event}; its
 * contents are valid only during the call.
 */
public final class DatagramEvent {
    /** The kinds of events. */
    public enum Kind {
        /** A peer refused our message (NOTIFY). */
        REFUSED_BY_PEER,
        /** The kernel refused our datagram; its operation failed. */
        UNSENDABLE,
        /** A peer supports only other versions of datagram-iWARP. */
        OTHER_VERSION,
        /**
         * Write-Records are dropped because too many completions wait for the completion queue; reported at most once a
         * second.
         */
        RECORDS_DROPPED,
        /** RD: the channel with a peer failed. */
        PEER_LOST,
        /** UD: a peer that much is sent to stays silent; sending to it is throttled until a datagram arrives. */
        SILENT,
        /** This side found a violation by a peer, notified the peer and, with RD, aborted the channel. */
        VIOLATION
    }

    private final DatagramAddress peer = new DatagramAddress();
    private Kind kind = Kind.VIOLATION;
    private int peerQpn;
    private int messageId;
    private boolean workRequestKnown;
    private long workRequestId;
    private @Nullable TerminateCode code;
    private @Nullable OperationStatus status;
    private String sentence = "";

    /** Creates an empty event. */
    public DatagramEvent() {}

    DatagramEvent set(Kind what, DatagramAddress who, int qpn, int id, @Nullable TerminateCode why, String words) {
        kind = what;
        peer.set(who);
        peerQpn = qpn;
        messageId = id;
        code = why;
        sentence = words;
        status = null;
        workRequestKnown = false;
        workRequestId = 0;
        return this;
    }

    /** Sets an event about a datagram of the peer, or about our message that the datagram answers. */
    DatagramEvent set(Kind what, ReceivedDatagram datagram, @Nullable TerminateCode why, String words) {
        Shim shim = datagram.shim();
        return set(what, datagram.source(), shim.sourceQpn(), shim.messageId(), why, words);
    }

    /** Sets the status of the operations with the peer. */
    DatagramEvent status(OperationStatus outcome) {
        status = outcome;
        return this;
    }

    DatagramEvent workRequest(long id) {
        workRequestKnown = true;
        workRequestId = id;
        return this;
    }

    /** {@return the kind of event} */
    public Kind kind() {
        return kind;
    }

    /** {@return the peer's address} Copy it to keep it. */
    public DatagramAddress peer() {
        return peer;
    }

    /** {@return the peer's queue pair} */
    public int peerQpn() {
        return peerQpn;
    }

    /** {@return the Message Id concerned, or 0} */
    public int messageId() {
        return messageId;
    }

    /** {@return whether the work request concerned is known} */
    public boolean workRequestKnown() {
        return workRequestKnown;
    }

    /** {@return the id of the work request concerned, if known} */
    public long workRequestId() {
        return workRequestId;
    }

    /** {@return the code on the wire, or null if there is none or the code is unknown} */
    public @Nullable TerminateCode code() {
        return code;
    }

    /** {@return the status of the operations under way with the peer; null if the event does not end operations} */
    public @Nullable OperationStatus status() {
        return status;
    }

    /** {@return the description of the event, without a full stop; empty where {@link #status} is sufficient} */
    public String sentence() {
        return sentence;
    }

    @Override
    public String toString() {
        return kind + " " + peer + " queue pair " + peerQpn + ": " + sentence;
    }
}
