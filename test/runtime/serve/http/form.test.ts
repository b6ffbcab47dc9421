import { expect, test } from 'vitest';
import { readForm, requiredFile, writeForm } from '#serve/http/form.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('a form that the gateway writes can be parsed by other parsers, and by its own parser in any chunks', async () => {
  const audio = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256));
  const form = {
    fields: new Map([
      ['model', ['whisper-1']],
      ['include[]', ['logprobs', 'Größe']],
    ]),
    files: [{ name: 'file', filename: 'a"\r\nb.mp3', type: 'audio/mpeg', pieces: [audio], bytes: 1000 }],
  };
  const bytes = Buffer.concat(writeForm(form, 'edge'));
  const read = await new Response(bytes, {
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
  }).formData();
  expect(read.getAll('include[]')).toEqual(['logprobs', 'Größe']);
  const file = read.get('file') as File;
  expect([file.name, file.type, Buffer.from(await file.arrayBuffer())]).toEqual([
    'a"\r\nb.mp3',
    'audio/mpeg',
    audio,
  ]);
  for (const size of [1, 13, bytes.length]) {
    const own = await readForm(inPieces(bytes, size), 'edge');
    expect(own.fields).toEqual(form.fields);
    const { type, pieces, bytes: length } = requiredFile(own, 'file');
    expect([type, length, Buffer.concat(pieces)]).toEqual(['audio/mpeg', 1000, audio]);
  }
});

test('a form that is malformed, has oversized fields or lacks its file is rejected', async () => {
  const read = (text: string) => readForm(inPieces(Buffer.from(text), 4096), 'x');
  const field = (name: string, text: string): string =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  await expect(read(field('a', 'b'))).rejects.toThrow('truncated');
  await expect(read(field('a', 'b'.repeat(1_100_000)))).rejects.toThrow('larger than 1048576 bytes');
  await expect(read(`${field('a', 'b').repeat(201)}--x--`)).rejects.toThrow('more than 200 parts');
  const form = await read(`${field('__proto__', 'b')}--x--`);
  expect(form.fields.get('__proto__')).toEqual(['b']);
  expect(() => requiredFile(form, 'file')).toThrow(
    'The form must have exactly one file, in the field `file`.',
  );
});
