/** The loop that moves sockets: who owns it, what it waits for, and what runs it. */
@NullMarked
package dev.jwarp.io;

import org.jspecify.annotations.NullMarked;
