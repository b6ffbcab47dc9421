import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { type Finding, note, ok, problemFinding } from '#serve/cli/doctor/finding.ts';
import { CLOUDS } from '../../providers/adapters/cloud-settings.ts';
import { failure } from '../../providers/adapters/failure.ts';
import type { FailureKind, LabelScores, ProviderFailure } from '../../providers/adapters/provider.ts';
import { subjectOf, type OpenedProvider } from './open-providers.ts';

export interface CheckedProvider {
  readonly name: string;
  readonly finding: Finding;
  /** Labels of a classification encoder; otherwise undefined. */
  readonly labels: readonly string[] | undefined;
}

/** Timeouts. An encoder must load its model first. */
const TIMEOUTS_MS = { encoder: 60_000, other: 15_000 };

/**
 * Checks that a provider responds and accepts its key, by requesting its model list. Encoders are started and
 * classify a word.
 */
export async function checkProvider(opened: OpenedProvider): Promise<CheckedProvider> {
  const { instance, provider } = opened;
  const controller = new AbortController();
  const isEncoder = provider.classify !== undefined;
  const timeout = sleep(isEncoder ? TIMEOUTS_MS.encoder : TIMEOUTS_MS.other, TIMED_OUT, {
    signal: controller.signal,
  });
  // Aborts the timer when the response has arrived.
  timeout.catch(() => undefined);
  try {
    const check = isEncoder ? classifyWord : listModels;
    const answer = await Promise.race([check(opened, controller.signal), timeout]);
    const { name } = instance;
    if ('kind' in answer) return { name, labels: undefined, finding: describeFailure(opened, answer) };
    return { name, labels: answer.labels, finding: ok(subjectOf(instance), answer.message) };
  } finally {
    controller.abort();
  }
}

const TIMED_OUT = failure('timeout').failure;

interface CheckAnswer {
  readonly message: string;
  readonly labels: readonly string[] | undefined;
}

async function listModels(
  { provider }: OpenedProvider,
  signal: AbortSignal,
): Promise<CheckAnswer | ProviderFailure> {
  const models = await provider.models(signal);
  if ('kind' in models) return models;
  const count = models.length;
  const listed = count === 0 ? '' : `, ${count} model${count === 1 ? '' : 's'}`;
  return { message: `reachable${listed}`, labels: undefined };
}

async function classifyWord(
  { provider }: OpenedProvider,
  signal: AbortSignal,
): Promise<CheckAnswer | ProviderFailure> {
  const answer = await provider.classify?.({ texts: ['word'], trace: undefined, signal });
  if (!answer) return { message: 'reachable', labels: undefined };
  if (answer.kind === 'classified')
    return { message: 'reachable, classifies texts', labels: labelsOf(answer.scores) };
  // An encoder of another type, for example for embeddings or images, also counts as reachable.
  if (answer.failure.kind === 'unsupported' || answer.failure.kind === 'bad_request')
    return { message: 'reachable, but does not classify texts', labels: undefined };
  return answer.failure;
}

const labelsOf = ([scores = {}]: readonly LabelScores[]): string[] => Object.keys(scores);

function describeFailure({ instance, lastLine }: OpenedProvider, failed: ProviderFailure): Finding {
  const subject = subjectOf(instance);
  const { kind, upstreamStatus } = failed;
  if (kind === 'model_not_found')
    return note(subject, 'reachable, but does not list models, so its key was not checked');
  if (kind === 'rate_limited')
    return note(subject, 'reachable, but currently rate-limited, so its key was not checked');
  const cloud = 'path' in instance ? undefined : instance.cloud?.kind;
  if (kind === 'credentials' && cloud !== undefined)
    return problemFinding(subject, refusalOf(failed), CLOUDS[cloud].remedy);
  // An encoder that did not start reports the reason itself.
  if (failed.error.cause instanceof AppError)
    return problemFinding(subject, messageOf(failed.error.cause).replace(/\.$/, ''), defaultRemedy(instance));
  const status = upstreamStatus === undefined ? '' : ` (status ${upstreamStatus})`;
  const why = reasonOf(failed) ?? lastLine();
  const message = `${FAILURES[kind] ?? 'failed'}${status}${why === undefined ? '' : `: ${why}`}`;
  return problemFinding(
    subject,
    message,
    REMEDIES[kind] ?? (isUnsent(failed) ? UNSENT_REMEDY : defaultRemedy(instance)),
  );
}

/** Whether the HTTP client itself rejected the request, so that the network is not the cause. */
const isUnsent = ({ error: { cause } }: ProviderFailure): boolean =>
  cause instanceof Error && errorCode(cause) === 'UND_ERR_INVALID_ARG';
const UNSENT_REMEDY = 'Correct its `api_key` and `headers`.';

/** Why a cloud provider has no valid credentials: it rejected them, or none were found. */
function refusalOf({ text, upstreamStatus }: ProviderFailure): string {
  const why = text?.replace(/\.$/, '');
  if (upstreamStatus === undefined) return why ?? 'has no credentials';
  return `rejected the credentials (status ${upstreamStatus})${why === undefined ? '' : `: ${why}`}`;
}

const FAILURES: Readonly<Partial<Record<FailureKind, string>>> = {
  credentials: 'rejected the API key',
  billing: 'rejected the account',
  timeout: 'timed out',
  unreachable: 'cannot be reached',
};
const REMEDIES: Readonly<Partial<Record<FailureKind, string>>> = {
  credentials: 'Correct its `api_key`, or the variable with the key.',
  billing: 'Check the account at the provider, e.g. its credit.',
};

const defaultRemedy = (instance: OpenedProvider['instance']): string =>
  'path' in instance
    ? `Start it manually to see the reason: \`${instance.path} serve\`.`
    : `Check its address (${instance.baseUrl}), whether it is running, and the network.`;

/** The error message from the network, the system or the provider's response. */
function reasonOf({ error }: ProviderFailure): string | undefined {
  const { cause } = error;
  if (!(cause instanceof Error)) return undefined;
  const code = errorCode(cause);
  // For a host with several addresses, the error itself has no message, only one error per address.
  const text = cause.message || code;
  return text?.replace(/\.$/, '');
}
