import { AppError } from '#contract/errors.ts';
import { redactText } from '../../accounts/prompts/redact-prompt.ts';
import type { ShadowRecords } from '../../accounts/shadow/shadow-records.ts';
import { NO_PROMPTS } from '../../providers/shapes/policies.ts';
import { createGuardrails } from '../guardrails/guardrails.ts';
import type { CurrentModels } from '../models/model-set.ts';
import type { Redactor } from '#serve/redact.ts';
import { type CompletionParts, createCompletions } from '../completions/completions.ts';
import type { RequestSampler } from '../completions/sampled-requests.ts';
import { collectingTelemetry, createCallOther, type EventsOfCalls } from './call-other.ts';
import { compareSample } from './compare-sample.ts';
import { createEvaluations, type EvaluationParts, type Evaluations } from './evaluations.ts';
import { judgeVariant } from './judge-variant.ts';
import { createSampler } from './sampler.ts';
import { trialOfSettings } from './trial-plans.ts';

export interface ShadowParts extends Omit<CompletionParts, 'sampler'>, Pick<EvaluationParts, 'utilization'> {
  readonly records: ShadowRecords;
  readonly redactor: Pick<Redactor, 'text' | 'spans'>;
}

export interface Shadow {
  readonly sampler: RequestSampler;
  readonly evaluations: Evaluations;
}

/** Longer checks for secrets are given up; the request is then not compared. */
const MAX_REDACTION_MS = 1000;

/** Opens shadow evaluations. Without an alias that has one, nothing is ever called. */
export function openShadow(parts: ShadowParts): Shadow {
  const { records, redactor, models, telemetry, utilization, clock, log } = parts;
  const events: EventsOfCalls = new Map();
  const completions = createCompletions({
    ...parts,
    telemetry: collectingTelemetry(telemetry, events),
    models: isolatedModels(models, parts),
  });
  const call = createCallOther(completions, events, clock);
  const isSecret = async (text: string): Promise<boolean> => {
    const held = models.hold();
    try {
      const { patterns } = held.set.prompts;
      const deadline = performance.now() + MAX_REDACTION_MS;
      return (await redactText(text, { redactor, patterns, deadline })) !== text;
    } finally {
      held.release();
    }
  };
  const onProblem = (error: unknown): void =>
    log.info({ reason: AppError.from(error).message }, 'a call of a shadow evaluation failed');
  const calls = { call, isSecret, onProblem };
  const evaluations = createEvaluations({
    records,
    trialOf: (alias, settings) => trialOfSettings(records, alias, settings),
    compare: (sample, { plan }, { user }, signal) => compareSample(calls, sample, plan, user, signal),
    judge: (row, sample, { plan }, { user = '' }, signal) =>
      judgeVariant(calls, row, sample, plan, user, signal),
    ...(utilization && { utilization }),
    clock,
    log,
  });
  return { sampler: createSampler({ evaluations, clock, random: Math.random, log }), evaluations };
}

/**
 * The current models for calls of evaluations: their failures do not count for users' requests, their requests and
 * responses are not stored, and nothing is cached. Guardrails have checked the request already, and checking it again
 * would keep the guardrails' encoders busy.
 */
function isolatedModels(models: CurrentModels, { clock }: Pick<ShadowParts, 'clock'>): CurrentModels {
  const guardrails = createGuardrails({ profiles: [], classifier: () => undefined, clock });
  return {
    hold() {
      const { set, release } = models.hold();
      return {
        release,
        set: {
          ...set,
          router: set.isolatedRouter(),
          affinity: undefined,
          abTests: undefined,
          cache: undefined,
          guardrails,
          prompts: NO_PROMPTS,
        },
      };
    },
  };
}
