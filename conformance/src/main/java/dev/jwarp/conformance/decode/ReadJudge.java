package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Compares the requests of one side with the responses of the other: outstanding RDMA Reads and atomic operations. */
final class ReadJudge {
    /** Limit of the kept requests: an IRD cannot allow more. */
    private static final int MOST_KEPT = 1 << 14;
    /** Size of a Read Request after its DDP header (RFC 5040 §4.4). */
    private static final int READ_REQUEST = 28;

    /** Memory in bytes for a request. */
    private static final int REQUEST = 64;

    /** The fields with which a response is compared; numbers are 0 if the request is too short for them. */
    private record Request(@Nullable Opcode opcode, int length, long stag, long to, long size, long identifier) {
        static Request of(Segment segment) {
            int length = segment.payload().length;
            boolean whole = length >= READ_REQUEST;
            return new Request(
                    segment.opcode(),
                    length,
                    whole ? segment.number(0, 4) : 0,
                    whole ? segment.number(4, 8) : 0,
                    whole ? segment.number(12, 4) : 0,
                    length >= 8 ? segment.number(4, 4) : 0);
        }
    }

    private final Budget budget;
    private final ArrayDeque<Request> outstanding = new ArrayDeque<>();
    private boolean certain = true;
    private long answered;
    private int limit = Integer.MAX_VALUE;

    ReadJudge(Budget budget) {
        this.budget = budget;
    }

    /** Bytes of one side are missing: from now on the outstanding requests are not known. */
    void lost() {
        certain = false;
        budget.hold(-(long) REQUEST * outstanding.size());
        outstanding.clear();
    }

    /** Sets the limit that was negotiated (RFC 6581 §9.1). */
    void limit(@Nullable StartFrame own, @Nullable StartFrame peer) {
        Depths mine = own == null ? null : own.depths();
        Depths theirs = peer == null ? null : peer.depths();
        if (mine != null && theirs != null && theirs.ird() != Depths.UNSET && mine.ord() != Depths.UNSET) {
            limit = theirs.ird();
        }
    }

    /** A Read or Atomic Request was sent. */
    void asked(Segment request, boolean cut, Breaches breaches) {
        if (!certain) {
            return;
        }
        if (cut || outstanding.size() == MOST_KEPT) {
            lost();
            return;
        }
        outstanding.add(Request.of(request));
        budget.hold(REQUEST);
        if (outstanding.size() > limit) {
            breaches.add(
                    "RDMAP-6.1-2", outstanding.size() + " requests are outstanding; " + limit + " were negotiated");
        }
    }

    /**
     * A segment of a response was sent.
     *
     * @param judge false if earlier requests may not have been decoded yet
     */
    void answered(Segment response, boolean judge, Breaches breaches) {
        if (!certain) {
            return;
        }
        Request request = outstanding.peek();
        if (request == null) {
            if (judge) {
                breaches.add(response.tagged() ? "RDMAP-5.2.2-3" : "EXT-5.2.2-3", "the response answers no request");
            } else {
                lost();
            }
            return;
        }
        if ((request.opcode == Opcode.READ_REQUEST) != response.tagged()) {
            breaches.add(
                    "EXT-7-1", "the oldest request is " + request.opcode + ", and the response answers another kind");
            lost();
            return;
        }
        if (response.tagged()) {
            read(request, response, breaches);
        } else {
            done();
            if (response.payload().length >= 4 && request.length >= 8 && response.number(0, 4) != request.identifier) {
                breaches.add("EXT-5.2.2-1", "the identifier is not that of the oldest request");
            }
        }
    }

    private void done() {
        outstanding.remove();
        budget.hold(-REQUEST);
    }

    private void read(Request request, Segment response, Breaches breaches) {
        if (request.length < READ_REQUEST) {
            lost();
            return;
        }
        long size = request.size;
        if (answered == 0 && size > 0 && (response.stag() != request.stag || response.to() != request.to)) {
            breaches.add(
                    "RDMAP-4.4-2", "STag and TO are not the 0x%08X and 0x%X of the request", request.stag, request.to);
        }
        answered += response.payload().length;
        if (response.last()) {
            if (answered != size) {
                breaches.add("RDMAP-5.2.1-2", "the response has " + answered + " bytes; " + size + " were asked for");
            }
            answered = 0;
            done();
        } else if (answered > size) {
            breaches.add("RDMAP-5.2.1-2", "the response goes beyond the " + size + " bytes that were asked for");
        }
    }
}
