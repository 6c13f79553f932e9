/** Measurements of jwarp. */
@NullMarked
package dev.jwarp.benchmarks;

import org.jspecify.annotations.NullMarked;
