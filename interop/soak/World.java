import dev.jwarp.verbs.Context;

/** Something that goes on all the time. One thread. */
interface World extends AutoCloseable {
    /** {@return its name in the table} */
    String name();

    /** Does one thing and leaves nothing half done. @throws RuntimeException if it does not go as it should */
    void round() throws Exception;

    /** Takes what the contexts have told: a program that does not has 1,024 of them at most. */
    static void takeEvents(Context... contexts) {
        for (Context context : contexts) {
            while (context.pollAsyncEvent() != null) {
                // that a peer has gone, mostly
            }
        }
    }

    @Override
    void close();
}
