import type { GatewayFile } from '../schemas/file.ts';
import type { PromptPolicy } from '../../providers/shapes/policies.ts';
import type { ResolveContext } from './context.ts';
import { patternIn } from './pattern.ts';
import { promptLog } from '../schemas/prompt-log.ts';
import { retentionIn } from './retention.ts';

const { properties: DEFAULTS } = promptLog;

/** Which requests are stored, and how. */
export const resolvePromptPolicy = (
  context: ResolveContext,
  { prompt_log: entry = {} }: Pick<GatewayFile, 'prompt_log'>,
): PromptPolicy => ({
  isDefault: entry.enabled ?? DEFAULTS.enabled.default,
  maxCharacters: entry.max_characters ?? DEFAULTS.max_characters.default,
  patterns: (entry.redact ?? []).flatMap(
    (one, index) => patternIn(context, ['prompt_log', 'redact', String(index)], one) ?? [],
  ),
});

/** Retention of stored requests in milliseconds; undefined for unlimited. */
export const resolvePromptRetention = (
  context: ResolveContext,
  { prompt_log: entry = {} }: Pick<GatewayFile, 'prompt_log'>,
): number | undefined =>
  retentionIn(context, ['prompt_log', 'retention'], entry.retention ?? DEFAULTS.retention.default);
