package dev.jwarp.sockets.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream with credits: a program uses it in any order, and a peer sends anything. For any input: the
 * program learns of faults only by the exceptions of the stream; the end posts no more than it may, and sends the
 * program's bytes in order, but only with a credit of the peer; it accesses only memory that the peer has advertised;
 * the program reads exactly the received bytes; and all lent memory is returned.
 *
 * <p>An input begins with one byte of flags ({@link #DIRECT} and the like); with RECORD a peer's record follows, after
 * its length of one byte; then follow steps: a byte that selects the step, and its arguments.
 */
final class FuzzedStream implements CreditWire, DirectWire {
    static final int DIRECT = 1;
    static final int COMBINE = 2;
    static final int RECORD = 4;
    static final int MESSAGES = 8;
    /** Limit of the bytes kept for a peer that does not read. */
    static final int KEEP = 16;

    static final int CREDITS = 8;
    static final int BUFFER = 108;
    static final long WORD_ADDRESS = 4096;
    static final int WORD_KEY = 77;

    private static final int SEND_MEMORY = 1_024;
    private static final int SLOTS = CreditEngine.LEAST_SLOTS + 4;
    private static final int STAGE = 100;

    private static final int DATA = 1;
    private static final int GRANT = 2;
    private static final int FIN = 3;
    private static final int ASK = 5;
    private static final int OFFER = 6;
    private static final int WRITTEN = 7;
    private static final int TAKEN = 8;

    /** A flag: a message of the program ends here. */
    private static final int LAST = 2;
    /** Size of a piece of spare memory in bytes. */
    private static final int MOST_SPARE = 600;

    /** A posted work request; {@code done} is the effect of its completion. */
    private record Posted(long id, Runnable done) {}

    private final CreditEngine engine;
    private final ByteBuffer received;
    private final ByteBuffer sent = ByteBuffer.allocate(SEND_MEMORY);
    private final ByteBuffer stage = ByteBuffer.allocate(STAGE);
    private final CreditEngine.Options options;
    private final Queue<Posted> posted = new ArrayDeque<>();
    private final BitSet receives = new BitSet();
    private boolean connected;

    // ---- what the peer may receive, and its memory
    private int peerCredits;
    private int peerBuffer;
    private DirectWord.@Nullable Place peerPlace;
    private int used;
    private int given;
    private long peerWord;
    private long swapped;
    private @Nullable Long lie;
    private @Nullable DirectMemory asked;
    private @Nullable DirectMemory offered;
    private @Nullable DirectMemory lastOffer;

    // ---- the program's bytes: written ones, and sent ones
    private int written;
    private int gone;
    private int lentOut;
    private ByteBuffer gathered = ByteBuffer.allocate(0);

    // ---- the peer's bytes
    private long word;
    private long position;
    private final Queue<Byte> expected = new ArrayDeque<>();
    /** Where messages of the peer's program end, and the position up to which this program has read. */
    private final Queue<Long> ends = new ArrayDeque<>();

    private long readAt;
    private boolean forgets;
    private int lentIn;
    private final Deque<ByteBuffer> spares = new ArrayDeque<>();
    /** Bytes of the offered memory. */
    private int fetched;

    /** Begins with the flags of an input. */
    FuzzedStream(int beginning, byte @Nullable [] record) {
        boolean direct = (beginning & DIRECT) != 0;
        options =
                new CreditEngine.Options(direct, (beginning & MESSAGES) != 0, (beginning & KEEP) != 0 ? MOST_SPARE : 0);
        int buffers = CreditEngine.receives(CREDITS, direct);
        received = ByteBuffer.allocate(buffers * BUFFER);
        receives.set(0, buffers);
        engine = new CreditEngine(
                new CreditEngine.Memory(received, CREDITS, sent, SLOTS), this, direct ? this : null, options);
        engine.combine((beginning & COMBINE) != 0);
        byte[] said = record == null ? recordOfPeer() : record;
        StreamRefusal.sentence(ByteBuffer.wrap(said), StreamProtocol.CREDITS);
        try {
            StreamRecord read = StreamRecord.read(ByteBuffer.wrap(said), options);
            peerCredits = read.credits();
            peerBuffer = read.buffer();
            peerPlace = read.word();
            engine.connected(ByteBuffer.wrap(said));
            connected = true;
        } catch (StreamException e) {
            assertThat(posted)
                    .as("posted to a peer with which there is no stream")
                    .isEmpty();
        }
    }

    private byte[] recordOfPeer() {
        DirectWord.Place place = options.direct() ? new DirectWord.Place(WORD_ADDRESS, WORD_KEY) : null;
        return new StreamRecord(
                        StreamProtocol.CREDITS.code(), options.needs(), options.offers(), CREDITS, 0, BUFFER, place)
                .bytes();
    }

    /** The steps of an end and its peer, by number. */
    enum Step {
        /** A message of the peer, unchanged: its length, its bytes. */
        MESSAGE,
        /** The same, with right length, grant, word and position. */
        RIGHT_MESSAGE,
        /** The oldest posted work request completes. */
        DONE,
        WRITE,
        READ,
        /** Reads, or lends memory for receiving. */
        READ_OR_LEND,
        INPUT_BACK,
        /** Lends memory for sending. */
        LEND_OUTPUT,
        OUTPUT_BACK,
        SHUT_OUTPUT,
        SHUT_INPUT,
        CLOSE,
        /** An Atomic of the peer: the next 8 bytes are the new word. */
        WORD,
        /** The next Atomic of this end finds these 8 bytes. */
        LIE,
        FLUSH,
        GATHER,
        /** The length of the message that begins with the next write. */
        BEGIN
    }

    static final List<Step> STEPS = List.of(Step.values());

    /** Plays all steps, and ends the connection. */
    void run(ByteBuffer steps) {
        try {
            while (connected && steps.hasRemaining()) {
                step(STEPS.get((steps.get() & 0xFF) % STEPS.size()), steps);
            }
        } catch (BufferUnderflowException e) {
            // the last step is cut short
        }
        end();
    }

    private void step(Step step, ByteBuffer in) {
        try {
            switch (step) {
                case MESSAGE -> message(octets(in));
                case RIGHT_MESSAGE -> message(right(octets(in)));
                case DONE -> done();
                case WRITE -> write(in.get() & 0xFF);
                case READ -> read(in.get() & 0xFF, false);
                case READ_OR_LEND -> read(in.get() & 0xFF, true);
                case INPUT_BACK -> inputBack();
                case LEND_OUTPUT -> lendOutput(in.get() & 0xFF);
                case OUTPUT_BACK -> outputBack();
                case SHUT_OUTPUT -> engine.shutdownOutput();
                case SHUT_INPUT -> {
                    forgets = true;
                    engine.shutdownInput();
                }
                case CLOSE -> {
                    forgets = true;
                    engine.close();
                }
                case WORD -> word = in.getLong();
                case LIE -> lie = in.getLong();
                case FLUSH -> engine.flush();
                case GATHER -> gather(in.get() & 0xFF);
                case BEGIN -> engine.begin(in.get() & 0xFF);
            }
        } catch (IOException e) {
            // the stream has failed, or is closed
        }
    }

    private static byte[] octets(ByteBuffer in) {
        byte[] octets = new byte[in.get() & 0xFF];
        in.get(octets);
        return octets;
    }

    private void end() {
        if (!connected) {
            return;
        }
        engine.onEnded(false);
        while (!posted.isEmpty()) { // flushed
            done();
        }
        assertThat(engine.finished()).isTrue();
        assertThat(engine.borrowed()).as("bytes of the program are under way").isFalse();
        if (lentOut > 0) {
            assertThat(Objects.requireNonNull(engine.direct()).takeOutputBack())
                    .as("memory lent for sending")
                    .isBetween(0, lentOut);
        }
        if (lentIn > 0) {
            assertThat(Objects.requireNonNull(engine.direct()).takeInputBack())
                    .as("memory lent for receiving")
                    .isBetween(0, lentIn);
        }
        assertThat(engine.readable()).isTrue();
    }

    // ---- the peer

    private void message(byte[] octets) {
        int slot = receives.nextSetBit(0);
        if (slot < 0 || octets.length > BUFFER) {
            return; // the connection would end
        }
        receives.clear(slot);
        received.put(slot * BUFFER, octets);
        boolean over = engine.finished();
        int unanswered = used - given & 0xFFFF;
        int last = given;
        if (!over && octets.length >= CreditEngine.HEADER) {
            tells(ByteBuffer.wrap(octets));
        }
        engine.onReceived(slot, octets.length);
        if (!over && !engine.failed()) {
            assertThat(given - last & 0xFFFF).as("returned credits").isLessThanOrEqualTo(unanswered);
            took(ByteBuffer.wrap(octets));
        }
    }

    /** The part of a message on which the end may act at once. After a wrong message nothing may be posted any more. */
    private void tells(ByteBuffer message) {
        given = message.getShort(2);
        int body = message.remaining() - CreditEngine.HEADER;
        if (message.get(0) == OFFER && body == DirectMemory.BODY) {
            offered = DirectMemory.read(message, CreditEngine.HEADER);
            fetched = 0;
        }
    }

    /** The end has accepted a message. */
    private void took(ByteBuffer message) {
        int at = CreditEngine.HEADER;
        boolean last = (message.get(1) & LAST) != 0;
        switch (message.get(0)) {
            case DATA -> {
                cameTo(position + message.remaining() - at, last);
                position += message.remaining() - at;
                if (!forgets) {
                    message.position(at);
                    while (message.hasRemaining()) {
                        expected.add(message.get());
                    }
                }
            }
            case ASK -> asked = DirectMemory.read(message, at);
            case OFFER -> cameTo(position + Objects.requireNonNull(offered).length(), last);
            case WRITTEN -> {
                int bytes = message.getInt(at + Long.BYTES);
                assertThat(bytes).as("bytes written to lent memory").isBetween(1, lentIn);
                cameTo(position + bytes, last);
                position += bytes;
            }
            default -> {}
        }
    }

    private void cameTo(long end, boolean last) {
        if (last) {
            ends.add(end);
        }
    }

    /** A message as an end sends it after a change of the word. The input selects its fields. */
    private byte[] right(byte[] told) {
        if (told.length < 4) {
            return told;
        }
        int kind = 1 + (told[0] & 0xFF) % TAKEN;
        int body = kind == DATA
                ? told.length - 4
                : kind == ASK || kind == OFFER ? DirectMemory.BODY : kind >= WRITTEN ? 12 : 0;
        boolean ends = options.messages() && (kind == DATA || kind == OFFER || kind == WRITTEN);
        int flags = ends ? told[1] & LAST : kind == FIN ? told[1] & 1 : 0;
        ByteBuffer message = ByteBuffer.allocate(CreditEngine.HEADER + Math.min(body, BUFFER - CreditEngine.HEADER));
        int back = (used - given & 0xFFFF) == 0 ? 0 : (told[2] & 0xFF) % ((used - given & 0xFFFF) + 1);
        message.put((byte) kind)
                .put((byte) flags)
                .putShort((short) (given + back))
                .putInt(message.capacity() - CreditEngine.HEADER);
        int size = 1 + (told[3] & 0xFF);
        switch (kind) {
            case DATA -> message.put(told, 4, message.remaining());
            case ASK -> {
                peerWord = DirectWord.next(peerWord, DirectWord.ASKED);
                new DirectMemory(peerWord, gone, size * 1_000L, size, size).write(message, CreditEngine.HEADER);
            }
            case OFFER -> {
                word = DirectWord.next(word, DirectWord.OFFERED);
                DirectMemory memory = new DirectMemory(word, position, size * 2_000L, size, size);
                memory.write(message, CreditEngine.HEADER);
            }
            case WRITTEN -> {
                if (DirectWord.state(word) == DirectWord.ASKED) {
                    word = DirectWord.next(word, DirectWord.CLAIMED);
                }
                message.putLong(word).putInt(lentIn == 0 ? size : 1 + size % lentIn);
            }
            case TAKEN -> {
                DirectMemory own = lastOffer;
                message.putLong(own == null ? 0 : own.word()).putInt(own == null ? 0 : own.length());
            }
            default -> {}
        }
        return message.array();
    }

    private void done() {
        Posted first = posted.poll();
        if (first != null) {
            boolean over = engine.finished();
            first.done.run();
            engine.onSent(first.id);
            assertThat(over && !engine.finished()).isFalse();
        }
    }

    // ---- the program

    private void write(int count) throws IOException {
        if (count == 0 || lentOut > 0 || engine.borrowed()) {
            return;
        }
        boolean writable = engine.writable();
        int taken = engine.write(data(count));
        assertThat(taken > 0).as("writable").isEqualTo(writable);
        written += taken;
    }

    private void gather(int count) throws IOException {
        if (lentOut > 0 || !engine.writable()) {
            return;
        }
        gathered = data(2 * count);
        written += engine.gather(gathered.duplicate());
    }

    private ByteBuffer data(int count) {
        ByteBuffer data = ByteBuffer.allocate(count);
        for (int i = 0; i < count; i++) {
            data.put(i, pattern(written + i));
        }
        return data;
    }

    private static byte pattern(int at) {
        return (byte) (at * 31 + (at >> 8));
    }

    private void read(int count, boolean orLend) throws IOException {
        if (count == 0 || lentIn > 0) {
            return;
        }
        ByteBuffer into = ByteBuffer.allocate(count);
        boolean readable = engine.readable();
        int came = orLend ? engine.readFirst(new BufferCopy().of(into), count) : engine.read(into);
        assertThat(came != 0).as("readable").isEqualTo(readable);
        for (int i = 0; i < came; i++) {
            assertThat(into.get(i)).as("a received byte").isEqualTo(expected.poll());
        }
        took(came);
        DirectData direct = engine.direct();
        if (orLend && direct != null && direct.mayLendInput(came) && into.hasRemaining()) {
            lentIn = into.remaining();
            direct.lendInput(0, 1, lentIn);
        } else if (orLend && direct != null) {
            direct.fetch();
        }
    }

    private void inputBack() {
        if (lentIn > 0) {
            int came = Objects.requireNonNull(engine.direct()).takeInputBack();
            assertThat(came).isLessThanOrEqualTo(lentIn);
            lentIn = came < 0 ? lentIn : 0;
            took(came);
        }
    }

    /** No read crosses the end of a message. */
    private void took(int bytes) {
        if (bytes <= 0 || forgets || !options.messages()) {
            return;
        }
        readAt += bytes;
        boolean atEnd = !ends.isEmpty() && ends.element() == readAt;
        if (!engine.failed()) {
            assertThat(ends.isEmpty() || ends.element() >= readAt)
                    .as("it ends with a message")
                    .isTrue();
            assertThat(engine.insideMessage()).isEqualTo(!atEnd);
        }
        if (atEnd) {
            ends.remove();
        }
    }

    private void lendOutput(int count) throws IOException {
        DirectData direct = engine.direct();
        if (count > 0 && lentOut == 0 && !engine.borrowed() && direct != null && direct.mayLendOutput()) {
            lentOut = count;
            direct.lendOutput(0, 2, count);
        }
    }

    private void outputBack() {
        if (lentOut > 0) {
            int moved = Objects.requireNonNull(engine.direct()).takeOutputBack();
            assertThat(moved).isLessThanOrEqualTo(lentOut);
            if (moved >= 0) {
                lentOut = 0;
                written += moved;
                gone += moved;
            }
        }
    }

    // ---- work requests of the end

    private void post(long id, Runnable done) {
        assertThat(engine.failed()).as("posted after a fault of the peer").isFalse();
        posted.add(new Posted(id, done));
        assertThat(posted.size()).as("work requests").isLessThanOrEqualTo(SLOTS);
    }

    private void says(int kind, int length, long id) {
        assertThat(length).as("a message of the peer's buffers").isLessThanOrEqualTo(peerBuffer);
        if (kind == DATA || kind == GRANT || kind == ASK) {
            used = used + 1 & 0xFFFF;
            assertThat(used - given & 0xFFFF).as("messages without a credit").isLessThanOrEqualTo(peerCredits);
        }
        post(id, () -> {});
    }

    private void goes(ByteBuffer bytes) {
        assertThat(lentOut).as("bytes that are lent meanwhile").isZero();
        while (bytes.hasRemaining()) {
            assertThat(bytes.get()).as("byte %s of the written bytes", gone).isEqualTo(pattern(gone++));
        }
    }

    @Override
    public void send(int offset, int length, long id) {
        goes(sent.slice(offset + CreditEngine.HEADER, length - CreditEngine.HEADER));
        says(sent.get(offset), length, id);
    }

    @Override
    public void gather(int offset, int from, int length, long id) {
        goes(gathered.slice(from, length));
        says(sent.get(offset), CreditEngine.HEADER + length, id);
    }

    @Override
    public void sendCopy(ByteBuffer header, long id) {
        int kind = header.get(header.position());
        if (kind == OFFER) {
            lastOffer = DirectMemory.read(header, header.position() + CreditEngine.HEADER);
            assertThat(lastOffer.length()).isBetween(1, lentOut);
        }
        says(kind, header.remaining(), id);
    }

    @Override
    public void free(int slot) {
        assertThat(receives.get(slot)).as("buffer %s is posted twice", slot).isFalse();
        receives.set(slot);
    }

    @Override
    public ByteBuffer stage() {
        return stage;
    }

    @Override
    public long wordAddress() {
        return 8_192;
    }

    @Override
    public int wordKey() {
        return 78;
    }

    @Override
    public long word() {
        return word;
    }

    @Override
    public boolean swapWord(long before, long replacement) {
        if (word != before) {
            return false;
        }
        word = replacement;
        return true;
    }

    @Override
    public void swap(long address, int key, long before, long replacement, long id) {
        DirectWord.Place place = Objects.requireNonNull(peerPlace, "a word that the peer has advertised");
        assertThat(address).isEqualTo(place.address());
        assertThat(key).isEqualTo(place.key());
        post(id, () -> {
            swapped = peerWord;
            if (lie != null) {
                swapped = lie;
                lie = null;
            } else if (peerWord == before) {
                peerWord = replacement;
            }
        });
    }

    @Override
    public long swapped() {
        return swapped;
    }

    @Override
    public void put(long address, int key, int length, long id) {
        DirectMemory target = Objects.requireNonNull(asked, "memory that the peer has advertised");
        assertThat(address).isEqualTo(target.address());
        assertThat(key).isEqualTo(target.key());
        assertThat(length).isBetween(1, Math.min(lentOut, target.length()));
        post(id, () -> {});
    }

    @Override
    public @Nullable ByteBuffer spare(int length) {
        assertThat(length).isBetween(1, options.mostKept());
        spares.add(ByteBuffer.allocate(length));
        return spares.getLast();
    }

    @Override
    public void freeSpare() {
        spares.remove();
    }

    @Override
    public void fetch(long address, int key, int length, DirectWire.Target target, long id) {
        DirectMemory from = Objects.requireNonNull(offered, "memory that the peer has advertised");
        assertThat(address).isEqualTo(from.address() + fetched);
        assertThat(key).isEqualTo(from.key());
        assertThat(length).isBetween(1, from.length() - fetched);
        ByteBuffer to = target == DirectWire.Target.STAGE ? stage : spares.peekLast();
        if (target == DirectWire.Target.LENT) {
            assertThat(length).isLessThanOrEqualTo(lentIn);
        }
        post(id, () -> {
            if (!engine.finished()) {
                fetched += length;
                position += length;
                for (int i = 0; i < length && target != DirectWire.Target.LENT && !forgets; i++) {
                    to.put(i, pattern(i + length));
                    expected.add(to.get(i));
                }
            }
        });
    }
}
