/** What one message touches: objects, locked instructions, methods and compiled code, counted by rewritten classes. */
@NullMarked
package dev.jwarp.benchmarks.touched;

import org.jspecify.annotations.NullMarked;
