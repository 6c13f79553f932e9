/** Threads that make every legal call at random times, from a seed. */
@NullMarked
package dev.jwarp.torture.threads;

import org.jspecify.annotations.NullMarked;
