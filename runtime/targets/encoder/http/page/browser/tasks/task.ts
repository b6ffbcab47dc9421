/** The information that the page has about the model. */
export interface Model {
  readonly model_id: string;
  readonly model_type: string;
  readonly id2label?: Record<string, string>;
  readonly score_function?: string;
  readonly languages?: readonly string[];
  readonly prompts?: Record<string, string>;
  readonly default_prompt_name?: string;
  readonly outputs?: readonly string[];
  readonly mask_token?: string;
  readonly threshold?: number;
  readonly license?: string;
  readonly license_name?: string;
}

/** A text that was sent, with the number of its text box on the page. */
export interface Sent {
  readonly number: number;
  /** The text, or the image as a `data:` URL. */
  readonly text: string;
  /** The file name of an image. */
  readonly name?: string;
}

/**
 * The page's behavior for a model type. Each type is defined in a file with the name of the type.
 * `Answer` is the server's response to a request for `path`.
 */
export interface Task<Answer = unknown> {
  readonly title: string;
  /** What the model reads. Default: texts. */
  readonly inputs?: 'images' | 'texts and images';
  /** Display names of the labels. */
  readonly labels: (labels: readonly string[]) => readonly string[];
  readonly path: string;
  /** Label of the box for the text that the other texts are compared with. */
  readonly asks?: string;
  /** Label of the checkbox for a request option. */
  readonly offers?: string;
  readonly body: (texts: readonly string[], model: Model, query: string, isChosen: boolean) => unknown;
  draw(sent: readonly Sent[], answer: Answer, model: Model, query: string): Drawing;
  /** Example texts for which the model's results differ. */
  readonly examples: (model: Model) => readonly Example[];
}

interface Example {
  readonly name: string;
  readonly query?: string;
  readonly option?: boolean;
  readonly texts: readonly string[];
}

export interface Drawing {
  readonly parts: readonly Node[];
  /** The result in one sentence, for screen readers. */
  readonly spoken: string;
}

/** The comma-separated labels in the box. */
export const labelsIn = (text: string) =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');

/**
 * A label of a multi-label model applies if its score reaches this threshold, which is the usual
 * threshold for such models.
 */
export const THRESHOLD = 0.5;

/** Whether labels have independent scores, so that none or several can apply. */
export const isMultiLabel = ({ score_function }: Pick<Model, 'score_function'>) =>
  score_function === 'sigmoid';
