package dev.jwarp.rnic.connection;

/** What carries out what is posted to a queue pair: the stream of its connection. Any thread. */
interface PostTarget {
    /** Something was posted. */
    void posted();

    /** Something was posted that sends nothing: it need not wait for the lower layer. */
    void postedLocal();

    /** Something was posted that may have to be flushed. */
    void postedAfterTheEnd();
}
