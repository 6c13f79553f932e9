/** {@code jwarp study}: results of the literature as claims that a command checks. */
@NullMarked
package dev.jwarp.tools.study;

import org.jspecify.annotations.NullMarked;
