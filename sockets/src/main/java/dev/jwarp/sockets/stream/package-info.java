/**
 * Protocols that make a stream of bytes of RDMA Writes and Sends: bytes, numbers and states, without queue pairs, threads or clocks. Who has a queue pair hands
 * in what was received, and posts what a protocol asks for through {@link dev.jwarp.sockets.stream.RsocketWire}.
 */
@org.jspecify.annotations.NullMarked
package dev.jwarp.sockets.stream;
