package dev.jwarp.torture.threads;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/**
 * Collects the errors that the stack logs while this is open, with their causes: each is a bug, so there must be none.
 */
final class Complaints extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.jwarp");
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();

    static Complaints listen() {
        Complaints complaints = new Complaints();
        complaints.setContext(complaints.logger.getLoggerContext());
        complaints.start();
        complaints.logger.addAppender(complaints);
        return complaints;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
            IThrowableProxy cause = event.getThrowableProxy();
            errors.add(event.getFormattedMessage() + (cause == null ? "" : "\n" + ThrowableProxyUtil.asString(cause)));
        }
    }

    void none() {
        assertThat(errors).as("errors in the log").isEmpty();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        stop();
    }
}
