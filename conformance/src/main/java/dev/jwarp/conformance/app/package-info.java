/** The program above the peer under test, and what it can be asked to do. */
@NullMarked
package dev.jwarp.conformance.app;

import org.jspecify.annotations.NullMarked;
