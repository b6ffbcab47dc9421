import { hash } from 'node:crypto';
import { itemAt } from '#core/values/item-at.ts';
import type { EngineAnswer, PreparedInput, PreparedRequest, OverflowRule, View } from './serving.ts';

/** Runs the inputs of a request. `truncated` of the answer contains indexes of these inputs. */
export type Submit = (request: PreparedRequest, onOverflow: OverflowRule) => Promise<EngineAnswer>;

/** The result of one input as the cache stores it. */
interface Known {
  readonly result: Uint8Array;
  readonly tokens: number;
  readonly truncated: boolean;
}

export interface ResultCache {
  /** Runs only the inputs of a request whose results are not known. */
  readonly submit: Submit;
  /** Bytes in use. */
  readonly bytes: () => number;
}

/** Estimated memory of an entry in addition to its result. */
const ENTRY_BYTES = 200;

/**
 * A cache of results in front of `submit`: an input whose result is known is not run again. The least
 * recently used results are removed when their memory exceeds `maxBytes`. Results are stored in the
 * form in which they are returned, so a result from the cache has the same bytes.
 */
export function createResultCache(maxBytes: number, submit: Submit): ResultCache {
  /** Least recently used first. */
  const entries = new Map<string, Known>();
  let bytes = 0;

  const find = (key: string): Known | undefined => {
    const known = entries.get(key);
    if (known) {
      entries.delete(key);
      entries.set(key, known);
    }
    return known;
  };
  const store = (key: string, known: Known): void => {
    const size = sizeOf(known);
    // Another request can have stored the same result in the meantime.
    if (size > maxBytes || entries.has(key)) return;
    entries.set(key, known);
    bytes += size;
    for (const [oldest, removed] of entries) {
      if (bytes <= maxBytes) return;
      entries.delete(oldest);
      bytes -= sizeOf(removed);
    }
  };

  return {
    bytes: () => bytes,
    async submit(request, onOverflow) {
      const { inputs, view, indexOf = (input) => input } = request;
      if (!isRepeatable(view)) return await submit(request, onOverflow);
      const start = performance.now();
      const keyOf = keysFor(request, onOverflow);
      const keys = inputs.map(keyOf);
      const known = new Map<string, Known | undefined>();
      const positions: number[] = [];
      for (const [index, key] of keys.entries()) {
        if (known.has(key)) continue;
        const found = find(key);
        known.set(key, found);
        if (!found) positions.push(index);
      }
      let timings: EngineAnswer['timings'] = { ...NO_TIMINGS, total: performance.now() - start };
      if (positions.length > 0) {
        const missing = positions.map((index) => itemAt(inputs, index));
        const wanted = {
          ...request,
          inputs: missing,
          indexOf: (at: number) => indexOf(itemAt(positions, at)),
        };
        const answer = await submit(wanted, onOverflow);
        ({ timings } = answer);
        const truncated = new Set(answer.truncated);
        for (const [at, index] of positions.entries()) {
          const key = itemAt(keys, index);
          // Copied, because all results of a batch share one buffer.
          const result = itemAt(answer.results, at).slice();
          const made = { result, tokens: itemAt(answer.tokens, at), truncated: truncated.has(at) };
          known.set(key, made);
          store(key, made);
        }
      }
      const all = keys.map((key) => known.get(key)).filter((one) => one !== undefined);
      return {
        results: all.map(({ result }) => result),
        tokens: all.map(({ tokens }) => tokens),
        truncated: [...all.entries()].filter(([, one]) => one.truncated).map(([index]) => index),
        cached: inputs.length - positions.length,
        timings,
      };
    },
  };
}

const NO_TIMINGS = { tokenization: 0, queue: 0, inference: 0 };

const sizeOf = ({ result }: Known): number => result.byteLength + ENTRY_BYTES;

/** Whether other requests can have the same view. Views that contain a query's vectors are not worth their keys. */
const isRepeatable = ({ kind }: View): boolean => kind !== 'max-sim' && kind !== 'hybrid';

/**
 * Returns the key of an input. It contains all members of a request except those that a result does
 * not depend on, so that it is correct for members that are added later.
 */
function keysFor(
  {
    inputs: _inputs,
    signal: _signal,
    lane: _lane,
    indexOf: _indexOf,
    counted: _counted,
    ...others
  }: PreparedRequest,
  onOverflow: OverflowRule,
): (input: PreparedInput) => string {
  const settings = JSON.stringify([others, onOverflow]);
  return (input) => hash('sha256', `${settings}\n${keyOfInput(input)}`, 'base64');
}

const keyOfInput = (input: PreparedInput): string =>
  'image' in input ? hash('sha256', input.image, 'base64') : JSON.stringify(input);
