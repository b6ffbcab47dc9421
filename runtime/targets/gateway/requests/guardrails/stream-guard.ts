import type { GuardVerdict, StreamGuard } from '../../providers/streams/stream.ts';
import type { Checked, GuardrailVerdict } from './guardrail.ts';
import { MAX_ESCAPE_LENGTH } from './readings.ts';

export interface StreamGuardParts {
  /** Whether text is held back until it was checked. */
  readonly blocks: boolean;
  readonly windowLength: number;
  readonly windowOverlap: number;
  readonly check: (text: string) => Promise<Checked>;
  readonly onVerdicts: (verdicts: readonly GuardrailVerdict[]) => void;
}

const PASS: GuardVerdict = { kind: 'pass' };
const HOLD: GuardVerdict = { kind: 'hold' };

/** Checks a stream in windows of its text. Each window starts with the end of the one before, which has already been sent. */
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

/** The end of a text, in which as many characters are complete as the overlap has, also if they are escaped. */
function endOf(text: string, overlap: number): string {
  const longest = overlap === 0 ? '' : text.slice(-overlap * MAX_ESCAPE_LENGTH);
  return longest.includes('\\') ? longest : text.slice(-overlap);
}
