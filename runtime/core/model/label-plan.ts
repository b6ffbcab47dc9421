import { inputError } from '#contract/errors.ts';

/** How texts are scored against labels. */
export interface LabelPlan {
  readonly labels: readonly string[];
  /** A sentence for each label. */
  readonly hypotheses: readonly string[];
  /** Whether several labels can be true. */
  readonly multiLabel: boolean;
}

interface LabelWishes {
  readonly labels: readonly string[];
  readonly template?: string | null | undefined;
  readonly multiLabel?: boolean | null | undefined;
}

export const DEFAULT_TEMPLATE = 'This example is {}.';
/** The default of transformers' pipeline for images. */
export const DEFAULT_IMAGE_TEMPLATE = 'This is a photo of {}.';
const PLACE = '{}';

/**
 * Creates a sentence for each label by inserting it into the template. `names` are the names of the
 * options in messages.
 */
export function planLabels(
  { labels, template, multiLabel }: LabelWishes,
  names: { readonly labels: string; readonly template: string } = {
    labels: 'candidate_labels',
    template: 'hypothesis_template',
  },
): LabelPlan {
  if (labels.length === 0 || labels.includes('')) {
    throw inputError(
      labels.length === 0
        ? `${names.labels} is missing. Pass at least one label.`
        : `${names.labels} has an empty label. Remove it.`,
    );
  }
  const pattern = template ?? DEFAULT_TEMPLATE;
  if (!pattern.includes(PLACE)) {
    throw inputError(
      `${names.template} must contain {}, which is replaced by each label, but is ${JSON.stringify(pattern)}.`,
    );
  }
  return {
    labels,
    hypotheses: labels.map((label) => pattern.split(PLACE).join(label)),
    multiLabel: multiLabel ?? false,
  };
}
