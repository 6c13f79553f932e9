/** The one package of DiSNI's that has a class of jwarp. */
@NullMarked
package com.ibm.disni.verbs.impl;

import org.jspecify.annotations.NullMarked;
