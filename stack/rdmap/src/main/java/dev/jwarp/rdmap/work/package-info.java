/**
 * Work that a program has posted: receives, what all operations have in common, their memory, and the queues that hand
 * them from the program's threads to the owner of a stream or of a datagram endpoint.
 */
@NullMarked
package dev.jwarp.rdmap.work;

import org.jspecify.annotations.NullMarked;
