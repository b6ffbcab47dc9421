import type { GatewayFile } from '../schemas/file.ts';
import type { PromptPolicy } from '../../providers/shapes/prompt-policy.ts';
import type { ResolveContext } from './context.ts';
import { patternIn } from './pattern.ts';
import { retentionIn } from './retention.ts';

const DEFAULT_RETENTION = '30d';
const DEFAULT_MAX_CHARACTERS = 65_536;

/** Which requests are stored, and how. */
export const resolvePromptPolicy = (
  context: ResolveContext,
  { prompt_log: entry = {} }: Pick<GatewayFile, 'prompt_log'>,
): PromptPolicy => ({
  isDefault: entry.enabled ?? false,
  maxCharacters: entry.max_characters ?? DEFAULT_MAX_CHARACTERS,
  patterns: (entry.redact ?? []).flatMap(
    (one, index) => patternIn(context, ['prompt_log', 'redact', String(index)], one) ?? [],
  ),
});

/** How long stored requests are kept in milliseconds; undefined for forever. */
export const resolvePromptRetention = (
  context: ResolveContext,
  { prompt_log: entry = {} }: Pick<GatewayFile, 'prompt_log'>,
): number | undefined =>
  retentionIn(context, ['prompt_log', 'retention'], entry.retention ?? DEFAULT_RETENTION);
