import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withOnnxRuntime } from '../../../../cli/adapters/onnxruntime.ts';
import { rewriteGraph } from '../../../../cli/packaging/model/rewrite-graph.ts';
import { tryGraph } from '../../../../cli/packaging/model/try-graph.ts';
import { embedderTokenizer } from '../../../helpers/embedder-tokenizer.ts';
import { graphRequest } from '../../../helpers/graph-request.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();

test('a graph whose run does not end is refused with one sentence, and its process is ended', async () => {
  const tokenizer = await embedderTokenizer();
  const file = join(FIXTURES, 'broken/endless-loop.onnx');
  const request = graphRequest(file);
  // Resolves after the exit of the process.
  const attempt = withOnnxRuntime(async (runtime) => {
    const rewritten = await rewriteGraph(runtime, request, tokenizer, folder());
    return await tryGraph(runtime, request, tokenizer, rewritten, folder());
  }, 200);
  await expect(attempt).rejects.toThrow(
    `${file} did not finish a run with inputs of shape [3, 17]: no result within 0.2s. ` +
      'Export it again without a loop that does not end; if only its longest text takes so long, set `max_length` to less.',
  );
});
