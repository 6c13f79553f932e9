package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.SignOfLife;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.demo.Transfer.Operation;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Moves a file in datagrams. The stack does not repeat lost datagrams: the validity maps show the target which bytes
 * are missing, and the target reads them. One thread.
 */
final class DatagramDemo {
    private static final int MOST_REPAIRS = 16;

    private final DatagramEnds ends;
    private final Content content;
    private final Content original;
    private final DemoSettings settings;
    private final Console console;
    private final SendWorkRequest request = new SendWorkRequest();
    private final SignOfLife life;

    /**
     * Makes the demo.
     *
     * @param content the content to move
     * @param original the same content, to compare with
     */
    DatagramDemo(DatagramEnds ends, Content content, Content original, DemoSettings settings, Console console) {
        this.ends = ends;
        this.content = content;
        this.original = original;
        this.settings = settings;
        this.console = console;
        life = SignOfLife.eachSecond(console, settings.quiet());
    }

    /** Moves the whole file by one operation. */
    DatagramTransfer move(Operation operation) {
        DatagramTransfer moved = new DatagramTransfer(operation, settings);
        for (long place = 0; place < content.size(); place += settings.windowSize()) {
            int length = (int) Math.min(settings.windowSize(), content.size() - place);
            moved.begin(place, length, ends.sourceWindow().buffer(), content);
            wipe(length);
            long start = console.nanoTime().getAsLong();
            DatagramWindow window = operation == Operation.WRITE_RECORD ? write(length) : read(length);
            moved.missed(window, place / settings.messageSize(), place);
            repair(moved, window.torn());
            long took = console.nanoTime().getAsLong() - start;
            moved.end(place, length, ends.targetWindow().buffer(), original, took);
            if (life.due()) {
                console.note(operation.title() + ": " + (place + length) + " of " + content.size() + " bytes");
            }
        }
        return moved;
    }

    /** Clears the target window, so that bytes of the previous window cannot hide missing bytes. */
    private void wipe(int length) {
        ByteBuffer all = ends.targetWindow().buffer();
        for (int i = 0; i < length; i++) {
            all.put(i, (byte) 0);
        }
    }

    // ---- Write-Record

    /** {@return the window with the messages that arrived} */
    private DatagramWindow write(int length) {
        DatagramEnds.Pair pair = ends.writing();
        DatagramWindow window = new DatagramWindow(ends, settings, length);
        for (int message = 0; message < window.messages(); message++) {
            SendWorkRequest write = request.clear()
                    .signaled(false)
                    .destination(pair.toTarget())
                    .writeRecord(
                            ends.targetWindow().address() + window.offset(message),
                            ends.targetWindow().rkey())
                    .add(ends.sourceWindow(), window.offset(message), window.length(message));
            while (!pair.atSource().queuePair().tryPostSend(write)) {
                ends.move();
                window.takeRecords();
            }
            if (window.burstIsFull(message)) {
                ends.settle(window::takeRecords);
            }
        }
        // Every datagram that arrived is received. Incomplete messages complete after their idle time-out.
        ends.settle(window::takeRecords);
        long patience = ends.idle().toNanos() * 5;
        long last = console.nanoTime().getAsLong();
        int seen = window.seen();
        while (window.seen() < window.messages() && console.nanoTime().getAsLong() - last < patience) {
            ends.move();
            window.takeRecords();
            if (window.seen() > seen) {
                seen = window.seen();
                last = console.nanoTime().getAsLong();
            }
        }
        return window;
    }

    // ---- Read

    /** {@return the window with the messages that arrived} */
    private DatagramWindow read(int length) {
        DatagramEnds.Pair pair = ends.reading();
        DatagramWindow window = new DatagramWindow(ends, settings, length);
        for (int message = 0; message < window.messages(); message++) {
            pair.atTarget().queuePair().postSend(whole(window, message, pair.toSource()));
            if (window.burstIsFull(message)) {
                ends.settle(window::takeReads);
            }
        }
        while (window.seen() < window.messages()) {
            ends.move();
            window.takeReads();
        }
        return window;
    }

    private SendWorkRequest whole(DatagramWindow window, int message, AddressHandle source) {
        return request.clear()
                .id(message)
                .destination(source)
                .rdmaRead(
                        ends.sourceWindow().address() + window.offset(message),
                        ends.sourceWindow().rkey())
                .add(ends.targetWindow(), window.offset(message), window.length(message));
    }

    // ---- repair

    /** Reads missing bytes until none are missing. */
    private void repair(DatagramTransfer moved, List<DatagramWindow.Torn> torn) {
        DatagramEnds.Pair pair = ends.repairing();
        WorkCompletion[] one = WorkCompletion.array(1);
        int next = 0;
        long open = 0;
        long limit = console.nanoTime().getAsLong() + settings.limit().toNanos();
        while (next < torn.size() || open > 0) {
            while (next < torn.size() && open < MOST_REPAIRS) {
                open += readHoles(torn.get(next++), pair);
            }
            ends.move();
            while (pair.atTarget().poll(one)) {
                open--;
                WorkCompletion read = one[0];
                moved.reread();
                if (read.validity() != null) {
                    open += pair.atTarget().queuePair().retryRead(read);
                } else if (!read.succeeded()) {
                    throw ToolFailure.failed(read.describe());
                }
                limit = console.nanoTime().getAsLong() + settings.limit().toNanos();
            }
            if (console.nanoTime().getAsLong() > limit) {
                throw ToolFailure.failed(
                        "missing bytes did not arrive within the time limit, although they were read again and again");
            }
        }
    }

    private int readHoles(DatagramWindow.Torn torn, DatagramEnds.Pair pair) {
        SendWorkRequest whole = request.clear()
                .destination(pair.toSource())
                .rdmaRead(
                        ends.sourceWindow().address() + torn.offset(),
                        ends.sourceWindow().rkey())
                .add(ends.targetWindow(), torn.offset(), torn.length());
        int posted = pair.atTarget().queuePair().readHoles(torn.validity(), whole);
        torn.release();
        return posted;
    }
}
