package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;
import static dev.jwarp.rnic.connection.ConnectionEvent.CLOSED;
import static dev.jwarp.rnic.connection.ConnectionEvent.END_WANTED;
import static dev.jwarp.rnic.connection.ConnectionEvent.ESTABLISHED;
import static dev.jwarp.rnic.connection.ConnectionEvent.FAILED;
import static dev.jwarp.rnic.connection.ConnectionEvent.NEVER_BEGAN;
import static dev.jwarp.rnic.connection.ConnectionEvent.RELEASED;
import static dev.jwarp.rnic.connection.ConnectionState.BEGUN;
import static dev.jwarp.rnic.connection.ConnectionState.ENDED;
import static dev.jwarp.rnic.connection.ConnectionState.ENDING;
import static dev.jwarp.rnic.connection.ConnectionState.FAILING;
import static dev.jwarp.rnic.connection.ConnectionState.OPEN;
import static dev.jwarp.rnic.connection.ConnectionState.OVER;
import static dev.jwarp.rnic.connection.ConnectionState.UNWANTED;

import dev.jwarp.base.Transitions;
import java.util.List;

/** The whole life of a connection of a queue pair as one table. What is not in it does not happen: it is refused. */
final class ConnectionTransitions {
    static final Transitions<ConnectionState, ConnectionEvent> TABLE = new Transitions<>(
            ConnectionState.class,
            ConnectionEvent.class,
            List.of(
                    row(BEGUN, ESTABLISHED, OPEN),
                    row(BEGUN, END_WANTED, UNWANTED),
                    row(BEGUN, NEVER_BEGAN, ENDED),
                    row(BEGUN, CLOSED, ENDED),
                    row(BEGUN, RELEASED, OVER), // the call that was to make it threw
                    row(UNWANTED, ESTABLISHED, ENDING),
                    row(UNWANTED, NEVER_BEGAN, ENDED),
                    row(UNWANTED, CLOSED, ENDED),
                    row(UNWANTED, RELEASED, OVER),
                    row(OPEN, END_WANTED, ENDING),
                    row(OPEN, FAILED, FAILING),
                    row(OPEN, CLOSED, ENDED),
                    row(ENDING, FAILED, FAILING),
                    row(ENDING, CLOSED, ENDED),
                    row(FAILING, CLOSED, ENDED),
                    row(ENDED, RELEASED, OVER)));

    private ConnectionTransitions() {}
}
