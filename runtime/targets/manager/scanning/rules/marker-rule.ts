import { greatest } from '#core/numbers/extremes.ts';
import type { TextMatch } from '../finding.ts';
import type { TextKind } from './character-rules.ts';

/** Tokens of chat templates, in lower case. Outside of a template, they only make a text look like another message. */
const TOKENS = [
  '<|im_start|>',
  '<|im_end|>',
  '<|system|>',
  '<|user|>',
  '<|assistant|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|start_header_id|>',
  '<|begin_of_text|>',
  '<start_of_turn>',
  '<<sys>>',
  '[system override]',
  '[system]',
  '[admin]',
  '[hidden instruction',
  '[system instruction',
  '[system message',
  '### instruction:',
] as const;

/** Tokens of chat templates that are names in other languages if they are in lower case. */
const UPPER_CASE = ['[INST]', '[/INST]'];

/** Names of tags that claim authority. Tags with these names do not belong to HTML. */
const TAGS = [
  'important',
  'critical',
  'secret',
  'hidden',
  'system',
  'instructions',
  'instruction',
  'system_prompt',
  'system-prompt',
  'system_instruction',
  'system_instructions',
  'system-reminder',
  'admin',
  'override',
  'information',
] as const;

/** Tags that published servers use to structure their descriptions, and that are only suspicious in contents. */
const IN_DEFINITIONS: ReadonlySet<string> = new Set([
  'instructions',
  'instruction',
  'critical',
  'system-reminder',
]);

/** Finds tokens of chat templates, and tags that claim to come from the system. */
export function findMarkers(text: string, kind: TextKind): TextMatch | undefined {
  for (const start of STARTS) {
    for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) {
      const rest = text.slice(at, at + MAX_LENGTH);
      const token = start === '[' ? UPPER_CASE.find((one) => rest.startsWith(one)) : undefined;
      const length = token?.length ?? markerLength(rest.toLowerCase(), kind);
      if (length !== undefined) return { rule: 'role-marker', start: at, end: at + length };
    }
  }
  return undefined;
}

const MARKERS: readonly string[] = [...TOKENS, ...TAGS.map((tag) => `<${tag}>`)];
const MAX_LENGTH = greatest(MARKERS.map(({ length }) => length));
/** The characters that markers start with. */
const STARTS = [...new Set(MARKERS.map(([first = '']) => first))];
/** The markers by their first two characters, because HTML contains many tags. */
const BY_START = Map.groupBy(MARKERS, (marker) => marker.slice(0, 2));

function markerLength(text: string, kind: TextKind): number | undefined {
  const found = BY_START.get(text.slice(0, 2))?.find((marker) => text.startsWith(marker));
  const isUsual = kind === 'definition' && found !== undefined && IN_DEFINITIONS.has(found.slice(1, -1));
  return isUsual ? undefined : found?.length;
}
