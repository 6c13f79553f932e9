package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.capture.Packet;
import dev.jwarp.conformance.capture.Packet.Tcp;
import dev.jwarp.conformance.capture.Packet.Udp;
import dev.jwarp.conformance.capture.PacketReader;
import dev.jwarp.conformance.datagram.KeyRing;
import dev.jwarp.conformance.decode.DatagramTalks.Ends;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Parses the frames of a capture and passes on the items of iWARP in the order in which they become known. Not for
 * several threads. Memory is bounded: for a connection, for all connections together, and by the number of connections.
 * A connection that needs memory takes it from the connection that was silent longest.
 */
public final class Decoder {
    private static final int MOST_CONVERSATIONS = 4096;
    private static final long MOST_HELD = 64L << 20;

    private final PacketReader packets = new PacketReader();
    private final Set<Integer> ports;
    private final Consumer<Item> out;
    private final IntConsumer ended;
    private final Map<Ends, TcpConversation> tcp = new LinkedHashMap<>(16, 0.75f, true);
    private final Budget budget = new Budget(MOST_HELD);
    /** Connections that hold bytes, ordered by their latest frame; the first was silent longest. */
    private final LinkedHashSet<TcpConversation> holding = new LinkedHashSet<>();

    private final DatagramTalks datagrams;
    private final EnumMap<Packet.Reason, Long> unread = new EnumMap<>(Packet.Reason.class);
    private int tcpStreams;
    private long frames;
    private long tcpSegments;
    private long udpDatagrams;

    /**
     * Creates a decoder.
     *
     * @param ports conversations with one of these ports count as iWARP, whatever their bytes
     * @param keys keys of envelopes, whose tags are then checked; null: no keys are known
     * @param out receives the items
     * @param ended receives the number of each TCP connection that has no more items
     */
    public Decoder(Set<Integer> ports, @Nullable KeyRing keys, Consumer<Item> out, IntConsumer ended) {
        this.ports = Set.copyOf(ports);
        this.out = out;
        this.ended = ended;
        this.datagrams = new DatagramTalks(this.ports, keys, out);
    }

    /** Decodes the next frame. */
    public void frame(Frame frame) {
        frames++;
        Packet packet = packets.read(frame);
        if (packet instanceof Tcp segment) {
            tcpSegments++;
            tcp(segment);
        } else if (packet instanceof Udp datagram) {
            udpDatagrams++;
            datagrams.add(datagram);
        } else if (packet instanceof Packet.Other other) {
            unread.merge(other.reason(), 1L, Long::sum);
        }
    }

    private void tcp(Tcp segment) {
        Ends ends = new Ends(segment.source(), segment.target());
        TcpConversation conversation = tcp.get(ends);
        if (conversation != null && conversation.isOver(segment)) {
            flush(conversation);
            conversation = null;
        }
        if (conversation == null) {
            boolean source = ports.contains(segment.source().port());
            boolean named = source || ports.contains(segment.target().port());
            conversation = new TcpConversation(tcpStreams++, segment, named, source, budget, out);
            tcp.put(ends, conversation);
            if (tcp.size() > MOST_CONVERSATIONS) {
                var oldest = tcp.values().iterator();
                TcpConversation silent = oldest.next();
                oldest.remove();
                flush(silent);
            }
        }
        boolean done = conversation.isDone();
        conversation.add(segment);
        if (!done && conversation.isDone()) {
            ended.accept(conversation.stream());
        }
        holding.remove(conversation);
        if (conversation.holds()) {
            holding.add(conversation);
        }
        while (budget.exceeded() && !holding.isEmpty()) {
            TcpConversation silent = holding.iterator().next();
            holding.remove(silent);
            silent.giveUp();
        }
    }

    private void flush(TcpConversation conversation) {
        boolean done = conversation.isDone();
        conversation.flush();
        conversation.release();
        holding.remove(conversation);
        if (!done) {
            ended.accept(conversation.stream());
        }
    }

    /** Ends the decoding: no more frames come. */
    public void end() {
        tcp.values().forEach(this::flush);
        tcp.clear();
    }

    /** The content of the capture in words, in addition to the items: explains why there are so few. */
    public String summary() {
        String connections = tcpStreams + (tcpStreams == 1 ? " connection" : " connections");
        StringBuilder words = new StringBuilder(
                frames + " frames: " + tcpSegments + " of TCP in " + connections + ", " + udpDatagrams + " of UDP");
        unread.forEach((reason, count) -> words.append(", " + count + " " + reason.words()));
        return words.toString();
    }
}
