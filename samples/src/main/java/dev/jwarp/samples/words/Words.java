package dev.jwarp.samples.words;

import dev.jwarp.verbs.RdmaException;

/** Words of 64 bits at another host. Each operation is atomic. Numbers are in the byte order of the machines. */
public interface Words {
    /**
     * {@return the value of a word}
     *
     * @param word its number, from 0
     * @throws RdmaException DISCONNECTED, or TIMED_OUT, if the host does not answer
     */
    long read(int word);

    /**
     * Replaces the value of a word if it is the expected one.
     *
     * @param word its number, from 0
     * @param expected the value that is replaced
     * @param value the new value
     * @return the value before: {@code expected} if it was replaced
     * @throws RdmaException as for {@link #read}; the word may have changed nevertheless
     */
    long compareAndSwap(int word, long expected, long value);

    /**
     * Adds to a word.
     *
     * @param word its number, from 0
     * @param addend a number; the sum wraps around
     * @return the value before
     * @throws RdmaException as for {@link #compareAndSwap}
     */
    long fetchAndAdd(int word, long addend);
}
