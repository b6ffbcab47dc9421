import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { ComparedRow, NewTrial, ShadowRecords, Trial } from '../../accounts/shadow/shadow-records.ts';
import { createMonitor, type TrialMonitor } from '../../accounts/shadow/trial-monitor.ts';
import { verdictText } from '../../accounts/shadow/trial-report.ts';
import type { AlertRow } from '../../store/record-schema.ts';
import type { AbSettings } from '../routing/ab-settings.ts';
import type { ShadowSettings } from '../routing/shadow-settings.ts';
import type { Comparison, Sample } from './compare-sample.ts';
import type { JudgedRow, JudgedSample } from './judge-variant.ts';

type Settings = ShadowSettings | AbSettings;

/** Compares sampled requests and records those of A/B tests in the background. */
export interface Evaluations {
  /** Whether an alias's evaluation takes more requests. */
  isOpen(alias: string, settings: Settings): boolean;
  add(alias: string, settings: ShadowSettings, sample: Sample): void;
  /** Records a request of an A/B test. */
  record(alias: string, settings: AbSettings, row: ComparedRow): void;
  /** Has the response to a request of an A/B test judged, and records the request in any case. */
  judge(alias: string, settings: AbSettings, row: ComparedRow, sample: JudgedSample): void;
  /** Counts a request that is not compared or recorded. */
  skip(alias: string, settings: Settings, reason: string): void;
  /** Resolves when everything so far is compared and stored. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface EvaluationParts {
  readonly records: ShadowRecords;
  readonly trialOf: (alias: string, settings: Settings) => Promise<NewTrial>;
  readonly compare: (
    sample: Sample,
    trial: NewTrial,
    settings: ShadowSettings,
    signal: AbortSignal,
  ) => Promise<Comparison>;
  readonly judge: (
    row: ComparedRow,
    sample: JudgedSample,
    trial: NewTrial,
    settings: AbSettings,
    signal: AbortSignal,
  ) => Promise<JudgedRow>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Share of the time since the last call in which this thread was busy. Default: measured. */
  readonly utilization?: () => number;
}

/** Samples that wait or are compared. Further ones are dropped and counted, so that memory stays limited. */
const MAX_WAITING = 500;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const MAX_RUNNING = 16;
/** While this thread is busier than this, no comparison starts, so that users' requests do not wait for it. */
const MAX_UTILIZATION = 0.5;
const BUSY_PAUSE_MS = 50;
const FLUSH_MS = 500;
/** How long an experiment's metrics are used before they are read again. */
const PLAN_MS = 60_000;

/** Rows of A/B tests that wait to be stored. Further ones are dropped and counted. */
const MAX_UNSTORED = 10_000;
/** The shortest time between two readings of an A/B test, which change with the time as well. */
const MIN_READING_MS = 10_000;
/** Timers cannot wait for the end of a long window. */
const MAX_READING_MS = 3_600_000;

interface OpenTrial {
  readonly settings: Settings;
  readonly readAt: number;
  readonly trial: Promise<NewTrial | undefined>;
  known: Trial | undefined;
  monitor: TrialMonitor | undefined;
  /** When the trial can be read again. */
  nextReading: number;
  stopReading: (() => void) | undefined;
  /** Whether the alias has other settings now. */
  isReplaced: boolean;
  readonly rows: ComparedRow[];
  readonly skips: Map<string, number>;
}

interface Waiting {
  readonly open: OpenTrial;
  readonly size: number;
  readonly run: (trial: NewTrial) => Promise<Partial<JudgedRow>>;
  /** The row to record if there is no result. */
  readonly row?: ComparedRow | undefined;
}

export function createEvaluations(parts: EvaluationParts): Evaluations {
  const { records, trialOf, compare, judge, clock, log, utilization = measuredUtilization() } = parts;
  const open = new Map<string, OpenTrial>();
  /** Trials with rows or counts that are not stored yet. */
  const unflushed = new Set<OpenTrial>();
  const waiting: Waiting[] = [];
  const stop = new AbortController();
  let [waitingBytes, running] = [0, 0];
  let flushing: Promise<void> = Promise.resolve();
  let stopTimer: (() => void) | undefined;
  let stopPause: (() => void) | undefined;
  let onIdle: (() => void)[] = [];

  const register = async (one: OpenTrial): Promise<void> => {
    const trial = await one.trial;
    if (trial) one.known = await records.open(trial);
  };
  /** An A/B test does not depend on an experiment. */
  const isFresh = ({ settings, readAt }: OpenTrial): boolean =>
    'by' in settings || clock.now() - readAt < PLAN_MS;
  const openTrial = (alias: string, settings: Settings): OpenTrial => {
    const known = open.get(alias);
    if (known?.settings === settings && isFresh(known)) return known;
    if (known) {
      known.isReplaced = true;
      known.stopReading?.();
      void flush();
    }
    const trial = trialOf(alias, settings).catch((error: unknown) => {
      log.warn({ alias, err: error }, 'The shadow evaluation of an alias cannot run.');
      return undefined;
    });
    const one: OpenTrial = {
      settings,
      readAt: clock.now(),
      trial,
      known: undefined,
      monitor: undefined,
      nextReading: 0,
      stopReading: undefined,
      isReplaced: false,
      rows: [],
      skips: new Map(),
    };
    void register(one).catch((error: unknown) => log.error({ err: error }, 'shadow evaluation not stored'));
    open.set(alias, one);
    return one;
  };

  const note = (one: OpenTrial): void => {
    unflushed.add(one);
    stopTimer ??= clock.after(FLUSH_MS, () => void flush());
  };
  const skip = (one: OpenTrial, reason: string): void => {
    one.skips.set(reason, (one.skips.get(reason) ?? 0) + 1);
    note(one);
  };

  const flushOne = async (one: OpenTrial): Promise<void> => {
    const trial = await one.trial;
    const [rows, skips] = [one.rows.splice(0), new Map(one.skips)];
    one.skips.clear();
    if (!trial) return;
    one.known ??= await records.open(trial);
    await records.skip(trial.id, skips);
    await records.add(trial.id, rows);
    if (rows.length > 0 || one.nextReading > 0) await evaluate(one, trial);
  };
  const evaluate = async (one: OpenTrial, trial: NewTrial): Promise<void> => {
    const now = clock.now();
    one.known = (await records.find(trial.id)) ?? one.known;
    if (!one.known || one.known.verdict !== 'undecided' || now < one.nextReading) return;
    one.stopReading?.();
    one.monitor ??= createMonitor(records, trial);
    const { verdict, count } = await one.monitor.read(now);
    if (verdict === 'undecided') return readLater(one, now);
    const decided = { ...one.known, verdict };
    const alert = verdictAlert(decided, count, clock.now());
    if (await records.decide(trial.id, verdict, alert)) log.info({ alias: trial.alias }, alert.label);
  };
  /** Users' values become final as time passes, even if there are no further requests. */
  const readLater = (one: OpenTrial, now: number): void => {
    const next = one.monitor?.nextAt();
    if (next === undefined || one.isReplaced || stop.signal.aborted) return;
    one.nextReading = now + Math.min(MAX_READING_MS, Math.max(MIN_READING_MS, next - now));
    one.stopReading = clock.after(one.nextReading - now, () => note(one));
  };
  const flushAfter = async (before: Promise<void>, due: readonly OpenTrial[]): Promise<void> => {
    await before;
    for (const one of due)
      await flushOne(one).catch((error: unknown) =>
        log.error({ err: error }, 'rows of a shadow evaluation not stored'),
      );
  };
  const flush = (): Promise<void> => {
    stopTimer?.();
    stopTimer = undefined;
    const due = [...unflushed];
    unflushed.clear();
    flushing = flushAfter(flushing, due);
    return flushing;
  };

  const keep = (one: OpenTrial, row: ComparedRow | undefined): void => {
    if (!row) return;
    if (one.rows.length >= MAX_UNSTORED) return skip(one, 'dropped');
    one.rows.push(row);
    note(one);
  };
  const run = async (work: Waiting): Promise<void> => {
    const { open: one } = work;
    try {
      const trial = await one.trial;
      if (!trial) return;
      const { row, skipped } = await work.run(trial);
      if (skipped !== undefined) skip(one, skipped);
      keep(one, row);
    } catch (error) {
      skip(one, 'failed');
      keep(one, work.row);
      log.error({ err: error }, 'a sampled request was not compared');
    }
  };
  const enqueue = (work: Waiting): void => {
    const { open: one, size, row } = work;
    if (
      stop.signal.aborted ||
      waiting.length + running >= MAX_WAITING ||
      waitingBytes + size > MAX_WAITING_BYTES
    ) {
      skip(one, 'dropped');
      return keep(one, row);
    }
    waiting.push(work);
    waitingBytes += size;
    // Starts after the user has the response.
    setImmediate(startMore);
  };
  const startMore = (): void => {
    if (stopPause || stop.signal.aborted) return;
    while (running < MAX_RUNNING && waiting.length > 0) {
      if (running > 0 && utilization() > MAX_UTILIZATION) {
        stopPause = clock.after(BUSY_PAUSE_MS, () => {
          stopPause = undefined;
          startMore();
        });
        return;
      }
      const next = waiting.shift();
      if (!next) break;
      running += 1;
      void run(next).finally(() => {
        running -= 1;
        waitingBytes -= next.size;
        startMore();
        if (running > 0 || waiting.length > 0) return;
        for (const resolve of onIdle.splice(0)) resolve();
      });
    }
  };

  return {
    isOpen(alias, settings) {
      const { known } = openTrial(alias, settings);
      return (known?.rows ?? 0) < settings.maxRows;
    },
    add: (alias, settings, sample) =>
      enqueue({
        open: openTrial(alias, settings),
        size: sample.size,
        run: (trial) => compare(sample, trial, settings, stop.signal),
      }),
    record: (alias, settings, row) => keep(openTrial(alias, settings), row),
    judge: (alias, settings, row, sample) =>
      enqueue({
        open: openTrial(alias, settings),
        size: sample.size,
        row,
        run: (trial) => judge(row, sample, trial, settings, stop.signal),
      }),
    skip: (alias, settings, reason) => skip(openTrial(alias, settings), reason),
    async idle() {
      if (running > 0 || waiting.length > 0) await new Promise<void>((resolve) => void onIdle.push(resolve));
      await flush();
    },
    async close() {
      stop.abort();
      stopPause?.();
      for (const { open: one, row } of waiting.splice(0)) {
        skip(one, 'stopped');
        keep(one, row);
      }
      if (running > 0) await new Promise<void>((resolve) => void onIdle.push(resolve));
      onIdle = [];
      for (const one of open.values()) one.stopReading?.();
      await flush();
    },
  };
}

/** Measures since the last call, at most every few milliseconds. */
function measuredUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  let [last, at] = [0, performance.now()];
  return () => {
    if (performance.now() - at < BUSY_PAUSE_MS) return last;
    const now = performance.eventLoopUtilization();
    last = performance.eventLoopUtilization(now, before).utilization;
    [before, at] = [now, performance.now()];
    return last;
  };
}

const VERDICT_ALERT = 'shadow.verdict_reached';

/** The alert for a verdict. Its ID is the same for all gateways. */
function verdictAlert(trial: Trial, rows: number, now: number): AlertRow {
  const { id, alias, plan, verdict } = trial;
  const text = verdictText({ verdict, remaining: undefined, rows }, trial);
  const noun = plan.ab ? 'users' : 'requests';
  const at = Math.floor(now);
  return {
    id: `alert_${createHash('sha256')
      .update(JSON.stringify([VERDICT_ALERT, id, verdict]))
      .digest('base64url')
      .slice(0, 24)}`,
    kind: VERDICT_ALERT,
    account_id: `alias:${alias}`,
    label: `Candidate ${plan.candidate} of alias '${alias}' is ${text}, after ${rows} ${noun}.`,
    threshold: null,
    spent_nano: 0n,
    limit_nano: 0n,
    window_started_at: null,
    window_ends_at: null,
    created_at: at,
    state: 'pending',
    attempts: 0,
    next_attempt_at: at,
    sent_at: null,
    problem: null,
    details: JSON.stringify({ alias, candidate: plan.candidate, trial: id, verdict, rows }),
  };
}
