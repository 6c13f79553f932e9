/** Threads that do from a seed all that a program may do at any moment. */
@NullMarked
package dev.jwarp.torture.threads;

import org.jspecify.annotations.NullMarked;
