/** Mutated conversations against a live device, and what broke it made small. */
@NullMarked
package dev.jwarp.conformance.fuzz;

import org.jspecify.annotations.NullMarked;
