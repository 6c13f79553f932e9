package dev.jwarp.benchmarks.compare;

import java.io.IOException;

/** A contender as the one sees it who gives the turns: something that does a round when asked. */
interface Player extends AutoCloseable {
    Figures round(int millis) throws IOException;

    @Override
    void close();
}
