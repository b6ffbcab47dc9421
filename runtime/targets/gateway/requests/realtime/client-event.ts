import { AppError, inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { listMembers } from '../../shared/json-members.ts';
import { FURTHER_MODELS, requireDistinctInside, requireDistinctMembers } from '../completions/check-body.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { referencesIn } from '../../providers/references/references-in.ts';

interface CheckedEvent {
  readonly event: Json;
  /** Set for an event that names stored things. */
  readonly checking: Promise<void> | undefined;
}

/**
 * Checks an event of a client: the provider has to read what is read here, so it is JSON in which no object has a name twice. Throws an
 * InputError.
 */
export function checkClientEvent(
  text: string | undefined,
  requireOwn: (ids: ReadonlySet<string>) => Promise<void>,
): CheckedEvent {
  const event = text === undefined ? undefined : parsed(text);
  if (text === undefined || !isObject(event))
    throw inputError('An event must be a JSON object in a text message.');
  const bytes = Buffer.from(text);
  const members = listMembers(bytes);
  requireDistinctMembers(members);
  const { ids, members: count } = referencesIn(event);
  requireDistinctInside(bytes, members, count);
  requireFixedModel(event);
  return { event, checking: ids.size > 0 ? requireOwn(ids) : undefined };
}

/** Another model would have other permissions and another price. Events name one themselves, in their `session` or in their `response`. */
function requireFixedModel(event: Json): void {
  for (const part of [event, ...Object.values(event)]) {
    const members = membersOf(part);
    if (NAMES_OF_MODELS.some((name) => (members[name] ?? null) !== null))
      throw new AppError('InputError', MODEL_IS_FIXED, { reason: 'unsupported' });
  }
}

const NAMES_OF_MODELS = ['model', ...FURTHER_MODELS];
const MODEL_IS_FIXED = 'The model of a session cannot be changed. Open another connection with it.';

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
