import type { ExchangeBodyReader } from '#serve/http/body.ts';
import { runAdmitted } from '#serve/run-admitted.ts';
import type { EncoderContext } from '../context.ts';
import { embeddingsRequest } from '../schemas/openai.ts';
import { overflowOf } from '../schemas/overflow.ts';
import { embeddingInputs, planEmbeddings } from './embedding-inputs.ts';
import { listPieces, piecesAnswer } from './json-bytes.ts';
import { type AnswerExchange, callerAt, runModel, sumOf } from './run-model.ts';
import { checkTokenIds } from './token-ids.ts';

export const EMBEDDINGS_PATH = '/v1/embeddings';

/** Answers requests of `/v1/embeddings`: one vector for each input. */
export function createEmbeddingsAnswer(
  { engine, kernel }: EncoderContext,
  readBody: ExchangeBodyReader,
): AnswerExchange {
  const { name } = engine.manifest;
  const request = embeddingsRequest(engine.manifest, engine.limits);
  return (exchange) =>
    runAdmitted(kernel.lifecycle, async () => {
      const body = await readBody(exchange, request);
      checkTokenIds(body.input, 'input', engine);
      const inputs = embeddingInputs(body.input);
      const { options, prompt } = planEmbeddings(inputs, body, engine.manifest);
      const format = body.encoding_format === 'base64' ? 'base64' : 'json';
      const { results, tokens, truncated } = await runModel(callerAt(exchange), engine, {
        inputs,
        view: { kind: 'vector', format, ...options },
        prompt,
        overflow: overflowOf(body),
      });
      const count = sumOf(tokens);
      const usage = {
        prompt_tokens: count,
        total_tokens: count,
        // Absent if there are none: clients that know OpenAI's two members only are the rule.
        ...(truncated.length > 0 ? { truncated_inputs: truncated.length } : {}),
      };
      const data = listPieces(results, (index) => `{"object":"embedding","index":${index},"embedding":`, '}');
      const rest = JSON.stringify({ model: name, usage });
      exchange.answer(piecesAnswer(['{"object":"list","data":', ...data, `,${rest.slice(1)}`]));
    });
}
