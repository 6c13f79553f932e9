package dev.jwarp.tools.loss;

import java.net.InetSocketAddress;

/**
 * Where the target of a trial is: told to the source before it begins.
 *
 * @param host address of its port, without a name
 * @param port its UDP or TCP port
 * @param queuePairNumber and
 * @param key of its queue pair; 0 for connections
 * @param address of its memory
 * @param rkey for its memory
 */
record LossPlace(String host, int port, int queuePairNumber, int key, long address, int rkey) {
    InetSocketAddress socketAddress() {
        return new InetSocketAddress(host, port);
    }
}
