package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Data of a stream with credits that are not copied, both ways, once both ends have agreed on such. What the program lends belongs to the stream until it is given back. One thread at a time, as for the
 * engine.
 */
public final class DirectData {
    /** Bytes that are offered at a time by an end that looks whether anything moves: it does not see how far its peer has read. */
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

    // ---- what the program lends to be sent

    /**
     * {@return whether bytes can be moved from where they are, now} Else they have to be written.
     *
     * @throws IOException if no more can be sent
     */
    public boolean mayLendOutput() throws IOException {
        end.checkOutput();
        sender.flush();
        return !output.busy() && unsent.pending() == 0;
    }

    /**
     * Begins to have bytes moved from where they are, of one message of the program. Nothing is written until {@link #takeOutputBack} gives them back. Only if it {@link #mayLendOutput}.
     *
     * @param address by which the peer can name the first byte
     * @param key by which it can read them
     * @param length how many
     */
    public void lendOutput(long address, int key, int length) {
        int whole = unsent.ofMessage(length);
        int bytes = options.mostKept() < 0 ? whole : Math.min(whole, MOST_OFFERED);
        output.lend(address, key, bytes, unsent.wouldEndWith(bytes));
    }

    /** {@return how many of the bytes were moved that are lent; 0: they have to be written; negative: they are not given back yet} */
    public int takeOutputBack() {
        if (output.busy() && !end.finished()) {
            return -1;
        }
        int moved = output.takeBack();
        unsent.endsWith(moved);
        return moved;
    }

    // ---- what the program lends to be received in

    /**
     * {@return whether bytes can be moved to where the program wants them: nothing has come, or there is more on offer}
     *
     * @param came what {@link CreditEngine#readFirst} has given
     */
    public boolean mayLendInput(int came) {
        return !end.failed()
                && (came == 0
                        || (came > 0 && !unread.readEnd() && unread.bytes() + input.unread() == 0 && input.offered()));
    }

    /**
     * Begins to have bytes moved to where the program wants them. There is no read until {@link #takeInputBack} gives the memory back. Only if it {@link #mayLendInput}.
     *
     * @param address by which the peer can name the first byte
     * @param key by which it can write there
     * @param length how many, 1 or more
     */
    public void lendInput(long address, int key, int length) {
        input.lend(address, key, length, sender.mayAsk());
    }

    /** {@return how many bytes have come to what is lent; negative: it is not given back yet} */
    public int takeInputBack() {
        int bytes = end.finished() ? input.end() : input.takeBack();
        if (bytes > 0) {
            unread.read(input.landedEnds());
        }
        fetch();
        return bytes;
    }

    /** Reads what is on offer to where the program wants it, or else to memory of the stream's own. After {@link CreditEngine#readFirst}, if the program lends nothing. */
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
     * {@return how far the stream was, what was sent, has come and was read in sum, when this end and its peer began to wait for each other to read what they write, and this one cannot keep it; negative: they do
     * not, or may}
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

    // ---- what comes, and what is done

    /** A message that has come: its body is at {@code at}; {@code last}: a message of the program ends with it. */
    void on(int kind, ByteBuffer from, int at, boolean last) {
        switch (kind) {
            case CreditMessage.ASK -> output.onAsk(DirectMemory.read(from, at));
            case CreditMessage.OFFER -> input.onOffer(DirectMemory.read(from, at), last);
            case CreditMessage.WRITTEN -> input.onWritten(from.getLong(at), from.getInt(at + Long.BYTES), last);
            default -> output.onTaken(from.getLong(at), from.getInt(at + Long.BYTES));
        }
    }

    /** A request is done. */
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
