package dev.jwarp.rnic.connection;

import dev.jwarp.llp.LlpConnection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gets work done on the thread that owns a connection, from before the transport has told of the connection on. Any thread. */
final class OwnerTasks {
    /** Asked of the owner before it was known who that is; guarded by this. */
    private List<Runnable> early = List.of();

    private volatile @Nullable LlpConnection connection;

    @Nullable
    LlpConnection connection() {
        return connection;
    }

    /** The connection is known: what was asked before is due now. */
    void connection(LlpConnection made) {
        List<Runnable> due;
        synchronized (this) {
            connection = made;
            due = early;
            early = List.of();
        }
        due.forEach(made::execute);
    }

    /** Runs {@code task} on the owner: at once, soon, or when there is one. */
    void run(Runnable task) {
        LlpConnection current = connection;
        if (current == null) {
            synchronized (this) {
                current = connection;
                if (current == null) {
                    if (early.isEmpty()) {
                        early = new ArrayList<>();
                    }
                    early.add(task);
                    return;
                }
            }
        }
        current.execute(task);
    }
}
