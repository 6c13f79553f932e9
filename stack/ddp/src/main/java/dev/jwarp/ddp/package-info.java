/** DDP: places tagged and untagged segments directly into registered memory and posted buffers (RFC 5041). */
@NullMarked
package dev.jwarp.ddp;

import org.jspecify.annotations.NullMarked;
