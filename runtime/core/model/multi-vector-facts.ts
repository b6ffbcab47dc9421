import type { Manifest } from '#contract/manifest.ts';
import { TEXT_ROLES, type TextRules } from '#contract/multi-vector.ts';

/** Rows about queries and documents in tables about a multi_vector model; empty for other models. */
export function multiVectorFacts({ multiVector }: Pick<Manifest, 'multiVector'>): [string, string][] {
  if (!multiVector) return [];
  const rows = TEXT_ROLES.map((role): [string, string] => [LABELS[role], rulesText(multiVector[role])]);
  const vectors = multiVector.normalize ? 'one per token, L2-normalized' : 'one per token';
  return [['Vectors', vectors], ...rows];
}

const LABELS = { query: 'Queries', document: 'Documents' };

function rulesText({ marker, maxLength, expansion, skipped = [] }: TextRules): string {
  const parts = [
    `up to ${maxLength} tokens`,
    ...(marker ? [`marked with ${JSON.stringify(marker.token)}`] : []),
    ...(expansion
      ? [`filled with ${expansion.token}${expansion.isAttended ? ', which is attended to' : ''}`]
      : []),
    ...(skipped.length > 0 ? [`${skipped.length} of the vocabulary without a vector`] : []),
  ];
  return parts.join(', ');
}
