// The contestant: transformers.js doing what the executable does, in a separate process. It is plain
// JavaScript, so that its startup time does not include reading TypeScript.
//   one  <models folder> <model> <text>                          prints the text's vector
//   many <models folder> <model> <texts> <output> <batch size>   writes a line of JSON per text
import { createWriteStream, readFileSync } from 'node:fs';

// The name is in a variable, because the package is installed next to this file only when the benchmark runs.
const TRANSFORMERS = '@huggingface/transformers';
const { env, pipeline } = await import(TRANSFORMERS);
const [mode, models, model, ...rest] = process.argv.slice(2);

env.localModelPath = models;
env.allowRemoteModels = false;
const extract = await pipeline('feature-extraction', model, { dtype: 'fp32' });
const vectorsOf = async (texts) => (await extract(texts, { pooling: 'mean', normalize: true })).tolist();

if (mode === 'one') {
  const [vector] = await vectorsOf([rest[0]]);
  console.log(JSON.stringify(vector));
} else {
  const [file, output, batchSize] = rest;
  const texts = readFileSync(file, 'utf8').trimEnd().split('\n');
  const lines = createWriteStream(output);
  for (let at = 0; at < texts.length; at += Number(batchSize)) {
    const vectors = await vectorsOf(texts.slice(at, at + Number(batchSize)));
    lines.write(
      vectors.map((embedding, row) => `${JSON.stringify({ index: at + row, embedding })}\n`).join(''),
    );
  }
  lines.end();
}
