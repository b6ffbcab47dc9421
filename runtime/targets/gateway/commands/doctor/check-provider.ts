import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, messageOf } from '../../../../contract/errors.ts';
import { type Finding, note, ok, problem } from '../../../../serve/cli/doctor/finding.ts';
import type { FailureKind, LabelScores, ProviderFailure } from '../../ask/providers/provider.ts';
import { failure } from '../../ask/providers/failure.ts';
import { nameOf, type OpenedProvider } from './open-providers.ts';

export interface CheckedProvider {
  readonly name: string;
  readonly finding: Finding;
  /** Of an encoder that classifies. */
  readonly labels: readonly string[] | undefined;
}

/** An encoder has to load its model first. */
const WITHIN_MS = { encoder: 60_000, other: 15_000 };

/** Whether a provider answers, and takes its key: by asking for its models. Encoders are started and asked to classify a word. */
export async function checkProvider(opened: OpenedProvider): Promise<CheckedProvider> {
  const { instance, provider } = opened;
  const control = new AbortController();
  const isEncoder = provider.classify !== undefined;
  const late = sleep(isEncoder ? WITHIN_MS.encoder : WITHIN_MS.other, TIMED_OUT, { signal: control.signal });
  // It is ended when the answer is there.
  late.catch(() => undefined);
  try {
    const asked = isEncoder ? askEncoder(opened, control.signal) : askModels(opened, control.signal);
    const answer = await Promise.race([asked, late]);
    const told = { name: instance.name, what: nameOf(instance) };
    if ('kind' in answer) return { ...told, labels: undefined, finding: describeFailure(opened, answer) };
    return { ...told, labels: answer.labels, finding: ok(told.what, answer.message) };
  } finally {
    control.abort();
  }
}

const TIMED_OUT = failure('timeout').failure;

interface Answered {
  readonly message: string;
  readonly labels: readonly string[] | undefined;
}

async function askModels(
  { provider }: OpenedProvider,
  signal: AbortSignal,
): Promise<Answered | ProviderFailure> {
  const models = await provider.models(signal);
  if ('kind' in models) return models;
  const count = models.length;
  return { message: `answers, and has ${count} model${count === 1 ? '' : 's'}`, labels: undefined };
}

async function askEncoder(
  { provider }: OpenedProvider,
  signal: AbortSignal,
): Promise<Answered | ProviderFailure> {
  const answer = await provider.classify?.({ texts: ['word'], trace: undefined, signal });
  if (!answer) return { message: 'answers', labels: undefined };
  if (answer.kind === 'classified') return { message: 'classifies texts', labels: labelsOf(answer.scores) };
  // It is there, and does something else.
  if (answer.failure.kind === 'unsupported')
    return { message: 'answers, and does not classify', labels: undefined };
  return answer.failure;
}

const labelsOf = ([scores = {}]: readonly LabelScores[]): string[] => Object.keys(scores);

function describeFailure({ instance, said }: OpenedProvider, failed: ProviderFailure): Finding {
  const what = nameOf(instance);
  const { kind, upstreamStatus } = failed;
  if (kind === 'model_not_found')
    return note(what, 'answers, but has no list of models, so its key was not tried');
  if (kind === 'rate_limited')
    return note(what, 'answers, and limits the rate just now, so its key was not tried');
  // A program that does not start says what of it is wrong.
  if (failed.error.cause instanceof AppError)
    return problem(what, messageOf(failed.error.cause).replace(/\.$/, ''), defaultWay(instance));
  const status = upstreamStatus === undefined ? '' : ` (status ${upstreamStatus})`;
  const why = reasonOf(failed) ?? said();
  const message = `${WORDS[kind] ?? 'does not do what it should'}${status}${why === undefined ? '' : `: ${why}`}`;
  return problem(what, message, WAYS_OUT[kind] ?? (isUnsent(failed) ? RESEND : defaultWay(instance)));
}

/** Whether it was refused on this side: the network has nothing to do with it. */
const isUnsent = ({ error: { cause } }: ProviderFailure): boolean =>
  cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'UND_ERR_INVALID_ARG';
const RESEND = 'Correct its `api_key` and `headers`.';

const WORDS: Readonly<Partial<Record<FailureKind, string>>> = {
  credentials: 'refuses the key',
  billing: 'refuses the account',
  timeout: 'does not answer in time',
  unreachable: 'cannot be reached',
};
const WAYS_OUT: Readonly<Partial<Record<FailureKind, string>>> = {
  credentials: 'Correct its `api_key`, or the variable that holds it.',
  billing: 'Look at the account at the provider.',
};

const defaultWay = (instance: OpenedProvider['instance']): string =>
  'path' in instance
    ? `Start it by hand to see why: \`${instance.path} serve\`.`
    : `Correct its address (${instance.baseUrl}), start it, or look at the network.`;

/** What the network or the system says; of an answer, what stands in it. */
function reasonOf({ error }: ProviderFailure): string | undefined {
  const { cause } = error;
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  // Where a host has several addresses, the failure of each is in it, and it says nothing itself.
  const text = cause.message || code;
  return text?.replace(/\.$/, '');
}
