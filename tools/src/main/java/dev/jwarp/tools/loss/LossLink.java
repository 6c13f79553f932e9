package dev.jwarp.tools.loss;

/** What leads from one namespace to the other. One thread. */
interface LossLink extends AutoCloseable {
    /** {@return what it is, for the reader of the results} */
    String description();

    /**
     * Makes it be like that from now on.
     *
     * @param seed decides what is lost, if the link decides by numbers of its own
     */
    void become(LossPath path, long seed);

    @Override
    void close();
}
