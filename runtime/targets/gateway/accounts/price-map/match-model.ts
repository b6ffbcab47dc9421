import { withoutRegion } from '../../shared/inference-profile.ts';

/** A date or number of a snapshot at the end of a name: -2024-08-06, -20241022, @20241022, -0613, -002. */
const SNAPSHOT = /[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3})$/;
const LATEST = /[-@](latest|default)$/;
/** Versions in the names of Bedrock: `anthropic.claude-…-v1:0`. */
const VERSION = /-v\d+(:\d+)?$/;

/** Names of a provider's price map, to look up others in. */
export interface ListedNames {
  readonly has: (name: string) => boolean;
  /** The newest dated snapshot of a model. */
  readonly newest: (family: string) => string | undefined;
}

/**
 * Finds the name under which the price of a model is listed: its own name, whatever its case; without the prefix of its provider or
 * region; the family of a snapshot that is not listed itself; the current model for `-latest`; and the newest snapshot of a family.
 */
export function matchModel(provider: string, model: string, names: ListedNames): string | undefined {
  const [own = '', ...others] = spellingsOf(provider, model.trim().toLowerCase());
  for (const name of [own, ...others]) if (names.has(name)) return name;
  for (const name of [own, ...others]) {
    const family = familyOf(name);
    const found = [family, `${family}-latest`].find(names.has) ?? names.newest(family);
    if (found !== undefined) return found;
  }
  return undefined;
}

function spellingsOf(provider: string, text: string): string[] {
  const name = text
    // The resource names of Google and Amazon end with the model.
    .replace(/^arn:.*\//, '')
    .replace(/^((projects|publishers)\/.*\/)?models\//, '');
  const bare = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
  // A tuned model is `ft:<base>:<organization>:<name>:<id>`, and costs what its base does when it is tuned.
  const [tuned] = /^ft:[^:]+/.exec(bare) ?? [];
  const global = withoutRegion(bare);
  return [...new Set([bare, tuned ?? bare, global, global.replace(VERSION, '')])];
}

/** The name without its snapshot or `-latest`. */
export const familyOf = (name: string): string =>
  name.replace(VERSION, '').replace(LATEST, '').replace(SNAPSHOT, '');
