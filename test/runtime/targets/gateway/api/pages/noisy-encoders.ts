import { once } from 'node:events';
import { createServer } from 'node:http';

/** On a fast machine, the latencies of rows would otherwise be 0, which no chart shows. */
const DELAY_MS = 30;

/**
 * Encoders at `/<share>` that return the text's label, wrong for about that percentage of texts, and with lower
 * scores for long texts.
 */
export async function startNoisyEncoders(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('Content-Type', 'application/json');
      if (request.url?.endsWith('/model')) {
        response.end(JSON.stringify(FACTS));
        return;
      }
      const share = Number(request.url?.split('/')[1]) / 100;
      const { inputs } = JSON.parse(Buffer.concat(chunks).toString()) as { inputs: readonly string[] };
      const results = inputs.map((text) => ({ top: topOf(text, share) }));
      setTimeout(() => response.end(JSON.stringify({ model_id: 'noisy', results })), DELAY_MS);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, close: () => void server.close() };
}

const LABELS = ['NEGATIVE', 'POSITIVE'] as const;
const FACTS = {
  model_id: 'noisy',
  model_type: 'sequence_classification',
  id2label: { 0: LABELS[0], 1: LABELS[1] },
};

function topOf(text: string, share: number): readonly { index: number; label: string; score: number }[] {
  const random = hashOf(text + String(share));
  const truth = text.startsWith('good') ? 1 : 0;
  const isRight = random >= share;
  const sureness = 0.5 + 0.45 * (isRight ? random : random / share / 2) * (60 / (60 + text.length / 4));
  const positive = (truth === 1) === isRight ? sureness : 1 - sureness;
  const scores = [1 - positive, positive];
  return [0, 1].map((index) => ({ index, label: LABELS[index] ?? '', score: scores[index] ?? 0 }));
}

/** A number from 0 to 1 that depends only on the text. */
function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  return ((hash ^ (hash >>> 13)) >>> 0) / 4_294_967_296;
}

/** Labeled texts of very different lengths. The first one is hostile. */
export function noisyRows(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => {
    const label = at % 2 === 0 ? 'good' : 'bad';
    const words = Array.from({ length: 3 + ((at * 7) % 40) }, (__, word) => `word${(at * word) % 97}`);
    return `"${label} ${words.join(' ')}",${label === 'good' ? 'POSITIVE' : 'NEGATIVE'}`;
  });
  return ['examples,ground_truth', `"good ${HOSTILE}",POSITIVE`, ...rows.slice(1), ''].join('\n');
}

export const HOSTILE = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';
