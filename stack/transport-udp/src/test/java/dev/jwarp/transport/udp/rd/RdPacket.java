package dev.jwarp.transport.udp.rd;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A datagram on the simulated wire, as its fields. */
final class RdPacket {
    final Kind kind;
    final DatagramAddress from;
    final DatagramAddress to;
    final Shim shim = new Shim();
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
        this.kind = kind;
        this.from = from.copy();
        this.to = to.copy();
    }

    /** {@return the received form of this datagram} */
    ReceivedDatagram received() {
        ReceivedDatagram datagram = new ReceivedDatagram().from(from);
        if (segment != null) {
            datagram.body(segment, 0, segment.capacity());
        }
        datagram.shim().set(shim);
        return datagram;
    }

    /** {@return the channel fields} */
    RdFields said() {
        RdFields said = new RdFields();
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
        said.count = words.length;
        System.arraycopy(words, 0, said.words, 0, words.length);
        return said;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case DATA -> "DATA psn " + psn + " ack " + ack + (asked ? " A" : "") + " key " + shim.key();
            case RD_OPEN -> "OPEN tag " + tag + " psn " + psn + " previous " + previousTag;
            case RD_ACCEPT -> "ACCEPT tag " + tag + " psn " + psn + " ack " + ack + " key " + shim.key();
            case RD_ACK -> "ACK " + ack + (notReady ? " RNR" : "") + " words " + words.length + " key " + shim.key();
            case RD_RESET -> "RESET " + reason + (reflected ? " reflected" : "") + " key " + shim.key();
            default -> kind.toString();
        };
    }
}
