package dev.jwarp.benchmarks.pieces;

import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ThreadModel;
import java.io.IOException;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;

/** Two ends in one thread, numbered 0 and 1, between which messages go back and forth. */
public abstract class MessageExchange implements AutoCloseable {
    /** Bytes of the longest message. */
    static final int LONGEST = 1 << 16;

    /** Looks of the receiver, of which one finds an acknowledgement of RD, before the sender looks again. */
    private static final int LOOKS = 4;

    /** For the exchanges of this package. */
    MessageExchange() {}

    /**
     * {@return both ends of a contender}
     *
     * @param contender {@code nio} or {@code nioDatagrams}, or what jwarp has in its place: {@code rc}, {@code single}
     *     (the same, with contexts for one thread), {@code handlers} (of completions, else polled), {@code
     *     SocketChannel}; {@code ud}, {@code rd}
     * @param length bytes of a message
     */
    public static MessageExchange of(String contender, int length) throws IOException {
        return switch (contender) {
            case "nio" -> new ChannelExchange(SelectorProvider.provider(), SelectorProvider.provider(), length);
            case "SocketChannel" ->
                // each end has a context of its own, as in two processes
                new ChannelExchange(new JwarpSelectorProvider(Map.of()), new JwarpSelectorProvider(Map.of()), length);
            case "nioDatagrams" -> new DatagramChannelExchange(length);
            case "rc" -> new VerbsExchange(QueuePairType.RC, false, ThreadModel.MULTI, length);
            case "single" -> new VerbsExchange(QueuePairType.RC, false, ThreadModel.SINGLE, length);
            case "handlers" -> new VerbsExchange(QueuePairType.RC, true, ThreadModel.MULTI, length);
            case "ud" -> new VerbsExchange(QueuePairType.UD, false, ThreadModel.MULTI, length);
            case "rd" -> new VerbsExchange(QueuePairType.RD, false, ThreadModel.MULTI, length);
            default -> throw new IllegalArgumentException("there is no contender " + contender);
        };
    }

    /** Sends a message from one end, which also looks once for input; the message is written when the call returns. */
    public abstract void send(int end) throws IOException;

    /** {@return whether the end has all of a message} Looks once for input; then the end is ready for the next message. */
    public abstract boolean receive(int end) throws IOException;

    /**
     * Moves one message from one end to the other.
     *
     * @param from the sender
     */
    final void move(int from) throws IOException {
        send(from);
        for (int looks = 1; !receive(1 - from); looks++) {
            if (looks % LOOKS == 0) {
                assist(from);
            }
        }
    }

    /** Lets the sending end make progress: RD may have to wait before it sends. */
    public final void assist(int sender) throws IOException {
        if (receive(sender)) {
            throw new IllegalStateException("a message came that the peer has not sent");
        }
    }

    @Override
    public abstract void close() throws IOException;
}
