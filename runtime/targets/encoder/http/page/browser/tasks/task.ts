/** What the page knows about the model. */
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
  readonly license?: string;
  readonly license_name?: string;
}

/** A text that was sent, with the number of its box on the page. */
export interface Sent {
  readonly number: number;
  readonly text: string;
}

/** What the page does for a model type. Every type has a file with its name. `Answer` is what the server sends for its path. */
export interface Task<Answer = unknown> {
  readonly title: string;
  /** Display names of the labels. */
  readonly labels: (labels: readonly string[]) => readonly string[];
  readonly path: string;
  /** What the texts are compared with: the name of its box. */
  readonly asks?: string;
  /** An option of requests: the name of its checkbox. */
  readonly offers?: string;
  readonly body: (texts: readonly string[], model: Model, query: string, isChosen: boolean) => unknown;
  draw(sent: readonly Sent[], answer: Answer, model: Model, query: string): Drawing;
  /** Texts for which the results of the model differ. */
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
  /** The result in a sentence, for those who listen. */
  readonly spoken: string;
}

/** The labels of the box, which are separated by commas. */
export const labelsIn = (text: string) =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');

/** A label of a multi-label model applies if its score reaches this; it is the usual threshold of such models. */
export const THRESHOLD = 0.5;

/** Whether each label has a score of its own, so that none or several apply. */
export const isMultiLabel = ({ score_function }: Pick<Model, 'score_function'>) =>
  score_function === 'sigmoid';
