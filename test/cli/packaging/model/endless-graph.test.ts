import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startOnnxRuntime, withOnnxRuntime } from '#cli/adapters/onnxruntime.ts';
import { optimizeGraph } from '#cli/packaging/model/optimize-graph.ts';
import { prepareGraph } from '#cli/packaging/model/prepare-graph.ts';
import { embedderTokenizer } from '../../../helpers/embedder-tokenizer.ts';
import { graphRequest } from '../../../helpers/graph-request.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();

test('a graph that never finishes running is rejected with a one-sentence error, and its process is killed', async () => {
  const tokenizer = await embedderTokenizer();
  const file = join(FIXTURES, 'broken/endless-loop.onnx');
  const request = graphRequest(file);
  // Resolves after the process has exited.
  const attempt = withOnnxRuntime((runtime) => {
    const optimized = optimizeGraph(runtime, request, folder());
    return prepareGraph(runtime, request, tokenizer, optimized, folder());
  }, startOnnxRuntime(200));
  await expect(attempt).rejects.toThrow(
    `${file} did not finish a run with inputs of shape [2, 13]: no result within 0.2s. ` +
      'Export it again without infinite loops; if only the longest texts take this long, lower `max_length`.',
  );
});
