package dev.jwarp.messaging;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import java.time.Duration;
import java.util.Map;

/** A context that is driven: by its own threads, or by one of the test. */
final class Machine implements AutoCloseable {
    final Context context;
    private final Thread driver;
    private volatile boolean over;

    Machine(Progress progress, Map<String, String> settings) {
        context = RdmaProvider.load().devices().get(0).open(progress, Patience.with(Patience.OF_CONNECTIONS, settings));
        driver = new Thread(this::drive, "driver");
        driver.setDaemon(true);
        driver.start();
    }

    private void drive() {
        try {
            while (!over && context.progress() == Progress.INLINE) {
                context.await(Duration.ofMillis(100));
            }
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.CLOSED) {
                throw e;
            }
        }
    }

    /** With inline progress: the host is silent from now on. */
    void stop() throws InterruptedException {
        over = true;
        context.wakeup();
        driver.join();
    }

    @Override
    public void close() throws InterruptedException {
        stop();
        context.close();
    }
}
