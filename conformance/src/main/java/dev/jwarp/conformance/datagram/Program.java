package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Patience;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.TerminateFields;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The program above the device: the datagram target of docs/conformance/target.md. It takes commands over a TCP
 * connection of its own. The end of that connection releases everything that it has made.
 */
public final class Program implements AutoCloseable {
    /** Rights of a region, as bits. */
    public static final int REMOTE_WRITE = 1;

    public static final int RECORD = 2;
    public static final int REMOTE_READ = 4;
    public static final int GROUP = 8;
    /** The rights of a region for one queue pair alone. */
    public static final int ALL = REMOTE_WRITE | RECORD | REMOTE_READ;

    /** Types of queue pairs. */
    public static final int UD = 1;

    public static final int RD = 2;

    /** A flag for a new queue pair: the default queue pair of the port. */
    public static final int BY_DEFAULT = 1;
    /** A flag for a new queue pair: a Send with lost segments completes as INCOMPLETE, with the validity map. */
    public static final int REPORT = 2;

    private static final long COMMAND = 0x4A435431; // "JCT1"
    private static final long ANSWER = 0x4A435231; // "JCR1"
    private static final int HEADER = 32;
    private static final int MOST = 1 << 20;
    private static final int UNABLE = 1;

    /** Commands of the program. The numbers are part of the protocol. */
    enum Op {
        PORT(32),
        QUEUE_PAIR(33),
        RECEIVES(34),
        REGION(35),
        PEEK(36),
        DEREGISTER(37),
        PEER(38),
        POST(39),
        COMPLETION(40),
        EVENT(41),
        SERVICE(42),
        RESOLVE(43),
        RESOLVED(44),
        STATE(45),
        JOIN(46),
        COUNTERS(47),
        RESET(48);

        private final int number;

        Op(int number) {
            this.number = number;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** An answer: its number, and the bytes after it. */
    private record Answer(long value, byte[] data) {
        long get(int at, int count) {
            if (at + count > data.length) {
                throw new Inconclusive("the target's answer is too short: " + Octets.hex(data));
            }
            return Octets.number(data, at, count);
        }
    }

    /** Memory of the device. */
    public record Region(int index, long stag, long to) {}

    private final Socket socket;
    private final DataInputStream in;
    private final Patience patience;
    private final Consumer<String> story;
    private int tag;
    private int port;

    /**
     * Connects.
     *
     * @param story receives a line for each command
     */
    Program(InetSocketAddress address, Patience patience, Consumer<String> story) throws IOException {
        this.patience = patience;
        this.story = story;
        socket = new Socket();
        socket.connect(address, (int) patience.answerMillis());
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    /** The tester's local address of the connection to the program. */
    InetAddress local() {
        return socket.getLocalAddress();
    }

    /** Opens the UDP port of all queue pairs of this conversation, with or without keys. */
    void open(boolean trusted, int idleMillis, boolean keys) {
        int how = (trusted ? 1 : 0) | (keys ? 2 : 0);
        port = (int) order(Op.PORT, idleMillis, how, 0, 0).value();
    }

    /** The address and UDP port of the queue pairs. */
    public InetSocketAddress address() {
        return new InetSocketAddress(socket.getInetAddress(), port);
    }

    public QueuePair queuePair(int type, int how) {
        Answer a = order(Op.QUEUE_PAIR, type, how, 0, 0);
        return new QueuePair((int) a.value(), (int) a.get(0, 4), a.get(4, 4), a.get(8, 8), a.get(16, 8));
    }

    /** Posts receives of so many bytes. */
    public void receives(QueuePair to, int length, int count) {
        order(Op.RECEIVES, to.index(), length, count, 0);
    }

    /** Registers memory filled with {@code pattern(length, 0)}. */
    public Region region(int rights, int length) {
        return region(rights, length, 0, 0, 0);
    }

    /** The same in another protection domain. */
    public Region foreign(int length) {
        return region(ALL, length, 1, 0, 0);
    }

    /** The same, for one peer only. */
    public Region bound(QueuePair of, int length) {
        return region(ALL, length, 2, of.index(), 0);
    }

    /** Memory for a group, with an STag and a TO that all its members have agreed on. */
    public Region shared(int rights, int length, long stag, long to) {
        return region(rights, length, 3, stag, to);
    }

    private Region region(int rights, int length, int how, long c, long d) {
        byte[] more = new Octets().u32(how).bytes();
        Answer a = order(Op.REGION, rights, length, c, d, more);
        return new Region((int) a.value(), a.get(0, 4), a.get(8, 8));
    }

    public byte[] peek(Region region, int offset, int length) {
        return order(Op.PEEK, region.index(), length, offset, 0).data();
    }

    public void deregister(Region region) {
        order(Op.DEREGISTER, region.index(), 0, 0, 0);
    }

    /** Makes an address handle of a queue pair of the device for a queue pair of the tester. */
    public int peer(QueuePair of, int port, int number, long key, int pathMtu) {
        return (int) order(Op.PEER, of.index(), number, key, ((long) pathMtu << 16) | port)
                .value();
    }

    /** Makes an address handle for the tester's side of an exchange, with a path MTU of 1500. */
    public int peer(Exchange exchange) {
        return peer(exchange.theirs(), exchange.port(), exchange.number(), exchange.key(), 1500);
    }

    /** Posts a work request: the opcodes of {@link Message}. A Send carries {@code pattern(length, seed)}. Returns its id. */
    public long post(int peer, int opcode, int length, long stag, long to, int seed, int timeoutMillis) {
        byte[] more = new Octets().u32(seed).u32(timeoutMillis).bytes();
        return order(Op.POST, peer, opcode, to, (stag << 32) | length, more).value();
    }

    public long postSend(int peer, int length, int seed) {
        return post(peer, Message.SEND, length, 0, 0, seed, 0);
    }

    /** The next completion of any queue pair; null if none comes in so many milliseconds. */
    public @Nullable DeviceCompletion completion(long millis) {
        Answer a = order(Op.COMPLETION, (int) millis, 0, 0, 0);
        return a.value() == 0 ? null : DeviceCompletion.parse(a.data());
    }

    public DeviceCompletion completion() {
        DeviceCompletion c = completion(patience.answerMillis());
        if (c == null) {
            throw new Deviation("a completion at the device", "none within the time allowed");
        }
        return c;
    }

    /** Checks that no completion comes for a while. */
    public void noCompletion() {
        DeviceCompletion c = completion(patience.quietMillis());
        Deviation.unless(c == null, "no completion at the device", c);
    }

    /** The next async event; null if none comes in time. */
    public @Nullable Notice event(long millis) {
        Answer a = order(Op.EVENT, (int) millis, 0, 0, 0);
        return a.value() == 0 ? null : new Notice((int) a.get(0, 4), (int) a.get(4, 2), a.get(8, 4));
    }

    /**
     * An async event about a peer.
     *
     * @param type 64: NOTIFY, 66: VERSION LIST, 67: a channel failed
     * @param code layer, type and code as {@code 0xLTCC}
     * @param id the Message Id of the refused message
     */
    public record Notice(int type, int code, long id) {
        @Override
        public String toString() {
            return "type %d, %s, Message Id %08X".formatted(type, TerminateFields.words(code), id);
        }
    }

    /** A service id of a queue pair. */
    public void service(long id, QueuePair queuePair) {
        order(Op.SERVICE, 0, queuePair.index(), id, 0);
    }

    /**
     * A service id with a handler: private data {@code no} is refused with the same private data, {@code count} is
     * answered with one byte that counts these questions, all other private data is answered with the same bytes in
     * reverse order.
     */
    public void handler(long id, QueuePair queuePair) {
        order(Op.SERVICE, 1, queuePair.index(), id, 0);
    }

    /** Makes the program ask a resolver at this port of the tester. */
    public void askService(int port, long service, int types, byte... privateData) {
        order(Op.RESOLVE, port, types, service, 0, privateData);
    }

    /** The result of that question: the status of RESOLVED, -1 if the resolver did not answer; null if there is no result in time. */
    public @Nullable Found found(long millis) {
        Answer a = order(Op.RESOLVED, (int) millis, 0, 0, 0);
        return a.value() == 0
                ? null
                : new Found(
                        (int) a.get(0, 4),
                        (int) a.get(4, 4),
                        (int) a.get(8, 4),
                        a.get(12, 4),
                        (int) a.get(16, 4),
                        Arrays.copyOfRange(a.data(), 20, a.data().length));
    }

    /** The answer of a resolver. */
    public record Found(int status, int type, int number, long key, int port, byte[] privateData) {}

    /** Puts a queue pair into the error state. */
    public void fail(QueuePair queuePair) {
        order(Op.STATE, queuePair.index(), 0, 0, 0);
    }

    /** Puts a queue pair back into its working state. */
    public void ready(QueuePair queuePair) {
        order(Op.STATE, queuePair.index(), 1, 0, 0);
    }

    public void destroy(QueuePair queuePair) {
        order(Op.STATE, queuePair.index(), 2, 0, 0);
    }

    /** Joins a UD queue pair to a group; returns the handle for sending to the group. */
    public int join(QueuePair queuePair, InetSocketAddress group, long key) {
        byte[] address = group.getAddress().getAddress();
        return (int) order(Op.JOIN, queuePair.index(), group.getPort(), key, 0, address)
                .value();
    }

    /** Resets a peer of an RD queue pair whose channel has failed. */
    public void reset(int peer) {
        order(Op.RESET, peer, 0, 0, 0);
    }

    /** The counters of datagram-iWARP §5, by name; empty if the program does not report them. */
    public Map<String, Long> counters() {
        try {
            String lines = new String(order(Op.COUNTERS, 0, 0, 0, 0).data(), StandardCharsets.US_ASCII);
            return lines.lines()
                    .map(line -> line.split(" "))
                    .collect(Collectors.toMap(words -> words[0], words -> Long.parseLong(words[1])));
        } catch (Skip e) {
            return Map.of();
        }
    }

    private Answer order(Op op, int a, int b, long c, long d, byte... data) {
        byte[] command = new Octets()
                .u32(HEADER + data.length)
                .u32(COMMAND)
                .u16(op.number)
                .u16(++tag)
                .u32(a)
                .u32(b)
                .u64(c)
                .u64(d)
                .add(data)
                .bytes();
        try {
            int wait = op == Op.COMPLETION || op == Op.EVENT || op == Op.RESOLVED ? a : 0;
            socket.setSoTimeout((int) (patience.closeMillis() + wait));
            socket.getOutputStream().write(command);
            byte[] answer = new byte[Math.min(MOST, Math.max(HEADER, in.readInt()))];
            in.readFully(answer);
            return judged(op, answer);
        } catch (IOException e) {
            throw new Inconclusive("the target did not answer to " + op + ": " + e.getMessage());
        }
    }

    private Answer judged(Op op, byte[] answer) {
        long status = Octets.number(answer, 8, 4);
        if (Octets.number(answer, 0, 4) != ANSWER || Octets.number(answer, 4, 2) != op.number) {
            throw new Inconclusive("this is no datagram target: it answered " + Octets.hex(answer));
        }
        if (status == UNABLE) {
            throw new Skip("needs a datagram target that can do " + op);
        }
        byte[] data = Arrays.copyOfRange(answer, HEADER, answer.length);
        if (status != 0) {
            throw new Inconclusive("the target could not do " + op + ": " + new String(data, StandardCharsets.UTF_8));
        }
        Answer good = new Answer(Octets.number(answer, 16, 8), data);
        if (op != Op.COUNTERS) {
            story.accept("the program: " + op + (good.value() != 0 ? " " + good.value() : "")
                    + (op == Op.COMPLETION && good.value() != 0 ? ", " + DeviceCompletion.parse(data) : ""));
        }
        return good;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            story.accept("could not close: " + e.getMessage());
        }
    }
}
