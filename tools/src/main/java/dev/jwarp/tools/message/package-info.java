/** {@code jwarp message}: messages by service id from the command line. */
@NullMarked
package dev.jwarp.tools.message;

import org.jspecify.annotations.NullMarked;
