/** Contenders of one workload, measured in turn in one run, so that their ratios hold on a noisy machine. */
@NullMarked
package dev.jwarp.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
