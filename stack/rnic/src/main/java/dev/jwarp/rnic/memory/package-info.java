/**
 * Protection domains with their regions, windows and shared receive queues, and the check of the memory that work requests
 * name. Internal: queue pairs are known here by interfaces only.
 */
@NullMarked
package dev.jwarp.rnic.memory;

import org.jspecify.annotations.NullMarked;
