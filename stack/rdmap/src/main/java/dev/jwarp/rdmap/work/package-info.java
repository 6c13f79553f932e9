/**
 * Posted work: receives, the base of send operations, their memory, and the queues from the program's threads to the
 * owner of a stream or of a datagram endpoint.
 */
@NullMarked
package dev.jwarp.rdmap.work;

import org.jspecify.annotations.NullMarked;
