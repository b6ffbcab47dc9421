/** A user-defined metric for a workflow's outputs. Its value is the mean row score. */
export interface CustomMetric {
  readonly name: string;
  /** Scores 1 if an output contains a match. */
  readonly regex?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  /** Scores 1 if an output ends with JSON that is valid against this schema. */
  readonly jsonSchema?: object | undefined;
  /** A Lua script that defines a function `score(answer, row)`. */
  readonly lua?: string | undefined;
  /** What a language model should score. */
  readonly rubric?: string | undefined;
}
