package dev.jwarp.tools.loss;

/** The end that begins everything: here, or in another process. */
interface Source {
    /** Sends, writes or reads what the trial wants. */
    Ended run(LossTrial trial, LossPlace target);
}
