/** The conversations of one case as a script of sent and received bytes, which repeats them without the case. */
@NullMarked
package dev.jwarp.conformance.repro;

import org.jspecify.annotations.NullMarked;
