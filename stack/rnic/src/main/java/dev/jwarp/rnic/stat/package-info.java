/**
 * Observation of a process's devices by other processes of the same user: a Unix-domain socket in a folder that only
 * the user can enter, where one thread answers with rows of text.
 *
 * <p>Counters and queues are read when a reader connects, so observation costs the data path nothing. A mapped file
 * would need counters inside the file and an update for every queue pair. Attaching to the JVM would load an agent and,
 * for JMX, listen on the network.
 */
@NullMarked
package dev.jwarp.rnic.stat;

import org.jspecify.annotations.NullMarked;
