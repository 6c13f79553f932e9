/** A conversation with one peer: send these bytes, expect those, within this time; everything is recorded. */
@NullMarked
package dev.jwarp.conformance.script;

import org.jspecify.annotations.NullMarked;
