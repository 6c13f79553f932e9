package dev.jwarp.transport.udp.port;

import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.path.PathMtuSearch;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.PathProbeBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;

/** Writes PATH-PROBEs (datagram-iWARP §4.4). Owner thread only; allocates nothing. */
public final class ProbeWriter {
    private final Shim shim = new Shim();
    private final PathProbeBody probe = new PathProbeBody();

    private final int envelope;
    private boolean aboutReads;

    /**
     * Creates a writer.
     *
     * @param envelope the octets that an envelope adds to each datagram; 0 without envelopes
     */
    public ProbeWriter(int envelope) {
        this.envelope = envelope;
    }

    /** Sets destination and queue pair of the next probe. Returns this. */
    public ProbeWriter addressed(DatagramPeer peer, int queuePairNumber, int key, int messageId) {
        shim.addressed(peer.queuePairNumber(), queuePairNumber, key)
                .message(messageId, 0)
                .segment(0, 0);
        aboutReads = false;
        return this;
    }

    /**
     * Sets that the next probe follows an answer to a Read: the Key of that peer is unknown, so the probe repeats the
     * Key and the numbers of the Read (datagram-iWARP §10, DG-10-20). Returns this.
     *
     * @param answer the shim of the answer
     */
    public ProbeWriter behindAnswer(Shim answer) {
        shim.addressed(answer.destinationQpn(), answer.sourceQpn(), answer.key())
                .message(answer.messageId(), 0)
                .segment(0, 0);
        aboutReads = true;
        return this;
    }

    /**
     * Writes the probe into that buffer, which has room for one datagram.
     *
     * @param reliable whether the Key is the tag of a channel; else the probe has the peer's cookie, if there is one
     * @param octets the length of the probe in octets of UDP payload; raised to the least length if shorter
     */
    public void write(SendBuffer out, DatagramPeer peer, boolean reliable, int octets, long token, long nowNanos) {
        boolean shows = !reliable && !aboutReads && peer.hasCookie(nowNanos);
        int around = DatagramLength.SHORTEST + (shows ? CookieBody.LENGTH : 0) + envelope;
        int length = Math.max(PathProbeBody.LEAST_LENGTH, octets - around);
        shim.message(shim.messageId(), length).flags(aboutReads, reliable, false, false);
        ByteBuffer memory = out.memory();
        int begin = out.begin(peer.address());
        out.alone();
        ShimHeader.write(memory, begin, Kind.PATH_PROBE, shim, shows ? ShimHeader.COOKIE : 0);
        int at = begin + ShimHeader.LENGTH;
        if (shows) {
            CookieBody.write(memory, at, peer.cookieHigh(), peer.cookieLow());
            at += CookieBody.LENGTH;
        }
        probe.wrap(memory, at);
        int takes = peer.path() instanceof PathMtuSearch path ? path.largest() : DatagramLength.LARGEST;
        probe.set(token, takes);
        probe.pad(length);
        out.end(at + length - begin, null);
    }
}
