package dev.jwarp.rnic.connection;

import dev.jwarp.llp.LlpConnection;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Commands to a stream, which the owner of the connection carries out when no call into the stream is in progress,
 * because a stream must not be called from its own callbacks. Any thread may add a command, even before the owner is
 * known.
 */
final class StreamCommands {
    /** The commands, in the order of their execution. */
    enum Command {
        FLUSH(1),
        PERFORM_LOCAL(2),
        DISCONNECT(4),
        TERMINATE(8),
        FAIL(16);

        private static final Command[] ALL = values();

        private final int bit;

        Command(int bit) {
            this.bit = bit;
        }

        /** {@return whether the command ends the connection} */
        boolean ends() {
            return this == DISCONNECT || this == TERMINATE || this == FAIL;
        }
    }

    private final Consumer<Command> carryOut;
    private final Runnable leave;
    private volatile @Nullable LlpConnection owner;

    /** A bit for each command from before the owner was known; guarded by this. */
    private int early;

    // The rest belongs to the owner.

    /** A bit for each command. */
    private int commands;

    private boolean inStream;

    /**
     * No commands.
     *
     * @param carryOut carries out a command; called by the owner outside all calls into the stream
     * @param leave calls {@link #leave}, as after any call into the stream
     */
    StreamCommands(Consumer<Command> carryOut, Runnable leave) {
        this.carryOut = carryOut;
        this.leave = leave;
    }

    // ---- any thread

    @Nullable
    LlpConnection owner() {
        return owner;
    }

    /** Sets the connection, which is the owner, and runs the commands added before. */
    void owner(LlpConnection made) {
        int due;
        synchronized (this) {
            owner = made;
            due = early;
            early = 0;
        }
        if (due != 0) {
            made.execute(() -> add(due));
        }
    }

    /** Makes the owner carry out a command: at once, soon, or when the owner is known. */
    void ask(Command command) {
        if (owner == null) {
            synchronized (this) {
                if (owner == null) {
                    early |= command.bit;
                    return;
                }
            }
        }
        execute(() -> add(command));
    }

    /** Runs a task on the owner, which must be known. */
    void execute(Runnable task) {
        Objects.requireNonNull(owner).execute(task);
    }

    // ---- owner

    void add(Command command) {
        add(command.bit);
    }

    private void add(int more) {
        commands |= more;
        if (!inStream) {
            inStream = true;
            leave.run();
        }
    }

    boolean inStream() {
        return inStream;
    }

    /** A call into the stream begins. */
    void enter() {
        inStream = true;
    }

    /** A call into the stream has ended: carries out the commands. */
    void leave() {
        while (commands != 0) {
            for (Command command : Command.ALL) {
                if ((commands & command.bit) != 0) {
                    commands &= ~command.bit;
                    carryOut.accept(command);
                }
            }
        }
        inStream = false;
    }
}
