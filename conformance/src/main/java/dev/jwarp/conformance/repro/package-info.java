/** The conversation of one case as a script of what is sent and what came, which repeats it without the case. */
@NullMarked
package dev.jwarp.conformance.repro;

import org.jspecify.annotations.NullMarked;
