import { visibleText } from '#core/text/visible-text.ts';
import type { Finding } from '../finding.ts';
import type { PlacedText } from '../scan-value.ts';
import { CONFUSABLES } from '../text/confusables.ts';
import { isInvisible } from '../text/invisible.ts';

/** What other servers' tools are compared with. Computed once per list. */
export interface NamedTools {
  readonly server: string;
  readonly tools: readonly NamedTool[];
}

export interface NamedTool {
  readonly name: string;
  /** The name with letters of other scripts replaced by the Latin letters that they look like. */
  readonly skeleton: string;
  /** Names of tools in the tool's texts that stand next to an instruction, with their places. */
  readonly mentions: ReadonlyMap<string, Omit<Finding, 'rule'>>;
}

export const namedTool = (name: string, texts: readonly PlacedText[]): NamedTool => ({
  name,
  skeleton: skeletonOf(name),
  mentions: mentionsOf(texts),
});

/** Shorter names are too similar to each other by chance. */
const MIN_LENGTH = 8;

/**
 * Compares a tool with the tools of other servers. A finding with `isCertain` shows which of both tools is the imitation: the one with letters of
 * other scripts, and the one that describes the other.
 */
export function compareNames(
  own: NamedTools,
  tool: NamedTool,
  others: readonly NamedTools[],
): (Finding & { readonly isCertain: boolean })[] {
  const found: (Finding & { readonly isCertain: boolean })[] = [];
  const ownNames = new Set(own.tools.map(({ name }) => name));
  for (const { server, tools } of others) {
    for (const other of tools) {
      const mention = tool.mentions.get(other.name);
      if (mention && !ownNames.has(other.name)) {
        found.push({ rule: 'shadowing', ...mention, isCertain: true });
      }
      const imitates =
        tool.name !== other.name &&
        tool.skeleton === other.skeleton &&
        tool.skeleton !== tool.name.toLowerCase();
      if (imitates || isOneEdit(tool.name, other.name)) {
        const excerpt = `${visibleText(tool.name)} looks like ${server}/${visibleText(other.name)}`;
        found.push({ rule: 'look-alike-name', pointer: '/name', excerpt, isCertain: imitates });
      }
    }
  }
  return found.slice(0, MAX_FOUND);
}

const MAX_FOUND = 5;

/** Whether a name mixes Latin letters with letters of another script that look like Latin ones. */
export const isMixed = (name: string): boolean =>
  /[a-z]/i.test(name) && Array.from(name.toLowerCase()).some((letter) => CONFUSABLES.has(letter));

const skeletonOf = (name: string): string =>
  Array.from(name.normalize('NFKC').toLowerCase(), (letter) =>
    isInvisible(letter.codePointAt(0) ?? 0) ? '' : (CONFUSABLES.get(letter) ?? letter),
  ).join('');

/** Whether two long names differ by one letter, or by two letters in the other order. Plurals and numbers are usual. */
function isOneEdit(first: string, second: string): boolean {
  if (first === second || Math.min(first.length, second.length) < MIN_LENGTH) return false;
  if (Math.abs(first.length - second.length) > 1) return false;
  let start = 0;
  while (first[start] === second[start]) start += 1;
  let [firstEnd, secondEnd] = [first.length - 1, second.length - 1];
  while (firstEnd >= start && secondEnd >= start && first[firstEnd] === second[secondEnd]) {
    firstEnd -= 1;
    secondEnd -= 1;
  }
  const [a, b] = [first.slice(start, firstEnd + 1), second.slice(start, secondEnd + 1)];
  if (/^\d?$/.test(a) && /^\d?$/.test(b)) return false;
  if (a.length + b.length === 1) return !/^[s_-]$/i.test(a + b);
  if (a.length === 1 && b.length === 1) return !/^[_.-]$/.test(a) && a.toLowerCase() !== b.toLowerCase();
  return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
}

/** Words that make the mention of a tool an instruction. */
const DIRECTIVE =
  /\b(?:must|always|never|instead of|before (?:using|calling|invoking)|after (?:using|calling|invoking)|when(?:ever)? (?:using|calling|invoking|you (?:use|call|invoke))|do not (?:use|call)|(?:is|are) (?:called|invoked|used)|side effect)\b/i;
/** Maximum number of characters between the instruction and the name. */
const NEAR = 120;
const MAX_MENTIONS = 200;

/** Names with separators or inner capital letters, which are not words of a sentence. */
const NAME = /[A-Za-z][A-Za-z0-9]{0,60}(?:[_-][A-Za-z0-9]{1,60}){1,12}|[a-z]{2,40}[A-Z][A-Za-z0-9]{2,40}/g;

function mentionsOf(texts: readonly PlacedText[]): ReadonlyMap<string, Omit<Finding, 'rule'>> {
  const mentions = new Map<string, Omit<Finding, 'rule'>>();
  for (const { pointer, text } of texts) {
    // A name is in the tool's own identifiers, not in its descriptions.
    if (text.length < MIN_LENGTH || !text.includes(' ') || !DIRECTIVE.test(text)) continue;
    for (const { 0: name, index } of text.matchAll(NAME)) {
      if (mentions.size >= MAX_MENTIONS) return mentions;
      if (name.length < MIN_LENGTH || mentions.has(name)) continue;
      const around = text.slice(Math.max(0, index - NEAR), index + name.length + NEAR);
      if (DIRECTIVE.test(around)) mentions.set(name, { pointer, excerpt: visibleText(around) });
    }
  }
  return mentions;
}
