/** A computation that takes long, in steps of well under a millisecond: whoever runs it may do something else in between. */
export type Steps<Result> = Generator<void, Result, void>;
