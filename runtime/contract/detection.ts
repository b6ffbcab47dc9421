/** The manifest's settings for models that find objects in images. */
export interface DetectionSettings {
  /**
   * How the scores of a query are computed. `softmax`: each query finds one object, and its last logit stands
   * for none. `sigmoid`: each pair of a query and a label has a score of its own.
   */
  readonly scores: 'softmax' | 'sigmoid';
  /** Maximum number of objects before the threshold applies, with `sigmoid`. Default: the number of queries. */
  readonly candidates?: number;
  /** The score threshold of requests that do not set one. Default: 0.5. */
  readonly threshold?: number;
}

/** The default of the pipeline of transformers. */
export const DEFAULT_THRESHOLD = 0.5;

/** Number of values after the logits of a query: center x and y, width and height, as shares of the image. */
export const BOX_VALUES = 4;

/** Number of logits of a query in addition to those of the labels. */
export const noObjectLogits = ({ scores }: DetectionSettings): number => (scores === 'softmax' ? 1 : 0);
