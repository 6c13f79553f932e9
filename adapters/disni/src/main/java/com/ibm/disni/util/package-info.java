/** DiSNI's package of tools, of which one class is jwarp's. */
@NullMarked
package com.ibm.disni.util;

import org.jspecify.annotations.NullMarked;
