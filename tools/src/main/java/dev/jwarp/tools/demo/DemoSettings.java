package dev.jwarp.tools.demo;

import java.time.Duration;

/**
 * The settings of the demo.
 *
 * @param messageSize bytes of one RDMA Write, RDMA Read or Send; the last may be shorter
 * @param windowSize bytes that are moved between two checks; a multiple of the message size
 * @param port the server's port; 0 for a free one
 * @param limit how long one end waits for the other
 * @param corruptAt offset in the file where the server changes one byte, to show how a difference is reported; -1 for
 *     none
 * @param quiet whether to print no line of progress each second
 */
record DemoSettings(int messageSize, int windowSize, int port, Duration limit, long corruptAt, boolean quiet) {
    /** {@return the number of messages of a window of that length} */
    int messages(int length) {
        return (length + messageSize - 1) / messageSize;
    }
}
