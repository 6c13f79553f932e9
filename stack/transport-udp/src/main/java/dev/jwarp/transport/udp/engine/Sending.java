package dev.jwarp.transport.udp.engine;

import dev.jwarp.base.Bells;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.port.AnswerQueue;
import dev.jwarp.transport.udp.port.Injector;
import dev.jwarp.transport.udp.port.SendBuffer;
import dev.jwarp.transport.udp.seal.PortSeal;
import dev.jwarp.transport.udp.wire.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * The order in which a port sends: answers, then plain datagrams, then the rest of the present turn, then the next
 * queue pair's turn. The driver has one batch at a time; while the system has no room, the batch waits in the driver,
 * and no queue is polled (datagram-iWARP §6). Owner only, except for {@link #rung}; allocates nothing,
 * except when the list of turns grows.
 */
final class Sending {
    private final UdpEngine engine;
    private final Tally<UdpCounter> counters;
    private final AnswerQueue answers;
    private final PlainQueue plain;
    final Injector injector;
    private final SendBuffer buffer;
    /** Any thread rings. */
    final Bells<Attachment> rung = new Bells<>();

    final SendTurns turns = new SendTurns();
    private final DatagramBatch output = new DatagramBatch();
    /** For a port with keys: the seal, and the part of the output that is in envelopes. */
    private final @Nullable PortSeal seal;

    private final DatagramBatch sealed = new DatagramBatch();
    /** Whether the sealed output is a greeting, or has waited for one: no part of the output. */
    private boolean sealedIsOwn;

    private boolean outputIsAnswer;
    private boolean outputIsPlain;
    /** The queue pair whose datagrams are in the buffer; null if none is to be notified. */
    private @Nullable Attachment sender;

    Sending(UdpEngine engine, boolean segments, Injector injector, @Nullable PortSeal seal) {
        this.seal = seal;
        this.engine = engine;
        this.injector = injector;
        counters = engine.counters;
        answers = engine.answers;
        plain = engine.plain;
        buffer = new SendBuffer(segments, injector);
    }

    DatagramBatch output() {
        return seal == null ? output : sealed;
    }

    boolean prepare(long nowNanos) {
        if (seal == null) {
            return prepareOutput(nowNanos);
        }
        while (sealed.length() == 0) {
            sealedIsOwn = seal.next(sealed);
            if (sealedIsOwn) {
                return true;
            }
            if (!prepareOutput(nowNanos)) {
                return false;
            }
            UdpCounter other = seal.seal(output, sealed, nowNanos);
            if (other != null) { // it waits, or it is lost, as if there were no route (datagram-iWARP §K.4)
                counters.count(other);
                written(output.firstLength(), nowNanos);
            }
        }
        return true;
    }

    private boolean prepareOutput(long nowNanos) {
        if (output.length() > 0) {
            return true;
        }
        hear(nowNanos);
        do {
            outputIsAnswer = answers.next(output);
            outputIsPlain = !outputIsAnswer && plain.next(output);
            if (outputIsAnswer || outputIsPlain || buffer.next(output)) {
                return true;
            }
        } while (nextTurn(nowNanos));
        return false;
    }

    private void hear(long nowNanos) {
        Bells.Bell<Attachment> bell = rung.takeAll();
        while (bell != null) {
            Bells.Bell<Attachment> taken = bell;
            bell = rung.next(taken);
            boolean ready = (rung.heard(taken) & Attachment.READY) != 0;
            Attachment attachment = taken.of();
            if (attachment.attached()) {
                try {
                    if (ready) {
                        attachment.queuePair().onReady(nowNanos);
                    }
                } catch (Throwable e) {
                    engine.fault(attachment, e);
                }
                engine.touched(attachment);
            }
        }
    }

    /** {@return whether there was a queue pair to send} */
    private boolean nextTurn(long nowNanos) {
        buffer.clear();
        injector.at(nowNanos);
        if (injector.nextRelease() <= nowNanos) {
            injector.release(buffer, nowNanos);
            return true;
        }
        Attachment turn = turns.poll();
        if (turn == null || !turn.attached()) {
            return turn != null;
        }
        boolean waited = turn.queuePair().nextSend() != UdpEngine.NEVER; // for a pace
        boolean more = false;
        try {
            more = turn.queuePair().fill(buffer, nowNanos) && turn.attached();
        } catch (Throwable e) {
            engine.fault(turn, e); // complete datagrams in the buffer are sent; one that was only begun is discarded
        }
        turns.sent(turn, buffer.bytes(), more);
        if (waited || (turn.attached() && turn.queuePair().nextSend() != UdpEngine.NEVER)) {
            turn.paced += (long) buffer.bytes() * UpperLayer.HEAVIEST / turn.upper.weight();
        }
        engine.called(turn);
        sender = turn;
        endTurnIfDone(nowNanos); // there was nothing to send, or the injector dropped all
        return true;
    }

    private void endTurnIfDone(long nowNanos) {
        Attachment turn = sender;
        if (buffer.done() && turn != null) {
            sender = null;
            if (turn.attached() && !buffer.untouched()) {
                try {
                    turn.upper.onTransmitted(nowNanos);
                } catch (Throwable e) {
                    engine.fault(turn, e);
                }
                engine.called(turn);
            }
        }
    }

    void onWritten(int octets, long nowNanos) {
        counters.count(UdpCounter.TX_WRITES);
        if (seal == null) {
            written(octets, nowNanos);
        } else {
            int size = sealed.datagramSize();
            sealed.advance(octets);
            if (!sealedIsOwn) {
                written(octets - (octets + size - 1) / size * Envelope.OVERHEAD, nowNanos);
            }
        }
    }

    private void written(int octets, long nowNanos) {
        output.advance(octets);
        if (outputIsAnswer) {
            counters.count(UdpCounter.TX_DATAGRAMS);
            answers.done();
        } else if (outputIsPlain) {
            counters.count(UdpCounter.TX_DATAGRAMS);
            counters.count(UdpCounter.TX_PLAIN);
            plain.done();
        } else {
            counters.add(UdpCounter.TX_DATAGRAMS, buffer.sent(octets));
            endTurnIfDone(nowNanos);
        }
    }

    void onUnsendable(String sentence, long nowNanos) {
        counters.count(UdpCounter.TX_UNSENDABLE);
        boolean path = engine.tooLong(output().destination(), output().firstLength(), nowNanos);
        if (seal != null) {
            sealed.advance(sealed.firstLength());
        }
        if (sealedIsOwn) {
            return;
        }
        output.advance(output.firstLength());
        if (outputIsAnswer) {
            answers.done();
            return;
        }
        if (outputIsPlain) {
            plain.done();
            return;
        }
        OutboundMessage message = buffer.leaveOut();
        Attachment turn = sender;
        if (!path && message != null && turn != null && turn.attached()) {
            try {
                turn.queuePair().onUnsendable(message, nowNanos);
                turn.upper.onUnsendable(message, sentence, nowNanos);
            } catch (Throwable e) {
                engine.fault(turn, e);
            }
            engine.touched(turn);
        }
        endTurnIfDone(nowNanos);
    }
}
