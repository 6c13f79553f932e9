/**
 * Protection domains with their regions, windows and shared receive queues, and the check of the memory in work
 * requests. Internal. This package uses queue pairs only through interfaces.
 */
@NullMarked
package dev.jwarp.rnic.memory;

import org.jspecify.annotations.NullMarked;
