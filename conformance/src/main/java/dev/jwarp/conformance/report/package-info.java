/** Terminal, JUnit XML, JSON, HTML and captures. */
@NullMarked
package dev.jwarp.conformance.report;

import org.jspecify.annotations.NullMarked;
