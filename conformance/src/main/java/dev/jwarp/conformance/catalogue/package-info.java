/** The requirements: stable ids, sections, strengths, in our own words. */
@NullMarked
package dev.jwarp.conformance.catalogue;

import org.jspecify.annotations.NullMarked;
