/** The applications of studies, in some hundred lines each: what a contender of {@code jwarp study --work} does. */
@NullMarked
package dev.jwarp.tools.study.work;

import org.jspecify.annotations.NullMarked;
