package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.llp.datagram.DatagramPeer;
import dev.jwarp.ddp.llp.datagram.Shim;
import org.jspecify.annotations.Nullable;

/** A Read of a peer that is being answered: takes its turn like a destination, or that of its asker, and is then forgotten. Reused; owner only. */
final class ReadJob extends PeerTurn {
    /** The shim of the Read Request: the answer repeats its numbers. */
    final Shim question = new Shim();

    /** UD: the asker. */
    private final DatagramPeer asker = new DatagramPeer();

    private @Nullable DatagramPeer peer;
    int sinkSTag;
    long sinkOffset;
    long size;

    /** Where the octets begin, see {@link TaggedBuffer#position}. */
    long position;

    int segmentSize;
    int segments;
    int sent;
    int accepted;
    boolean padded;
    boolean over;

    /** Null for a Read of nothing. */
    @Nullable
    TaggedBuffer region;

    @Nullable
    MessageSource origin;

    /** The list of jobs in progress. */
    @Nullable
    ReadJob next;

    @Nullable
    ReadJob previous;

    /** Begins anew. */
    void begin(Shim request, @Nullable DatagramPeer reliablePeer) {
        question.set(request);
        peer = reliablePeer == null ? asker : reliablePeer;
        segments = 0;
        sent = 0;
        accepted = 0;
        over = false;
    }

    DatagramPeer asker() {
        return asker;
    }

    @Override
    DatagramPeer turnOf() {
        return peer == null ? asker : peer;
    }

    @Override
    boolean hasWork() {
        return !over && (segments == 0 || sent < segments);
    }

    /** Refers to nothing any more. */
    void clear() {
        peer = null;
        region = null;
        origin = null;
        over = true;
    }
}
