import { inputError } from '#contract/errors.ts';
import { firstInvalidLine } from '#platform/utf8-line.ts';

const LINE_FEED = 0x0a;

/** Decodes a file in whole lines. Throws an InputError with the number of the first line that is not UTF-8. */
export async function* utf8Text(bytes: AsyncIterable<Uint8Array>, input: string): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  let line = 1;
  const decode = (whole: Buffer): string => {
    const invalid = firstInvalidLine(whole);
    if (invalid !== undefined) throw notUtf8(input, line + invalid - 1);
    return whole.toString('utf8');
  };
  for await (const piece of bytes) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end === 0) {
      rest.push(piece);
      continue;
    }
    const text = decode(Buffer.concat([...rest, piece.subarray(0, end)]));
    yield text;
    line += text.split('\n').length - 1;
    rest = [piece.subarray(end)];
  }
  yield decode(Buffer.concat(rest));
}

const notUtf8 = (input: string, line: number): Error =>
  inputError(`${input === '-' ? 'Standard input' : input} is not UTF-8 on line ${line}. Save it as UTF-8.`);
