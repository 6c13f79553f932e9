package dev.jwarp.rnic.connection;

import dev.jwarp.verbs.RdmaErrorCode;
import org.jspecify.annotations.Nullable;

/** Is told that a connection is over: what its stream knows of a connection id. Owner of the connection. */
interface StreamEnd {
    /**
     * The connection is over, all its work has come back. Told again if it threw.
     *
     * @param error null if it ended in order
     * @param how for a sentence that begins with the connection
     * @param why a sentence, if it ended in error
     */
    void ended(@Nullable RdmaErrorCode error, String how, @Nullable String why);
}
