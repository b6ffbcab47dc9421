import { sha256 } from '#platform/sha256.ts';
import { canonicalJson } from '../shared/canonical-json.ts';

/** The fields of a tool that language models and clients rely on. */
const MEMBERS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

export type ToolDefinition = Readonly<Partial<Record<(typeof MEMBERS)[number], unknown>>>;

/** Returns the fields to pin. Other fields, such as icons and `_meta`, are allowed to change. */
export const toolDefinition = (tool: Readonly<Record<string, unknown>>): ToolDefinition =>
  Object.fromEntries(MEMBERS.flatMap((key) => (tool[key] === undefined ? [] : [[key, tool[key]]])));

/** Returns the hash of a tool's name and definition. */
export const definitionHash = (name: string, definition: ToolDefinition): string =>
  `sha256:${sha256(canonicalJson({ ...definition, name }))}`;

/** Returns the names of the fields that differ between two definitions. */
export const changedMembers = (before: ToolDefinition, after: ToolDefinition): string[] =>
  MEMBERS.filter((key) => canonicalJson(before[key] ?? null) !== canonicalJson(after[key] ?? null));
