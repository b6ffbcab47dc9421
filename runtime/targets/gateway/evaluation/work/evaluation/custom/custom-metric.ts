/** A metric that a user defines for the answers of a workflow. Its value is the mean score of the rows. */
export interface CustomMetric {
  readonly name: string;
  /** Scores 1 if an answer contains a match. */
  readonly regex?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  /** Scores 1 if an answer ends with JSON that this schema allows. */
  readonly jsonSchema?: object | undefined;
  /** A Lua script with a function `score(answer, row)`. */
  readonly lua?: string | undefined;
  /** What a language model scores. */
  readonly rubric?: string | undefined;
}
