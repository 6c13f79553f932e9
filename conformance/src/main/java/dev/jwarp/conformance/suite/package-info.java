/** Cases, verdicts, and the runner. */
@NullMarked
package dev.jwarp.conformance.suite;

import org.jspecify.annotations.NullMarked;
