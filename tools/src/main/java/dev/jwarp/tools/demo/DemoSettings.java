package dev.jwarp.tools.demo;

import java.time.Duration;

/**
 * How the demo moves its file.
 *
 * @param messageSize bytes of one RDMA Write, RDMA Read or Send; the last may be shorter
 * @param windowSize bytes that are moved between two checks; a multiple of the message size
 * @param port where the server listens; 0 for one that is free
 * @param limit how long one end waits for the other
 * @param corruptAt place in the file where the server spoils one byte, to show what that looks like; -1 for nowhere
 * @param quiet whether to leave out the sign of life each second
 */
record DemoSettings(int messageSize, int windowSize, int port, Duration limit, long corruptAt, boolean quiet) {
    /** {@return how many messages a window of that length takes} */
    int messages(int length) {
        return (length + messageSize - 1) / messageSize;
    }
}
