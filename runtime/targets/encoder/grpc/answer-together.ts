import { fromJson, type JsonValue, type Message } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { HandlerContext } from '@connectrpc/connect';
import { runAdmitted } from '#serve/run-admitted.ts';
import type { EncoderContext } from '../context.ts';
import type { RunModel } from '../engine/serving.ts';
import { truncatedHeaders } from '../predict/truncated-headers.ts';

/** Answers a call whose results are each computed from several runs of the model; `resultsOf` returns them as JSON. */
export async function answerTogether<Answer extends Message>(
  { kernel, engine }: EncoderContext,
  call: HandlerContext,
  { metadata }: { readonly metadata: Record<string, string> },
  schema: GenMessage<Answer>,
  resultsOf: (run: RunModel) => Promise<readonly object[]>,
): Promise<Answer> {
  return await runAdmitted(kernel.lifecycle, async () => {
    const results = await resultsOf(async (request) => {
      const answer = await engine.run({ ...request, signal: call.signal });
      for (const [name, value] of truncatedHeaders(answer.truncated)) call.responseHeader.set(name, value);
      return answer;
    });
    return fromJson(schema, { results, modelId: engine.manifest.name, metadata } as unknown as JsonValue);
  });
}
