package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Data of a stream that are not copied, both ways, once both ends have agreed on such. */
final class DirectBoth {
    final DirectOutput output;
    final DirectInput input;

    /** A message that asks for bytes is under way. */
    private boolean askUnderWay;

    /**
     * Begins with the word of the peer.
     *
     * @param place where it is
     */
    DirectBoth(DirectHost host, DirectWire wire, DirectPlace place) {
        output = new DirectOutput(host, wire, place);
        input = new DirectInput(host, wire);
    }

    /** {@return whether a message that asks for bytes may go} */
    boolean mayAsk() {
        return !askUnderWay;
    }

    /** One goes. */
    void asked() {
        askUnderWay = true;
    }

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
    void done(DirectHost.Posted request) {
        switch (request) {
            case ASK -> askUnderWay = false;
            case SWAP -> output.onSwapped();
            case PUT -> output.onPut();
            case FETCH -> input.onFetched();
            case TAKEN -> input.onTakenSent();
            case DATA, GATHERED, GRANT, OTHER -> {}
        }
    }

    /**
     * What is on offer is read to where the program wants it, or else fetched.
     *
     * @param unread bytes that came in messages, and that the program has not read
     * @param mostKept as {@link CreditOptions#mostKept}
     */
    void fetch(int unread, int mostKept) {
        if (unread == 0) {
            input.fetch(true);
            input.fetch(false);
        }
        if (bothAt(unread) >= 0) {
            input.keep(mostKept, unread);
        }
    }

    /**
     * {@return how far the stream was, what was sent, has come and was read in sum, when this end and its peer began to wait for each other to read what they write; negative: they do
     * not}
     *
     * @param unread as for {@link #fetch}
     */
    long bothAt(int unread) {
        if (!output.offered() || !input.waitsForReader(unread)) {
            return -1;
        }
        return output.position() + input.position() + (input.position() - unread - input.unread());
    }
}
