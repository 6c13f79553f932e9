/** Mutated conversations with a live device, and the minimisation of those that break it. */
@NullMarked
package dev.jwarp.conformance.fuzz;

import org.jspecify.annotations.NullMarked;
