/** Label of each index. */
type Labels = Readonly<Record<string, string>>;

/**
 * Returns the index of the label for "the text entails the sentence", chosen as in the transformers
 * pipeline.
 */
export function findEntailment(id2label: Labels): number | undefined {
  // Relies on the order of an object's integer keys, which is always numeric.
  const found = Object.entries(id2label).find(([, label]) => label.toLowerCase().startsWith('entail'));
  return found && Number(found[0]);
}

/** Whether the labels are exactly those of a natural language inference model. */
export function areInferenceLabels(labels: readonly string[]): boolean {
  const sorted = labels.map((label) => label.toLowerCase().replaceAll(/[^a-z]/g, '')).sort();
  return KNOWN_LABELS.has(sorted.join(' '));
}

const KNOWN_LABELS: ReadonlySet<string> = new Set([
  'contradiction entailment neutral',
  'contradiction entailment',
  'entailment notentailment',
]);
