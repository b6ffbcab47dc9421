import type { Registry } from 'prom-client';
import { AppError, messageOf } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { visibleText } from '#core/text/visible-text.ts';
import { systemClock } from '#platform/clock.ts';
import { readErrorBody } from '#serve/client/json-client.ts';
import type { WatchChild } from '#serve/encoder/start-encoder.ts';
import { LabeledCounter } from '#serve/labeled-metrics.ts';
import type { Logger } from '#serve/log.ts';
import { SCAN_CLASSIFIER_KEY, type ScanClassifierSetting } from '../config/scan-classifier.ts';
import { type EncoderClient, openEncoderClient } from '../meanings/encoder-client.ts';
import { requireEncoderFile } from '../meanings/require-encoder-file.ts';
import type { Classify } from './classify.ts';
import { textsOf } from './scan-value.ts';

interface ClassifierParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly watch?: WatchChild | undefined;
}

/** Labels of published classifiers for an injection, in lower case. */
const LABELS = ['injection', 'jailbreak', 'malicious', 'unsafe', 'attack', 'label_1'];
const THRESHOLD = 0.9;
/** A call waits for the classifier. Without a response in time, the rules alone decide. */
const ANSWER_MS = 2000;
/** The first texts start an executable, and load its model. */
const START_MS = 30_000;
/** Encoders read a few hundred tokens. Longer texts are split. */
const WINDOW = 1000;
const MAX_WINDOWS = 64;
/** Shorter texts are not instructions. */
const MIN_LENGTH = 20;
const LOG_INTERVAL_MS = 60_000;
const BATCH = 16;

/** Opens the classifier. While it fails, which is logged and counted, texts are only scanned by the rules. */
export function openClassifier(
  { encoder, labels = LABELS, threshold = THRESHOLD }: ScanClassifierSetting,
  { env, log, metrics, watch }: ClassifierParts,
): { readonly classify: Classify; readonly close: () => Promise<void> } {
  if (encoder.kind === 'file') requireEncoderFile(encoder.path, 'scan classifier');
  const client = openEncoderClient(encoder, {
    name: 'scan classifier',
    answerMs: ANSWER_MS,
    clock: systemClock,
    apiKey: env[SCAN_CLASSIFIER_KEY] || undefined,
    watch,
    onTrouble: (line) => log.warn(`scan classifier: ${line}`),
  });
  const failures = new LabeledCounter(metrics, {
    name: 'mcp_scan_classifier_failures_total',
    help: 'Texts that were only scanned by rules, because the classifier failed or did not respond in time.',
    labelNames: [],
  });
  let loggedAt = -Infinity;
  const failed = (error: unknown): void => {
    failures.inc({});
    if (systemClock.now() - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = systemClock.now();
    log.warn(`the scan classifier failed, so texts are only scanned by rules: ${messageOf(error)}`);
  };
  return {
    async classify(value) {
      const windows = windowsOf(value);
      try {
        for (let at = 0; at < windows.length; at += BATCH) {
          const batch = windows.slice(at, at + BATCH);
          const scores = await scoresOf(
            client,
            batch.map(({ text }) => text),
            labels,
          );
          const index = scores.findIndex((score) => score >= threshold);
          const found = batch[index];
          if (!found) continue;
          const excerpt = `${visibleText(found.text.slice(0, 200))} (score ${scores[index]?.toFixed(3)})`;
          return [{ rule: 'classifier', pointer: found.pointer, excerpt }];
        }
      } catch (error) {
        failed(error);
      }
      return [];
    },
    close: () => client.close(),
  };
}

function windowsOf(value: unknown): { readonly text: string; readonly pointer: string }[] {
  const windows = [];
  for (const { text, pointer } of textsOf(value).texts) {
    if (text.length < MIN_LENGTH || !text.includes(' ')) continue;
    for (let at = 0; at < text.length && windows.length < MAX_WINDOWS; at += WINDOW) {
      windows.push({ text: text.slice(at, at + WINDOW), pointer });
    }
  }
  return windows;
}

/** Returns the score of an injection for each text. */
async function scoresOf(
  client: EncoderClient,
  inputs: readonly string[],
  labels: readonly string[],
): Promise<number[]> {
  const signal = AbortSignal.timeout(START_MS);
  const { status, text } = await client.post(
    '/predict',
    JSON.stringify({ inputs, top_k: 100, truncate: true }),
    signal,
  );
  if (status !== 200) {
    throw new AppError('UpstreamError', readErrorBody(text)?.message ?? `HTTP status ${status}`);
  }
  const { results } = membersOf(parseJsonText(text));
  const rows = Array.isArray(results) ? results : [];
  if (rows.length !== inputs.length)
    throw new AppError('UpstreamError', 'the response must contain one result per text');
  return rows.map((row) => scoreOf(row, labels));
}

function scoreOf(row: unknown, labels: readonly string[]): number {
  const { top } = membersOf(row);
  const scored = (Array.isArray(top) ? top : []).filter(isObject);
  const names = scored.map(({ label }) => String(label));
  const found = scored.filter(({ label }) => labels.includes(String(label).toLowerCase()));
  if (found.length > 0) return found.reduce((sum, { score }) => sum + Number(score), 0);
  throw new AppError(
    'UpstreamError',
    `the classifier has no label for injections, only ${names.join(', ') || 'none'}. Set \`labels\` in [daemon.scan].`,
  );
}
