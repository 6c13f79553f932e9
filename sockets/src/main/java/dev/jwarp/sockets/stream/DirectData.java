package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The zero-copy data of a credit stream in both directions, once both ends have agreed on them. The stream owns lent
 * memory of the program until it is returned. One thread at a time, as for the engine.
 */
public final class DirectData {
    /**
     * Maximum of bytes of one offer of an end that checks the progress of the stream: it cannot see how much of an
     * offer its peer has read.
     */
    static final int MOST_OFFERED = 1 << 18;

    final DirectOutput output;
    final DirectInput input;
    private final CreditSender sender;
    private final CreditEnd end;
    private final UnsentMessages unsent;
    private final UnreadMessages unread;
    private final CreditEngine.Options options;

    DirectData(
            CreditSender sender,
            UnsentMessages unsent,
            UnreadMessages unread,
            CreditEngine.Options options,
            DirectOutput output,
            DirectInput input) {
        this.sender = sender;
        end = sender.end;
        this.unsent = unsent;
        this.unread = unread;
        this.options = options;
        this.output = output;
        this.input = input;
    }

    // ---- memory that the program lends for sending

    /**
     * {@return whether memory can be lent for sending now} Otherwise the bytes must be written.
     *
     * @throws IOException if no more can be sent
     */
    public boolean mayLendOutput() throws IOException {
        end.checkOutput();
        sender.flush();
        return !output.busy() && unsent.pending() == 0;
    }

    /**
     * Lends memory for sending, of one message of the program. There is no write until {@link #takeOutputBack} returns
     * the memory. Only if {@link #mayLendOutput}.
     *
     * @param address of the first byte, for the peer
     * @param key with which the peer can read the memory
     * @param length in bytes
     */
    public void lendOutput(long address, int key, int length) {
        int whole = unsent.ofMessage(length);
        int bytes = options.mostKept() < 0 ? whole : Math.min(whole, MOST_OFFERED);
        output.lend(address, key, bytes, unsent.wouldEndWith(bytes));
    }

    /**
     * {@return the number of lent bytes that were sent; 0: the bytes must be written; negative: the memory is still in
     * use}
     */
    public int takeOutputBack() {
        if (output.busy() && !end.finished()) {
            return -1;
        }
        int moved = output.takeBack();
        unsent.endsWith(moved);
        return moved;
    }

    // ---- memory that the program lends for receiving

    /**
     * {@return whether memory can be lent for receiving: no bytes have arrived, or the peer offers more}
     *
     * @param came result of {@link CreditEngine#readFirst}
     */
    public boolean mayLendInput(int came) {
        return !end.failed()
                && (came == 0
                        || (came > 0 && !unread.readEnd() && unread.bytes() + input.unread() == 0 && input.offered()));
    }

    /**
     * Lends memory for receiving. There is no read until {@link #takeInputBack} returns the memory. Only if {@link
     * #mayLendInput}.
     *
     * @param address of the first byte, for the peer
     * @param key with which the peer can write to the memory
     * @param length in bytes, 1 or more
     */
    public void lendInput(long address, int key, int length) {
        input.lend(address, key, length, sender.mayAsk());
    }

    /** {@return the number of bytes that have arrived in the lent memory; negative: the memory is still in use} */
    public int takeInputBack() {
        int bytes = end.finished() ? input.end() : input.takeBack();
        if (bytes > 0) {
            unread.read(input.landedEnds());
        }
        fetch();
        return bytes;
    }

    /**
     * Reads an offer to the lent memory, or else to memory of the stream. After {@link CreditEngine#readFirst}, if the
     * program lends no memory.
     */
    public void fetch() {
        if (end.finished()) {
            return;
        }
        if (unread.bytes() == 0) {
            input.fetch(true);
            input.fetch(false);
        }
        if (bothAt() >= 0) {
            input.keep(options.mostKept(), unread.bytes());
        }
    }

    /**
     * {@return the position of the stream, as the sum of sent, received and read bytes, at which this end and its peer
     * began to wait for each other to read, and this end cannot buffer the data; negative: they do not wait for each
     * other, or this end is set to wait}
     */
    public long bothWriteAt() {
        return options.mostKept() < 0 ? -1 : bothAt();
    }

    private long bothAt() {
        int came = unread.bytes();
        if (!output.offered() || !input.waitsForReader(came)) {
            return -1;
        }
        return sender.position() + input.position() + (input.position() - came - input.unread());
    }

    // ---- received messages and completed requests

    /** Processes a message whose body is at {@code at}; {@code last}: a message of the program ends with it. */
    void on(int kind, ByteBuffer from, int at, boolean last) {
        switch (kind) {
            case CreditMessage.ASK -> output.onAsk(DirectMemory.read(from, at));
            case CreditMessage.OFFER -> input.onOffer(DirectMemory.read(from, at), last);
            case CreditMessage.WRITTEN -> input.onWritten(from.getLong(at), from.getInt(at + Long.BYTES), last);
            default -> output.onTaken(from.getLong(at), from.getInt(at + Long.BYTES));
        }
    }

    /** Processes a completed request. */
    void done(CreditSender.Request request) {
        switch (request) {
            case SWAP -> output.onSwapped();
            case PUT -> output.onPut();
            case FETCH -> input.onFetched();
            case TAKEN -> input.onTakenSent();
            case DATA, GATHERED, GRANT, ASK, OTHER -> {}
        }
    }
}
