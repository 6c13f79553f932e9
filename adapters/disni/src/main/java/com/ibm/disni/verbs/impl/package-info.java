/** DiSNI's package of its provider, of which one class is jwarp's. */
@NullMarked
package com.ibm.disni.verbs.impl;

import org.jspecify.annotations.NullMarked;
