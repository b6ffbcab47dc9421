import { sha256 } from '#platform/sha256.ts';
import type { Clock } from '#platform/clock.ts';
import type { Provider } from '../../providers/adapters/provider.ts';
import type {
  ClassifierProfile,
  GuardrailProfile,
  GuardrailRule,
  Guardrails,
  OutputMasking,
  SchemaProfile,
  CheckedInput,
  CheckedRequest,
  Checked,
  GuardrailVerdict,
} from './guardrail.ts';
import { judgeContent, type JudgeParts } from './judge.ts';
import { compileAnswerSchema, type AnswerSchema } from './judges/answer-schema.ts';
import { WINDOW_LENGTH, WINDOW_OVERLAP } from './judges/judgement.ts';
import { createWebhooks } from './judges/webhooks.ts';
import { maskingProfile, findInTexts, maskableTexts, maskBody } from './mask/mask-texts.ts';
import { maskAnswer, type MaskingParts } from './mask/mask-output.ts';
import { createStreamMask } from './mask/mask-stream.ts';
import { createPlaceholders } from './mask/placeholders.ts';
import { readRules, requireUsable, strictest } from './read-rules.ts';
import { least } from '#core/numbers/extremes.ts';
import { runFairly } from '#platform/run-yielding.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import { checkedTexts } from './input-parts.ts';
import type { GuardVerdict, StreamGuard } from '../../providers/streams/stream.ts';
import { MAX_ESCAPE_LENGTH } from './readings.ts';

interface GuardrailOptions {
  readonly profiles: readonly GuardrailProfile[];
  /** The policy's rules, which apply to every request. */
  readonly demanded?: readonly GuardrailRule[] | undefined;
  /** Whether realtime sessions are allowed although the policy does not apply to them. */
  readonly allowsSessions?: boolean | undefined;
  readonly classifier: (name: string) => Provider | undefined;
  readonly clock: Clock;
}

export function createGuardrails({
  profiles,
  demanded = [],
  allowsSessions = false,
  classifier,
  clock,
}: GuardrailOptions): Guardrails {
  const byName = new Map(profiles.map((profile) => [profile.name, profile]));
  const webhooks = createWebhooks();
  const parts: JudgeParts = { profiles: byName, classifier, clock, webhooks, schemaOf: cachedSchemas() };
  const rulesFor = (rules: readonly GuardrailRule[], place: 'input' | 'output'): GuardrailRule[] =>
    rules.filter(({ on }) => on.includes(place));
  /** Output rules, grouped by what they do. Masking rules are applied first. */
  const outputRules = (rules: readonly GuardrailRule[]) => {
    const { masking = [], checking = [] } = Object.groupBy(rulesFor(rules, 'output'), (rule) =>
      maskingProfile(parts, rule) ? 'masking' : 'checking',
    );
    return { masking, checking };
  };
  const maskingOf = (
    rules: readonly GuardrailRule[],
    { request, body, placeholders }: OutputMasking,
  ): MaskingParts | undefined => {
    const { masking } = outputRules(rules);
    return masking.length === 0
      ? undefined
      : {
          parts,
          rules: masking,
          request,
          placeholders: placeholders ?? createPlaceholders(JSON.stringify(body)),
        };
  };
  const always = strictest(demanded, []);
  const profileOf = ({ profile }: GuardrailRule): GuardrailProfile | undefined => byName.get(profile);

  return {
    always,
    rules(requested) {
      if (requested === undefined) return always;
      const own = readRules(requested, [...byName.keys()]);
      for (const rule of own) requireUsable(rule, profileOf(rule));
      return strictest(demanded, own);
    },
    masking: () =>
      profiles.flatMap((profile) => ('action' in profile && profile.action === 'mask' ? profile.name : [])),
    digest: sha256(JSON.stringify([profiles, demanded], withEntries)),
    admitsSessions: allowsSessions || demanded.length === 0,
    checkInput: (rules, body, request) => checkInput(parts, rulesFor(rules, 'input'), body, request),
    maskOutput(rules, { bytes, text, type }, masked) {
      const masking = maskingOf(rules, masked);
      return masking && maskAnswer(masking, bytes, text, type);
    },
    streamMask(rules, masked, onVerdicts) {
      const masking = maskingOf(rules, masked);
      return masking && createStreamMask(masking, onVerdicts);
    },
    async checkOutput(rules, text, request) {
      const own = outputRules(rules).checking;
      const checked = await judgeContent(parts, own, { ...request, place: 'output', texts: [text] });
      const wrong = own.filter((rule, index) => {
        const verdict = checked.verdicts[index];
        return verdict?.valid === false && (rule.mode === 'block' || verdict.score === undefined);
      });
      const retries = wrong.map((rule) => retriesOf(profileOf(rule)));
      return { ...checked, retries: checked.blocked ? least(retries) : 0 };
    },
    streamGuard(rules, request, onVerdicts) {
      const own = outputRules(rules).checking;
      if (own.length === 0) return undefined;
      return createStreamGuard({
        blocks: own.some(({ mode, onUnavailable }) => mode === 'block' || onUnavailable === 'block'),
        ...windowsOf(own.flatMap((rule) => profileOf(rule) ?? [])),
        check: (text) => judgeContent(parts, own, { ...request, place: 'output', texts: [text] }),
        onVerdicts,
      });
    },
    close: () => webhooks.close(),
  };
}

/** Patterns are stored in a Map, which JSON does not support, so it is converted to a list. */
const withEntries = (_name: string, value: unknown): unknown =>
  value instanceof Map
    ? [...value].map(([name, { source, ignoreCase }]) => [name, source, ignoreCase])
    : value;

function cachedSchemas(): JudgeParts['schemaOf'] {
  const compiled = new Map<SchemaProfile, AnswerSchema>();
  return (profile) => {
    const schema = compiled.get(profile) ?? compileAnswerSchema(profile.schema);
    compiled.set(profile, schema);
    return schema;
  };
}

const retriesOf = (profile: GuardrailProfile | undefined): number =>
  profile?.kind === 'schema' ? profile.retries : 0;

/**
 * The sizes of a stream's windows, which are suitable for all checks. Only a schema check needs the whole
 * response.
 */
function windowsOf(profiles: readonly GuardrailProfile[]): {
  readonly windowLength: number;
  readonly windowOverlap: number;
} {
  if (profiles.some(({ kind }) => kind === 'schema')) return { windowLength: Infinity, windowOverlap: 0 };
  const windows = profiles.map((profile): Pick<ClassifierProfile, 'windowLength' | 'windowOverlap'> =>
    'encoder' in profile ? profile : {},
  );
  return {
    windowLength: least(windows.map(({ windowLength = WINDOW_LENGTH }) => windowLength)),
    windowOverlap: least(windows.map(({ windowOverlap = WINDOW_OVERLAP }) => windowOverlap)),
  };
}

/**
 * Masks a request, then checks the masked text, so that webhook servers receive placeholders instead of the
 * masked values.
 */
async function checkInput(
  parts: JudgeParts,
  rules: readonly GuardrailRule[],
  body: Json,
  request: CheckedRequest,
): Promise<CheckedInput> {
  const masking = rules.filter((rule) => maskingProfile(parts, rule));
  const others = rules.filter((rule) => !masking.includes(rule));
  const texts = masking.length > 0 ? maskableTexts(body) : [];
  const found = await findInTexts(parts, masking, { ...request, place: 'input', texts });
  if (found.blocked) return { verdicts: found.verdicts, blocked: found.blocked };
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  const result = await runFairly(maskBody(body, texts, found.spans), characters);
  const rest = await judgeContent(parts, others, {
    ...request,
    place: 'input',
    texts: others.length > 0 ? checkedTexts(result?.body ?? body) : [],
  });
  return { verdicts: [...found.verdicts, ...rest.verdicts], blocked: rest.blocked, masked: result };
}

interface StreamGuardParts {
  /** Whether text is held back until it has been checked. */
  readonly blocks: boolean;
  readonly windowLength: number;
  readonly windowOverlap: number;
  readonly check: (text: string) => Promise<Checked>;
  readonly onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void;
}

const PASS: GuardVerdict = { kind: 'pass' };

const HOLD: GuardVerdict = { kind: 'hold' };

/**
 * Checks a stream's text in windows. Each window starts with the end of the previous one, which has already
 * been sent. @internal Exported for tests only.
 */
export function createStreamGuard(parts: StreamGuardParts): StreamGuard {
  const { blocks, windowLength, windowOverlap, check, onVerdicts } = parts;
  let before = '';
  let waiting = '';
  const judge = async (): Promise<GuardVerdict> => {
    if (waiting === '') return PASS;
    const text = before + waiting;
    const { verdicts, blocked } = await check(text);
    onVerdicts(verdicts);
    if (blocked) return { kind: 'block', error: blocked };
    before = endOf(text, windowOverlap);
    waiting = '';
    return PASS;
  };
  return {
    async take(text) {
      waiting += text;
      if (!blocks) return PASS;
      return before.length + waiting.length < windowLength ? HOLD : judge();
    },
    end: judge,
  };
}

/**
 * The last part of a text, long enough to contain as many characters as the overlap even if all of them are
 * escaped.
 */
function endOf(text: string, overlap: number): string {
  const longest = overlap === 0 ? '' : text.slice(-overlap * MAX_ESCAPE_LENGTH);
  return longest.includes('\\') ? longest : text.slice(-overlap);
}
