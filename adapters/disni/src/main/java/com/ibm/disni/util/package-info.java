/** DiSNI's package of tools, with one class of jwarp. */
@NullMarked
package com.ibm.disni.util;

import org.jspecify.annotations.NullMarked;
