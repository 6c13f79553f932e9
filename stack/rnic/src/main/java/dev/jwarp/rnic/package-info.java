/** The software RNIC behind the verbs. */
@NullMarked
package dev.jwarp.rnic;

import org.jspecify.annotations.NullMarked;
