/** The program above the device under test, and what the tester can ask it to do. */
@NullMarked
package dev.jwarp.conformance.app;

import org.jspecify.annotations.NullMarked;
