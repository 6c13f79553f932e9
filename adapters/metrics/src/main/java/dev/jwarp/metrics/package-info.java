/**
 * The counters of a context for monitoring: {@link dev.jwarp.metrics.ContextMetrics} binds them to Micrometer, {@link
 * dev.jwarp.metrics.ContextEvents} records them with the JDK's Flight Recorder. Each needs only its own library at run
 * time.
 */
@NullMarked
package dev.jwarp.metrics;

import org.jspecify.annotations.NullMarked;
