/** Bytes as the RFCs draw them: built by hand, taken apart by hand, every field with its name. Shares no code with the stack. */
@NullMarked
package dev.jwarp.conformance.wire;

import org.jspecify.annotations.NullMarked;
