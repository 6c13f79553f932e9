/**
 * Protocols that carry a stream of bytes over RDMA Writes and Sends, without queue pairs, threads or clocks. The owner
 * of the queue pair passes received messages to the protocol, and posts its requests through {@link
 * dev.jwarp.sockets.stream.RsocketWire}.
 */
@org.jspecify.annotations.NullMarked
package dev.jwarp.sockets.stream;
