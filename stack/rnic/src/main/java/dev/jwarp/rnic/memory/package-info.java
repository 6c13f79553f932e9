/** Protection domains with regions, windows and shared receive queues, and the check of what a program posts. Internal. */
@NullMarked
package dev.jwarp.rnic.memory;

import org.jspecify.annotations.NullMarked;
