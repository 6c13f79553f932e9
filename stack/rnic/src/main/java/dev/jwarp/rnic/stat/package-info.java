/**
 * What other processes of the user may see of the devices of this one, and how they see it: a Unix-domain socket in a folder
 * that only the user can enter, answered by one thread with rows of text.
 *
 * <p>Nothing is prepared beforehand: counters and queues are read when a reader connects, so the data path neither pays for it nor
 * knows of it. A mapped file would ask for counters that live in it, and would still have to be told of every queue pair;
 * attaching to the JVM would load an agent into it and, for JMX, listen on the network.
 */
@NullMarked
package dev.jwarp.rnic.stat;

import org.jspecify.annotations.NullMarked;
