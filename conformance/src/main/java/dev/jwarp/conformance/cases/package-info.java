/** The cases, a class for each group of requirements; methods read as the test they are. */
@NullMarked
package dev.jwarp.conformance.cases;

import org.jspecify.annotations.NullMarked;
