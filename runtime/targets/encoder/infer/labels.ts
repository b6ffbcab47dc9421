import type { Invocation, Option } from '#serve/cli/command.ts';

/** Flags of models with labels in the request. */
export const LABEL_FLAGS = {
  labels: {
    value: 'a,b,c',
    repeatable: true,
    help: 'Zero-shot models: the labels, separated by commas',
  },
  label: {
    value: 'label',
    repeatable: true,
    help: 'Zero-shot models: one more label, which can contain commas',
  },
  'multi-label': {
    help: 'Zero-shot models: score each label on its own, because several can be true',
  },
} satisfies Record<string, Option>;

export const labelsIn = (invocation: Invocation): string[] => [
  ...invocation.values('labels').flatMap((list) => list.split(',').map((label) => label.trim())),
  ...invocation.values('label'),
];
