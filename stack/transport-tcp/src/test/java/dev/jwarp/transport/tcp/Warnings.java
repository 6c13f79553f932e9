package dev.jwarp.transport.tcp;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Collects the warnings of the transport's engines while open. */
final class Warnings implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger(MpaEngineFactory.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    Warnings() {
        log.start();
        logger.addAppender(log);
    }

    List<String> all() {
        return List.copyOf(log.list).stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(log);
    }
}
