import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import { escapedIn } from './restore-answer.ts';

/** The data of an event; undefined if it is not an object. */
export function parseEvent(data: string): Readonly<Record<string, unknown>> | undefined {
  if (!data.startsWith('{')) return undefined;
  try {
    return membersOf(parseLossless(data));
  } catch {
    return undefined;
  }
}

/** A piece of a text that continues in later events. */
export interface Delta {
  /** Identifies the text in the stream. */
  readonly key: string;
  readonly text: string;
  /** Names of the members that the text is in, from the outermost. */
  readonly names: readonly string[];
  /** Whether it is an argument of a tool as a whole, in an object of arguments. */
  readonly isArgument: boolean;
  /** Whether the text is JSON, e.g. arguments of a tool. */
  readonly isJson: boolean;
  /** Whether the event ends the answer, so that the text does not continue. */
  readonly isLast: boolean;
}

/** Members that identify which text an event continues. */
const IDENTITIES = ['type', 'item_id', 'output_index', 'content_index', 'summary_index', 'index'];
/** Members of pieces that are not text. */
const NO_TEXTS = new Set(['type', 'role', 'id', 'name', 'signature', 'item_id', 'obfuscation', 'call_id']);

const identityText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Replaces the pieces of texts in an event of any API: what is in `delta`, and `text` in choices and parts. */
export function mapDeltas(event: object, change: (delta: Delta) => string): object {
  const members = membersOf(event);
  const isArguments = /arguments|input_json/.test(identityText(members['type']));
  interface Place {
    readonly path: string;
    readonly names: readonly string[];
    readonly isDelta: boolean;
    readonly isArgument: boolean;
    readonly isLast: boolean;
  }
  const visit = (value: unknown, place: Place): unknown => {
    const { path, names, isDelta, isArgument, isLast } = place;
    const name = names.at(-1) ?? '';
    if (typeof value === 'string') {
      if (!isDelta || (!isArgument && NO_TEXTS.has(name))) return value;
      const isJson = !isArgument && (isArguments || escapedIn(name) !== undefined);
      return change({ key: path, text: value, names, isArgument, isJson, isLast });
    }
    if (Array.isArray(value)) {
      const isPiece = isDelta || name === 'parts';
      return value.map((item, index) => {
        const { index: ownIndex = index, thought } = membersOf(item);
        // Gemini's thoughts and answer are parts with the same place.
        const own = `${path}.${identityText(ownIndex)}${thought === true ? ' thought' : ''}`;
        return visit(item, { ...place, path: own, isDelta: isPiece });
      });
    }
    if (!isObject(value) || isRawNumber(value)) return value;
    const ends = isLast || isEnd(value['finish_reason']) || isEnd(value['finishReason']);
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const isPiece = isDelta || key === 'delta' || (name === 'choices' && key === 'text');
        return [
          key,
          visit(member, {
            path: `${path}.${key}`,
            names: [...names, key],
            isDelta: isPiece,
            isArgument: isArgument || (isDelta && name === 'functionCall' && key === 'args'),
            isLast: ends,
          }),
        ];
      }),
    );
  };
  const identity = IDENTITIES.map((name) => identityText(members[name])).join(' ');
  const place = { path: identity, names: [], isDelta: false, isArgument: false, isLast: false };
  return membersOf(visit(event, place));
}

const isEnd = (reason: unknown): boolean => typeof reason === 'string' && reason !== '';

/** Members of a piece that clients of chat completions would add to what an earlier piece had in them. */
const SENT_ONCE = new Set(['id', 'name', 'role']);

/** An event that continues one text of another event, and nothing else of it. */
export function continuationOf(event: object, key: string, text: string): object {
  const { choices, candidates, ...others } = membersOf(
    mapDeltas(event, (other) => (other.key === key ? text : '')),
  );
  return {
    ...others,
    ...(choices === undefined ? {} : { choices: withoutSent(choices) }),
    ...(candidates === undefined ? {} : { candidates: withoutSent(candidates) }),
  };
}

function withoutSent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSent);
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SENT_ONCE.has(name))
      .map(([name, member]) => [
        name,
        name === 'parts' && Array.isArray(member) ? member.filter(hasText) : withoutSent(member),
      ]),
  );
}

const hasText = (part: unknown): boolean => {
  const { text } = membersOf(part);
  return typeof text === 'string' && text !== '';
};
