import type { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import { readEvent } from '#serve/event-stream/event-data.ts';
import { eventText } from '../../../providers/streams/event-text.ts';
import type { MaskedPiece, StreamMask } from '../../../providers/streams/stream.ts';
import type { GuardrailVerdict } from '../guardrail.ts';
import { createHeldJson } from './held-json.ts';
import { createHeldText, type HeldText } from './held-text.ts';
import { maskOutput, type MaskingParts } from './mask-output.ts';
import { isMaskedMember, withoutLogprobs } from './output-members.ts';
import { continuationOf, type Delta, mapDeltas, parseEvent } from './stream-deltas.ts';

/** A text of the stream, and the event that its last piece came in. */
interface Source {
  readonly held: HeldText;
  readonly event: string | undefined;
  readonly data: object;
}

/** Masks the output in the events of any API. A value can be cut over several events. */
export function createStreamMask(
  masking: MaskingParts,
  onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void,
): StreamMask {
  const splitter = createFrameSplitter();
  const sources = new Map<string, Source>();
  let text = '';
  let refused: AppError | undefined;
  const require = (blocked: AppError | undefined): void => {
    refused ??= blocked;
    if (blocked) throw blocked;
  };

  const take = async (held: HeldText, piece: string, isLast: boolean): Promise<string> => {
    const { text: masked, verdicts, blocked } = await held.take(piece, isLast);
    onVerdicts(verdicts);
    require(blocked);
    text += masked;
    return masked;
  };
  /** Decides what is held back. The texts stay known: some APIs repeat them as a whole. */
  const flush = async (): Promise<string> => {
    let out = '';
    for (const [key, { held, event, data }] of sources)
      if (held.isOpen()) out += eventText(continuationOf(data, key, await take(held, '', true)), event);
    return out;
  };
  const maskPieces = async (json: object, event: string | undefined): Promise<object> => {
    const masked: string[] = [];
    for (const delta of deltasIn(json)) {
      const { key, isArgument, isJson, isLast } = delta;
      const source = sources.get(key);
      if (!isText(delta) || (delta.text === '' && !source)) masked.push(delta.text);
      else {
        const create = isJson ? createHeldJson : createHeldText;
        const held = (isArgument ? undefined : source?.held) ?? create(masking);
        if (!isArgument) sources.set(key, { held, event, data: json });
        masked.push(await take(held, delta.text, isLast || isArgument));
      }
    }
    let next = 0;
    return mapDeltas(json, (delta) => masked[next++] ?? delta.text);
  };
  /** Masks the texts that are complete in one event. Those that came in pieces are masked as the pieces were. */
  const maskWhole = async (json: object): Promise<object> => {
    const known = new Map([...sources.values()].map(({ held }) => held.whole()));
    const { value, verdicts, blocked } = await maskOutput(masking, json, known);
    onVerdicts(verdicts);
    require(blocked);
    return isObject(value) ? value : json;
  };
  const maskFrame = async (frame: Buffer): Promise<string> => {
    const { event, data } = readEvent(frame);
    if (data === undefined) return frame.toString('utf8');
    const parsed = parseEvent(data);
    const json = parsed && withoutLogprobs(parsed);
    if (!isObject(json)) return (await flush()) + frame.toString('utf8');
    if (json['type'] === 'ping') return frame.toString('utf8');
    if (deltasIn(json).length === 0) return (await flush()) + eventText(await maskWhole(json), event);
    return eventText(await maskPieces(json, event), event);
  };
  const maskAll = async (frames: readonly Buffer[], isLast: boolean): Promise<MaskedPiece> => {
    text = '';
    let out = '';
    try {
      for (const frame of frames) out += await maskFrame(frame);
      if (isLast) out += await flush();
    } catch (error) {
      if (refused === undefined) throw error;
    }
    return { bytes: Buffer.from(out), text, blocked: refused };
  };
  return {
    push: (piece) => maskAll(splitter.push(Buffer.from(piece)), false),
    flush: () => {
      const rest = splitter.end();
      return maskAll(rest ? [rest] : [], true);
    },
  };
}

function deltasIn(event: object): Delta[] {
  const deltas: Delta[] = [];
  mapDeltas(event, (delta) => {
    deltas.push(delta);
    return delta.text;
  });
  return deltas;
}

const isText = ({ names, isArgument }: Delta): boolean => isArgument || names.every(isMaskedMember);
