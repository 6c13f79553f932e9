/**
 * Frames and segments as the RFCs draw them, built and parsed independently: this package shares no code with the
 * stack.
 */
@NullMarked
package dev.jwarp.conformance.wire;

import org.jspecify.annotations.NullMarked;
