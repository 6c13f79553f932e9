package dev.jwarp.tools.traffic;

import java.util.List;

/**
 * The memory and queue pairs of an end, for the other end.
 *
 * @param address of its memory, which begins with the slot of received messages; the slot of outgoing messages follows
 * @param key of its memory
 * @param slot bytes of a slot
 * @param mailboxAddress of 8 bytes for each queue pair, where the other end writes its counts of taken messages
 * @param mailboxKey of the mailbox
 * @param receives posted for each queue pair
 * @param receiveBuffer of the sockets of datagrams, bytes; 0 for connections
 * @param pairs its queue pairs
 */
public record TrafficPlace(
        long address,
        int key,
        int slot,
        long mailboxAddress,
        int mailboxKey,
        int receives,
        int receiveBuffer,
        List<Pair> pairs) {
    /**
     * A queue pair.
     *
     * @param number of it
     * @param queueKey its Q_Key; 0 for connections
     * @param port of UDP; 0 for connections
     */
    public record Pair(int number, int queueKey, int port) {}
}
