package dev.jwarp.tools.loss;

/** Two ends and what lies between them. One thread. */
interface Lab extends AutoCloseable {
    /** {@return what was run where, for the reader of the results} */
    String description();

    /** {@return what came out of a trial} Runs it. */
    Row run(LossTrial trial);

    @Override
    void close();
}
