/** A conversation with one peer: send these octets, expect those, within this time; everything is recorded. */
@NullMarked
package dev.jwarp.conformance.script;

import org.jspecify.annotations.NullMarked;
