import { AppError, inputError } from '#contract/errors.ts';
import { GROUND_TRUTH } from '../../datasets/check-row.ts';
import type { DatasetCell, RowCells } from '../../datasets/dataset.ts';
import { CONVERSATION_COLUMNS, EXPECTATION_COLUMNS } from '../conversations/conversation.ts';
import { readConversation } from '../conversations/read-conversation.ts';
import { runConversation } from '../conversations/run-conversation.ts';
import { conversationFamilies } from '../evaluation/families/conversation.ts';
import { checkReferences } from '../evaluation/read-cells.ts';
import type { ModelCallContext, RowAnswer, RowFailure } from '../inference/inference.ts';
import { openingMessages, userText } from '../inference/prompt.ts';
import { isJobPause } from '../job-pause.ts';
import { type EvaluatedTask, isMissing } from './task.ts';

/** Columns that contain something to compare a conversation with. */
const EXPECTATIONS = [GROUND_TRUTH, CONVERSATION_COLUMNS.turns, ...Object.values(EXPECTATION_COLUMNS)];

/** Conversations of one or several turns, in which the model can call tools with scripted results. */
export const conversation: EvaluatedTask = {
  modelTypes: [],
  hasChat: true,
  defaultPrompt: () => '',
  defaultMetrics: ['success', 'turn_success', 'tool_calls', 'exact_match'],
  families: conversationFamilies,
  hasOptionalTruth: true,
  checkInput: (row) => void readConversation(row),
  checkColumns(columns) {
    if (columns.some((name) => EXPECTATIONS.includes(name))) return;
    throw inputError(
      `The dataset has no column to compare the responses with. Add one of ${EXPECTATIONS.join(', ')}.`,
    );
  },
  labelsOf(row) {
    readConversation(row);
    const truth = row[GROUND_TRUTH];
    if (!isMissing(truth)) checkReferences(truth);
    return [];
  },
  showsAnswers: true,
  columns: ({ outputField }) => [outputField, 'replies', 'calls', 'final_state', 'reasoning', 'cached'],
  async answer(rows, context) {
    const answers = await Promise.all(rows.map((row) => answerRow(row, context)));
    return { answers, sharedTokens: 0 };
  },
};

async function answerRow(
  row: RowCells,
  { model, spec, clock, signal }: ModelCallContext,
): Promise<RowAnswer<RowCells> | RowFailure> {
  const startedAt = clock.now();
  try {
    if (!model.chat) throw inputError(`${model.name} is not a generative model.`);
    const finished = await runConversation(readConversation(row), {
      opening: openingMessages(spec),
      messageFor: (user) => userText({ ...row, examples: user }, spec),
      generation: spec.generation,
      chat: model.chat,
      signal,
    });
    const { text, reasoning, replies, calls, state, totals, isShared } = finished;
    return {
      value: {
        [spec.outputField]: text,
        replies,
        calls: calls as unknown as DatasetCell,
        final_state: (state ?? null) as DatasetCell,
        reasoning,
        cached: isShared,
      },
      tokens: { ...totals, isShared },
      latencyMs: totals.latencyMs,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (isJobPause(error)) throw error;
    return { error: AppError.from(error).message, latencyMs: clock.now() - startedAt };
  }
}
