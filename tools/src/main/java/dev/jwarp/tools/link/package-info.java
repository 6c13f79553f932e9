/** One connection as the tools use it: verbs, with deadlines, Ctrl-C and words for every end. */
@NullMarked
package dev.jwarp.tools.link;

import org.jspecify.annotations.NullMarked;
