package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import org.jspecify.annotations.Nullable;

/**
 * Something a program should hear of that is no completion: the error queue of a datagram queue pair. It never changes the
 * state of a UD endpoint. One object an endpoint, filled anew for each call of {@link DatagramListener#event}: read it during
 * the call only.
 */
public final class DatagramEvent {
    /** What happened. */
    public enum Kind {
        /** A peer says that a message of ours was at fault (NOTIFY). */
        REFUSED_BY_PEER,
        /** The kernel will not take a datagram of ours; its operation failed. */
        UNSENDABLE,
        /** A peer speaks other versions of datagram-iWARP only. */
        OTHER_VERSION,
        /** Write-Records are dropped because too many completions wait for a place; told at most once a second. */
        RECORDS_DROPPED,
        /** Reliable: the channel with a peer failed. */
        PEER_LOST,
        /** Nothing comes from a peer of UD that much is sent to: it gets next to nothing until something does. */
        SILENT,
        /** This side found a violation of a peer, told it, and (reliable) gave its channel up. */
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

    /** Creates an empty one. */
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

    /** About a datagram of the peer, or about the message of ours that it answers. */
    DatagramEvent set(Kind what, ReceivedDatagram datagram, @Nullable TerminateCode why, String words) {
        Shim shim = datagram.shim();
        return set(what, datagram.source(), shim.sourceQpn(), shim.messageId(), why, words);
    }

    /** What the operations with the peer end with. */
    DatagramEvent status(OperationStatus outcome) {
        status = outcome;
        return this;
    }

    DatagramEvent workRequest(long id) {
        workRequestKnown = true;
        workRequestId = id;
        return this;
    }

    /** {@return what happened} */
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

    /** {@return whether it is known which work request of ours is concerned} */
    public boolean workRequestKnown() {
        return workRequestKnown;
    }

    /** {@return its number, if known} */
    public long workRequestId() {
        return workRequestId;
    }

    /** {@return the code on the wire, or null if there is none or it is not known} */
    public @Nullable TerminateCode code() {
        return code;
    }

    /** {@return what operations that were under way with the peer end with; null if the event is not about those} */
    public @Nullable OperationStatus status() {
        return status;
    }

    /** {@return what happened, in words, without a full stop; empty where {@link #status} alone says it} */
    public String sentence() {
        return sentence;
    }

    @Override
    public String toString() {
        return kind + " " + peer + " queue pair " + peerQpn + ": " + sentence;
    }
}
