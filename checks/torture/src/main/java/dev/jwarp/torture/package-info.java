/** The common part of all torture tests: seeds and durations, threads, connections, and the check of completions. */
@NullMarked
package dev.jwarp.torture;

import org.jspecify.annotations.NullMarked;
