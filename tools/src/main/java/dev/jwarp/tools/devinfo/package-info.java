/** {@code jwarp devinfo}. */
@NullMarked
package dev.jwarp.tools.devinfo;

import org.jspecify.annotations.NullMarked;
