import type { Manifest } from '#contract/manifest.ts';

type Labels = Pick<Manifest, 'id2label'>;

/** The label of the first index, for examples. */
export const firstLabel = ({ id2label }: Labels): string => id2label?.['0'] ?? '0';

/** The labels in the format of `GET /info`. */
export const labelsOf = ({ id2label = {} }: Labels): object => ({
  id2label,
  label2id: Object.fromEntries(Object.entries(id2label).map(([id, label]) => [label, Number(id)])),
});
