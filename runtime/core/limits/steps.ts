/** A long computation in steps of well under a millisecond, so that its runner can do something else in between. */
export type Steps<Result> = Generator<void, Result, void>;
