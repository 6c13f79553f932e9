package dev.jwarp.messaging;

import java.net.InetSocketAddress;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;

/**
 * Tells where services are. The program that opens endpoints makes the directory and closes it; any number of endpoints
 * share it.
 *
 * <p>Threads: any.
 */
public interface Directory extends AutoCloseable {
    /**
     * {@return the local address at which a service is to be hosted; port 0 for any free port}
     *
     * @param service service id, 1 to 65,535
     */
    InetSocketAddress bindAddress(int service);

    /**
     * Announces that a service is hosted there.
     *
     * @param service service id, 1 to 65,535
     * @param place where the service is
     * @throws dev.jwarp.verbs.RdmaException ADDRESS_IN_USE if the service is hosted elsewhere
     */
    void announce(int service, Place place);

    /**
     * Withdraws an announcement. Without effect if there is none.
     *
     * @param service service id
     * @param place as it was announced
     */
    void withdraw(int service, Place place);

    /**
     * {@return a stage that completes with the place of a service; it fails with an
     * {@link dev.jwarp.verbs.RdmaException} NOT_FOUND, TIMED_OUT or UNREACHABLE (the directory is away, and knows
     * nothing of the service)} Does not wait.
     *
     * @param service service id, 1 to 65,535
     */
    CompletionStage<Place> find(int service);

    /**
     * {@return a stage that completes with all services that can be found now, by id; it fails as {@link #find}} Does not
     * wait.
     */
    CompletionStage<SortedMap<Integer, Place>> services();

    /**
     * Says that a service was not found at a place, or does not answer there: a directory that remembers what it found
     * has to ask again.
     *
     * @param service service id
     * @param place a result of {@link #find}
     */
    void doubt(int service, Place place);

    /** Frees the directory. Further calls have no effect. */
    @Override
    void close();
}
