package dev.jwarp.tools.loss;

/** Two ends and the path between them. One thread. */
interface Lab extends AutoCloseable {
    /** {@return a description of ends and path, for the report} */
    String description();

    /** Runs a trial. @return its result */
    Row run(LossTrial trial);

    @Override
    void close();
}
