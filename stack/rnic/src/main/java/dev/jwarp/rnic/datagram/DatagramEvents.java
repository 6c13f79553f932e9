package dev.jwarp.rnic.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.datagram.DatagramEvent;
import dev.jwarp.rnic.completion.Completion;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.PeerNotice;

/** Turns events of an endpoint into async events for programs. */
final class DatagramEvents {
    private DatagramEvents() {}

    static AsyncEvent of(DatagramEvent event, DatagramQueuePair queuePair) {
        TerminateCode code = event.code();
        OperationStatus status = event.status();
        String words = event.sentence();
        if (code == null && status != null) { // as in the completion; a flush: this side ended the channel
            words = status == OperationStatus.WR_FLUSH_ERR
                    ? "this side ended the channel"
                    : Completion.status(status).sentence();
        }
        String sentence = queuePair + ", queue pair " + event.peerQpn() + " at " + event.peer() + ": " + words
                + (code == null ? "." : " (" + code.triple() + ", " + code.source() + ").");
        PeerNotice notice = event.kind() == DatagramEvent.Kind.REFUSED_BY_PEER
                ? new PeerNotice(
                        event.peer().toSocketAddress(),
                        event.peerQpn(),
                        event.messageId(),
                        event.workRequestKnown() ? event.workRequestId() : 0,
                        code == null ? 0 : control(code))
                : null;
        return new AsyncEvent(type(event), queuePair, sentence, notice);
    }

    private static int control(TerminateCode code) {
        return code.layer() << 12 | code.errorType() << 8 | code.errorCode();
    }

    private static AsyncEventType type(DatagramEvent event) {
        return switch (event.kind()) {
            case REFUSED_BY_PEER -> AsyncEventType.PEER_NOTICE;
            case UNSENDABLE -> AsyncEventType.UNSENDABLE;
            case SILENT -> AsyncEventType.PATH_SILENT;
            case OTHER_VERSION -> AsyncEventType.VERSION_LIST;
            case RECORDS_DROPPED -> AsyncEventType.RECORD_LOG_FULL;
            case PEER_LOST -> AsyncEventType.PEER_FAILED;
            case VIOLATION ->
                FailureNames.eventType(event.code(), true) == AsyncEventType.QP_ACCESS_ERR
                        ? AsyncEventType.QP_ACCESS_ERR
                        : AsyncEventType.QP_REQ_ERR;
        };
    }
}
