import type { EntityOptions } from '#core/model/entity-options.ts';
import { planEntities } from '#core/model/entity-options.ts';
import type { Manifest } from '#contract/manifest.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { labelsIn } from './labels.ts';

/** Flags of zero_shot_ner models, next to the labels. */
export const ENTITY_FLAGS = {
  threshold: {
    value: 'number',
    help: 'Zero-shot NER models: minimum score of an entity, from 0 to 1',
    defaultText: '0.5',
  },
  'flat-ner': {
    value: 'boolean',
    help: 'Zero-shot NER models: whether entities do not overlap',
    choices: ['true', 'false'],
    defaultText: 'true',
  },
} satisfies Record<string, Option>;

/** Reads which entities to find; undefined for models of other types. */
export function entityOptions(invocation: Invocation, manifest: Manifest): EntityOptions | undefined {
  const request = {
    labels: labelsIn(invocation),
    threshold: numberOf(invocation.value('threshold')),
    flatNer: booleanOf(invocation.value('flat-ner')),
    multiLabel: invocation.flag('multi-label'),
  };
  return planEntities(manifest, request, '--labels');
}

function numberOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (number >= 0 && number <= 1 && value.trim() !== '') return number;
  throw new UsageError(`--threshold: ${JSON.stringify(value)} is not a number from 0 to 1.`);
}

const booleanOf = (value: string | undefined): boolean | undefined =>
  value === undefined ? undefined : value === 'true';
