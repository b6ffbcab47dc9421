import { usageStatusOf } from '../../accounts/ledger/ledger.ts';
import type { Static } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { PromptHead } from '../../accounts/prompts/prompt-log.ts';
import type { PromptRow } from '../../store/record-schema.ts';
import type { promptPage, prompts } from './schemas.ts';

export const promptHeadView = ({
  at,
  status,
  truncated,
  ...head
}: PromptHead): Static<typeof promptPage>['items'][number] => ({
  ...head,
  at: rfc3339(at),
  status: usageStatusOf(status),
  truncated: truncated === 1,
});

export const promptView = ({ request, answer, ...head }: PromptRow): Static<typeof prompts>[number] => ({
  ...promptHeadView(head),
  request,
  answer,
});
