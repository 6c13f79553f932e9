/** What ibv_devinfo tells. */
@NullMarked
package dev.jwarp.tools.devinfo;

import org.jspecify.annotations.NullMarked;
