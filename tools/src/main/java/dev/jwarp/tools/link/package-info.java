/** Connections as the tools use them: verbs with deadlines, Ctrl-C and messages for failures. */
@NullMarked
package dev.jwarp.tools.link;

import org.jspecify.annotations.NullMarked;
