import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { isServerTool, objectsIn } from './members.ts';
import type { NamedTool } from './wire.ts';

// Choices in OpenAI's APIs. A list of allowed tools is in the choice itself (Responses) or in its member `allowed_tools`
// (Chat Completions).

interface AllowedTools {
  readonly mode: unknown;
  readonly tools: unknown;
}

function allowedTools(choice: unknown): AllowedTools | undefined {
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return undefined;
  const { allowed_tools: nested } = choice;
  const { mode, tools } = isObject(nested) ? nested : choice;
  return { mode, tools };
}

/** The servers and their tools that a choice names. */
export function chosenServers(choice: unknown): readonly Json[] {
  const allowed = allowedTools(choice);
  return (allowed ? objectsIn(allowed.tools) : [choice]).filter(isServerTool);
}

/**
 * A list of allowed tools with functions in place of the servers that the gateway runs. It always allows the default tools
 * of the key, which the client cannot list because it does not know them. Undefined for other choices.
 */
export function withAllowedFunctions(
  choice: unknown,
  tools: readonly NamedTool[],
  kept: ReadonlySet<unknown>,
  functionOf: (name: string) => Json,
): Json | undefined {
  const allowed = allowedTools(choice);
  // A choice that cannot be read is reported by the provider.
  if (!allowed || !Array.isArray(allowed.tools)) return undefined;
  const keptLabels = new Set(objectsIn([...kept]).map((server) => server['server_label']));
  const listed = allowed.tools.flatMap((entry: unknown): unknown[] => {
    if (!isServerTool(entry) || keptLabels.has(entry['server_label'])) return [entry];
    return tools.filter((tool) => isNamedBy(entry, tool)).map(({ name }) => functionOf(name));
  });
  const hidden = tools.filter(({ isHidden }) => isHidden).map(({ name }) => functionOf(name));
  return withAllowed(choice, { mode: allowed.mode, tools: [...listed, ...hidden] });
}

const isNamedBy = ({ server_label: label, name }: Json, one: NamedTool): boolean =>
  label === one.label && (name === undefined || name === one.tool);

function withAllowed(choice: unknown, allowed: AllowedTools): Json {
  const written = membersOf(choice);
  return isObject(written['allowed_tools'])
    ? { ...written, allowed_tools: { ...written['allowed_tools'], ...allowed } }
    : { ...written, ...allowed };
}

/**
 * The choice for a later round. Unless calls are still required, the model can end with a text. Tools that were not
 * allowed remain so.
 */
export function laterChoice(choice: unknown, isRequired: boolean): unknown {
  const allowed = allowedTools(choice);
  if (allowed) return isRequired ? choice : withAllowed(choice, { ...allowed, mode: 'auto' });
  return choice === 'none' || (isRequired && choice === 'required') ? choice : 'auto';
}
