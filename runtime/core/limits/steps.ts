/** A long computation in steps of well under a millisecond, between which the caller can run other tasks. */
export type Steps<Result> = Generator<void, Result, void>;
