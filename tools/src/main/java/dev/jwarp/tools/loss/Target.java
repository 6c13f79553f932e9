package dev.jwarp.tools.loss;

/** The end at which messages arrive, or whose memory is read: here, or in another process. */
interface Target {
    /** {@return where it is} Makes ready for a trial. */
    LossPlace open(LossTrial trial);

    /** Takes what comes until the trial is over. */
    Ended serve();
}
