/** A long computation in steps of well under a millisecond, so that other work can run in between. */
export type Steps<Result> = Generator<void, Result, void>;
