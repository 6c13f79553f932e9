package dev.jwarp.tools.traffic;

import java.util.List;

/**
 * What one end has to know of the other: its memory and its queue pairs.
 *
 * @param address of its memory: first where messages arrive, then where they leave from
 * @param key of it
 * @param slot bytes of each of the two
 * @param mailboxAddress of 8 bytes for each queue pair, where the other end writes how many messages it has taken
 * @param mailboxKey of it
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
