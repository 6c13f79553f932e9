/** The sockets and the thread of the port mapper. Internal. */
@NullMarked
package dev.jwarp.rnic.portmap.nio;

import org.jspecify.annotations.NullMarked;
