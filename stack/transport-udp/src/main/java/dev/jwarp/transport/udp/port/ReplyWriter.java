package dev.jwarp.transport.udp.port;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.source.AnswerSources;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.DatagramLength;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.NotifyBody;
import dev.jwarp.transport.udp.wire.PathProbeBody;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import dev.jwarp.transport.udp.wire.ShimHeader;
import java.nio.ByteBuffer;

/**
 * Writes NOTIFY, CHALLENGE, PATH-REPLY and VERSION LIST. No reply is longer than the datagram that it answers (§9,
 * DG-9.5-1). Owner thread only; allocates nothing.
 */
public final class ReplyWriter {
    private static final int NOTIFY = DatagramLength.SHORTEST + NotifyBody.LENGTH;
    private static final int CHALLENGE = DatagramLength.SHORTEST + CookieBody.LENGTH;
    private static final int PATH_REPLY = DatagramLength.SHORTEST + PathReplyBody.LENGTH;

    private final AnswerQueue answers;
    private final AnswerSources sources;
    private final int envelope;
    private final Shim reply = new Shim();
    private final PathProbeBody probe = new PathProbeBody();
    private final PathReplyBody path = new PathReplyBody();

    /** {@code envelope}: the octets that an envelope adds to each datagram; 0 without envelopes. */
    public ReplyWriter(AnswerQueue answers, AnswerSources sources, int envelope) {
        this.envelope = envelope;
        this.answers = answers;
        this.sources = sources;
    }

    /** §4.2 (DG-4.2-1, DG-4.2-2): the queue pair numbers are swapped; Key and Message Id stay. */
    public Shim to(Shim question, int bodyLength) {
        return reply.addressed(question.sourceQpn(), question.destinationQpn(), question.key())
                .message(question.messageId(), bodyLength)
                .segment(0, 0)
                .flags(true, false, false, false);
    }

    /** Answers a violation; {@code control} as in {@link NotifyBody}. */
    public void notify(Shim question, DatagramAddress source, int control) {
        if (answers.hasRoom(NOTIFY)) {
            ByteBuffer out = answers.memory();
            int at = answers.begin(source);
            // datagram-iWARP §4.4 (DG-4.4-1): the segment fields are repeated, too.
            to(question, NotifyBody.LENGTH).segment(question.segmentIndex(), question.segmentSize());
            ShimHeader.write(out, at, Kind.NOTIFY, reply, 0);
            out.putInt(at + ShimHeader.LENGTH + NotifyBody.CONTROL_OFFSET, control);
            answers.end(ShimHeader.LENGTH + NotifyBody.LENGTH, UdpCounter.TX_NOTIFY);
        }
    }

    /** Asks for a proof of the address (DG-4.4-2). */
    public void challenge(ReceivedDatagram datagram, long nowNanos) {
        Shim question = datagram.shim();
        DatagramAddress source = datagram.source();
        if (answers.hasRoom(CHALLENGE) && sources.admitsChallenge(source, nowNanos)) {
            ByteBuffer out = answers.memory();
            int at = answers.begin(source);
            ShimHeader.write(out, at, Kind.CHALLENGE, to(question, CookieBody.LENGTH), 0);
            sources.writeCookie(out, at + ShimHeader.LENGTH, source, question.sourceQpn(), nowNanos);
            answers.end(ShimHeader.LENGTH + CookieBody.LENGTH, UdpCounter.TX_CHALLENGE);
        }
    }

    /**
     * Answers a PATH-PROBE with its length (datagram-iWARP §10, DG-10-15).
     *
     * @param key the Key of the answer: that of the question, or the peer's tag
     * @param takes the largest datagram that this end takes on the path, octets of UDP payload
     * @param received the number of DATA datagrams received from the peer; 0 if not counted
     */
    public void path(DatagramParser question, int key, int takes, int received, long nowNanos) {
        ReceivedDatagram asked = question.datagram();
        DatagramAddress source = asked.source();
        if (answers.hasRoom(PATH_REPLY) && sources.admitsPathReply(source, nowNanos)) {
            ByteBuffer out = answers.memory();
            int at = answers.begin(source);
            Shim shim = asked.shim();
            boolean reliable = shim.reliable();
            to(shim, PathReplyBody.LENGTH)
                    .addressed(shim.sourceQpn(), shim.destinationQpn(), key)
                    .flags(true, reliable, false, false);
            ShimHeader.write(out, at, Kind.PATH_REPLY, reply, 0);
            probe.wrap(asked.buffer(), asked.offset());
            path.wrap(out, at + ShimHeader.LENGTH);
            int around = DatagramLength.SHORTEST + (question.hasCookie() ? CookieBody.LENGTH : 0);
            path.set(probe.token(), asked.length() + around + envelope, takes);
            path.received(received, 0, 0);
            answers.end(ShimHeader.LENGTH + PathReplyBody.LENGTH, UdpCounter.TX_PATH_REPLY);
        }
    }

    /** Answers with a VERSION LIST. */
    public void versions(ReceivedDatagram offender) {
        if (answers.hasRoom(DatagramLength.SHORTEST)) {
            // datagram-iWARP §4.7: only R is set, the QPNs are swapped, Key and Message Id are copied.
            int at = answers.begin(offender.source());
            ShimHeader.write(answers.memory(), at, Kind.VERSION_LIST, to(offender.shim(), ShimHeader.VERSIONS), 0);
            answers.end(ShimHeader.LENGTH, UdpCounter.TX_VERSION_LIST);
        }
    }
}
