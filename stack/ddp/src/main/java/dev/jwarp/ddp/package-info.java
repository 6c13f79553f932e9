/** DDP: places tagged and untagged segments directly into the memory they are meant for (RFC 5041). */
@NullMarked
package dev.jwarp.ddp;

import org.jspecify.annotations.NullMarked;
