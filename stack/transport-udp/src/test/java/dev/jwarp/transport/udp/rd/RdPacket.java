package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A datagram on the simulated wire, as its fields; those of a channel as in {@link RdFields}. */
final class RdPacket {
    final DatagramAddress from = new DatagramAddress();
    final DatagramAddress to = new DatagramAddress();
    final Shim shim = new Shim();
    Kind kind = Kind.DATA;
    int octets;
    int tag;
    int psn;
    int ack;
    int window;
    int previousTag;
    boolean asked;
    boolean notReady;
    boolean reflected;
    boolean cookie;
    long cookieValue;
    int count;
    long[] words = {};
    int firstWord;
    int echo;
    int delay;
    int duplicates;
    int lastDuplicate;
    RdResetReason reason = RdResetReason.NO_CHANNEL;
    int control;
    long token;
    int length;

    @Nullable
    ByteBuffer segment;

    RdPacket(Kind kind, DatagramAddress from, DatagramAddress to) {
        begin(kind, from, to);
    }

    /** Begins another datagram. Returns this. */
    RdPacket begin(Kind what, DatagramAddress source, DatagramAddress destination) {
        kind = what;
        from.set(source);
        to.set(destination);
        return this;
    }

    /** {@return the buffer of the segment, without its payload behind the marks} */
    ByteBuffer segment() {
        if (segment == null) {
            segment = ByteBuffer.allocate(RdUpper.HEADER + RdUpper.MARKS);
        }
        return segment;
    }

    /** Copies the fields that a channel sets in a datagram. */
    void say(RdFields fields) {
        tag = fields.tag;
        previousTag = fields.previousTag;
        psn = fields.psn;
        ack = fields.ack;
        window = fields.window;
        asked = fields.ackWanted;
        notReady = fields.notReady;
        count = fields.count;
        if (words.length < count) {
            words = new long[count];
        }
        System.arraycopy(fields.words, 0, words, 0, count);
        firstWord = fields.firstWord;
        echo = fields.echo;
        delay = fields.delay;
        duplicates = fields.duplicates;
        lastDuplicate = fields.lastDuplicate;
    }

    /** Copies this datagram into the objects in which an endpoint receives one. */
    void into(ReceivedDatagram datagram, RdFields said) {
        datagram.from(from);
        if (segment != null) {
            datagram.body(segment, 0, segment.capacity());
        }
        datagram.shim().set(shim);
        said.tag = tag;
        said.previousTag = previousTag;
        said.psn = psn;
        said.ack = ack;
        said.window = window;
        said.ackWanted = asked;
        said.notReady = notReady;
        said.alone = kind == Kind.RD_ACK;
        said.serial = shim.messageId();
        said.firstWord = firstWord;
        said.echo = echo;
        said.delay = delay;
        said.duplicates = duplicates;
        said.lastDuplicate = lastDuplicate;
        said.token = token;
        said.length = length;
        said.takes = 65_507;
        said.count = count;
        System.arraycopy(words, 0, said.words, 0, count);
    }

    @Override
    public String toString() {
        return switch (kind) {
            case DATA -> "DATA psn " + psn + " ack " + ack + (asked ? " A" : "") + " key " + shim.key();
            case RD_OPEN -> "OPEN tag " + tag + " psn " + psn + " previous " + previousTag;
            case RD_ACCEPT -> "ACCEPT tag " + tag + " psn " + psn + " ack " + ack + " key " + shim.key();
            case RD_ACK -> "ACK " + ack + (notReady ? " RNR" : "") + " words " + count + " key " + shim.key();
            case RD_RESET -> "RESET " + reason + (reflected ? " reflected" : "") + " key " + shim.key();
            default -> kind.toString();
        };
    }
}
