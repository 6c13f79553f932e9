package dev.jwarp.tools.conform;

import dev.jwarp.tools.Run;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.link.Link;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/** A program that speaks as librdmacm's rsockets do on a little-endian machine, and sends back what it gets. */
final class RsocketsProgram extends EchoingProgram {
    private static final int HALF = 64 << 10;
    private static final int RECEIVES = 384;
    private static final int WORD = 4;
    private static final int TABLE = 32;
    private static final int FIRST = 16;
    private static final Link.Depths DEPTHS = new Link.Depths(2 * RECEIVES, RECEIVES);

    /** What it does wrong. */
    enum Fault {
        NONE,
        /** It writes data into the peer's table of places. */
        WRONG_KEY,
        /** It writes all data to the first place. */
        SAME_PLACE,
        /** It says that it wrote a byte less. */
        WRONG_COUNT
    }

    private final Fault fault;

    RsocketsProgram(Fault fault) {
        this.fault = fault;
    }

    @Override
    void serve(CmEvent request) {
        try (Link link = Link.from(request.id(), console, DEPTHS)) {
            Ends ends = new Ends(link, fault);
            link.accept(ConnectionParameters.DEFAULT.withPrivateData(ends.told()));
            ends.met(request.parameters().privateData());
            ends.echo();
        }
    }

    /** Connects, sends the first 16 bytes, and sends back what it gets then. */
    static void connect(int port) {
        Console console = Run.later("rsockets").console();
        try (Context context = RdmaProvider.load().devices().get(0).open(Progress.THREADED, Map.of());
                Link link = Link.to(Addresses.resolve("127.0.0.1", port), null, context, console, DEPTHS)) {
            Ends ends = new Ends(link, Fault.NONE);
            link.connect(ConnectionParameters.DEFAULT.withPrivateData(ends.told()), LIMIT);
            ends.met(link.answer());
            ends.say(FIRST);
            ends.echo();
        }
    }

    /** Both ends of one connection. */
    private static final class Ends {
        private final Link link;
        private final Fault fault;
        private final MemoryRegion buffer;
        private final MemoryRegion table;
        private final MemoryRegion words;
        private final MemoryRegion heard;
        private long place;
        private int key;
        private int tableKey;
        private int said;

        Ends(Link link, Fault fault) {
            this.link = link;
            this.fault = fault;
            buffer = link.allocate(HALF, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            table = link.allocate(TABLE, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            words = link.allocate(WORD * RECEIVES, AccessFlag.LOCAL_WRITE);
            heard = link.allocate(WORD * RECEIVES, AccessFlag.LOCAL_WRITE);
            words.buffer().order(ByteOrder.LITTLE_ENDIAN);
            heard.buffer().order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < RECEIVES; i++) {
                receive(i);
            }
        }

        private void receive(int slot) {
            link.queuePair().postReceive(new ReceiveWorkRequest().id(slot).add(heard, (long) slot * WORD, WORD));
        }

        byte[] told() {
            return ByteBuffer.allocate(40)
                    .put((byte) 1)
                    .put((byte) 2)
                    .putShort((short) RECEIVES)
                    .putInt(0)
                    .putLong(table.address())
                    .putInt(table.rkey())
                    .putInt(2)
                    .putLong(buffer.address())
                    .putInt(buffer.rkey())
                    .putInt(HALF)
                    .array();
        }

        void met(byte[] told) {
            ByteBuffer peer = ByteBuffer.wrap(told);
            tableKey = peer.getInt(16);
            place = peer.getLong(24);
            key = peer.getInt(32);
        }

        void echo() {
            WorkCompletion came = link.next(LIMIT);
            while (came != null && came.succeeded()) {
                if (came.opcode().isReceive()) {
                    int slot = (int) came.id();
                    int word = heard.buffer().getInt(slot * WORD);
                    receive(slot);
                    if (word >>> 29 == 0) {
                        say(word);
                    }
                }
                came = link.next(LIMIT);
            }
            link.end();
        }

        void say(int bytes) {
            int word = said++ % RECEIVES * WORD;
            words.buffer().putInt(word, fault == Fault.WRONG_COUNT ? bytes - 1 : bytes);
            link.queuePair()
                    .postSend(new SendWorkRequest()
                            .rdmaWrite(place, fault == Fault.WRONG_KEY ? tableKey : key)
                            .add(buffer, 0, bytes));
            link.queuePair().postSend(new SendWorkRequest().add(words, word, WORD));
            place += fault == Fault.SAME_PLACE ? 0 : bytes;
        }
    }
}
