import type { CardFacts, ModelLicense } from '#contract/manifest.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseYaml } from '#core/yaml/parse-yaml.ts';

/** Facts from the front matter of a model card, and how to cite the model. */
export interface Card {
  readonly license: Omit<ModelLicense, 'source'> | undefined;
  readonly facts: CardFacts | undefined;
  readonly citation?: string;
  /** Names of the front matter's members that are invalid YAML, repeated or too long. */
  readonly invalid: readonly string[];
}

const KEYS = [
  'license',
  'license_name',
  'license_link',
  'language',
  'base_model',
  'tags',
  'citation',
] as const;
type Key = (typeof KEYS)[number];

/** Maximum number of list items; cards of multilingual models list up to about 150 languages. */
const MAX_ITEMS = 200;
/** Maximum number of characters in a member's YAML. */
const MAX_MEMBER_LENGTH = 16_384;

/**
 * Reads the YAML front matter of a model card (README.md), as on Hugging Face. Members of
 * unexpected types are ignored.
 */
export function readCard(text: string): Card {
  const [start = '', frontMatter = ''] = FRONT_MATTER.exec(text) ?? [];
  const lists = new Map<Key, readonly string[]>();
  const invalid: string[] = [];
  let stated: string | undefined;
  for (const [key, source] of membersIn(frontMatter)) {
    const value = source === undefined ? undefined : valueOf(source);
    if (!isObject(value)) invalid.push(key);
    else if (key === 'citation') stated = textIn(value[key]);
    else lists.set(key, textsIn(value[key]));
  }
  const list = (key: Key): readonly string[] => lists.get(key) ?? [];
  const citation = stated ?? findCitation(text.slice(start.length));
  return {
    license: licenseOf(list),
    facts: factsOf(list),
    ...(citation === undefined ? {} : { citation }),
    invalid,
  };
}

/** Matches the YAML between two `---` lines at the start of the file. */
const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?\n)?---[ \t]*(?:\r?\n|$)/;

/**
 * Returns the YAML of each member that is used. Members are parsed separately, because the front
 * matter of a card with evaluation results can have several hundred kilobytes, which take seconds
 * to parse. A repeated or too long member is undefined, because parsing it can take minutes.
 */
function membersIn(frontMatter: string): Map<Key, string | undefined> {
  const members = new Map<Key, string | undefined>();
  let current: Key | undefined;
  for (const line of frontMatter.split(/\r?\n/)) {
    // Matches the start of a top-level member, which is in the first column. List items can also start there.
    const isStart = /^[^\s\-#\]}]/.test(line);
    if (isStart) current = KEYS.find((key) => line.startsWith(`${key}:`));
    if (!current) continue;
    const isRepeated = isStart && members.has(current);
    const source = `${members.get(current) ?? ''}${line}\n`;
    const isValid = !isRepeated && source.length <= MAX_MEMBER_LENGTH;
    members.set(current, isValid ? source : undefined);
    if (!isValid) current = undefined;
  }
  return members;
}

/** Parses YAML; undefined if it is invalid. */
function valueOf(source: string): unknown {
  const { value, issues } = parseYaml(source);
  return issues.length > 0 ? undefined : value;
}

/** A citation has several lines, so it is not converted to one line. */
const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** Reads a string or a list of strings. */
function textsIn(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => typeof item === 'string')
    .map(shortText)
    .filter((item) => item !== '')
    .slice(0, MAX_ITEMS);
}

function licenseOf(list: (key: Key) => readonly string[]): Card['license'] {
  const id = shortText(list('license').join(', '));
  if (id === '') return undefined;
  const [[name], [link]] = [list('license_name'), list('license_link')];
  return { id, ...(name === undefined ? {} : { name }), ...(link === undefined ? {} : { link }) };
}

function factsOf(list: (key: Key) => readonly string[]): CardFacts | undefined {
  const [languages, baseModels, tags] = [list('language'), list('base_model'), list('tags')];
  const facts: CardFacts = {
    ...(languages.length > 0 ? { languages } : {}),
    ...(baseModels.length > 0 ? { baseModels } : {}),
    ...(tags.length > 0 ? { tags } : {}),
  };
  return Object.keys(facts).length > 0 ? facts : undefined;
}

const MAX_LENGTH = 256;

/**
 * Makes text from a downloaded file safe for tables and terminals: one line, no control characters,
 * limited length.
 */
export function shortText(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1).toWellFormed()}…`;
}

/** Maximum number of characters in a citation. Longer ones usually list all papers about a library. */
export const MAX_CITATION_LENGTH = 8192;

/**
 * Finds the BibTeX entries in a model card's citation section: the code blocks before the next
 * heading of the same level.
 * @internal Exported for tests only.
 */
export function findCitation(card: string): string | undefined {
  const entries = new Set<string>();
  let sectionLevel: number | undefined;
  let fence: string | undefined;
  let block: string[] = [];
  for (const line of card.split(/\r?\n/)) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) !== true) block.push(line);
      else {
        if (sectionLevel !== undefined && block.some(isEntry)) entries.add(block.join('\n').trim());
        fence = undefined;
      }
    } else if (mark !== undefined) {
      fence = mark;
      block = [];
    } else {
      const [, { length: level } = '', heading = ''] = /^ {0,3}(#{1,6})\s(.*)$/.exec(line) ?? [];
      if (level === 0) continue;
      if (sectionLevel === undefined || level <= sectionLevel)
        sectionLevel = IS_CITATION.test(heading) ? level : undefined;
    }
  }
  return entries.size === 0 ? undefined : [...entries].join('\n\n');
}

const isEntry = (line: string): boolean => /^\s*@\w+\s*\{/.test(line);
const IS_CITATION = /\b(?:citations?|citing|cite)\b/i;
