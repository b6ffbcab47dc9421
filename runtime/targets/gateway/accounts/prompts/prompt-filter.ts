import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Thumb, UsageStatus } from '../../shared/record-words.ts';
import { isTag } from '../../shared/tag.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inTimeRange } from '../../store/in-time-range.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { PromptRow } from '../../store/record-schema.ts';

/** Filters for stored requests. All specified conditions must match. */
export interface PromptFilter {
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly requestId?: string | undefined;
  readonly status?: UsageStatus | undefined;
  /** HTTP status of the response, or its first digit: 4 for all errors of clients. */
  readonly statusCode?: number | undefined;
  readonly tag?: string | undefined;
  /** Limits for the length of the stored request, in characters. */
  readonly minCharacters?: number | undefined;
  readonly maxCharacters?: number | undefined;
  /** Feedback conditions. One item of feedback must match all of them. */
  readonly thumb?: Thumb | undefined;
  readonly label?: string | undefined;
  readonly minScore?: number | undefined;
  readonly maxScore?: number | undefined;
  /** Whether the request has feedback, from any author. */
  readonly hasFeedback?: boolean | undefined;
  /** Start of the time range in milliseconds since 1970 (inclusive). */
  readonly from?: number | undefined;
  /** End of the time range (exclusive). */
  readonly to?: number | undefined;
}

/** The condition that rows of `gateway_prompts` match a filter. */
export function promptCondition(filter: PromptFilter): RawBuilder<SqlBool> {
  const own = [
    sql`${equalValues<PromptRow>({
      user_id: filter.userId,
      api_key_id: filter.keyId,
      model: filter.model,
      endpoint: filter.endpoint,
      request_id: filter.requestId,
      status: filter.status,
    })}`,
    inTimeRange('at', filter),
    ...(filter.tag === undefined ? [] : [tagCondition(filter.tag)]),
    ...(filter.statusCode === undefined ? [] : [statusCondition(filter.statusCode)]),
    ...(filter.minCharacters === undefined ? [] : [sql`length(request) >= ${filter.minCharacters}`]),
    ...(filter.maxCharacters === undefined ? [] : [sql`length(request) <= ${filter.maxCharacters}`]),
  ];
  const feedback = feedbackConditions(filter);
  return sql<SqlBool>`${sql.join(
    [
      ...own,
      ...(feedback.length === 0
        ? []
        : [sql`exists (select 1 from gateway_feedback as given where ${SAME_REQUEST} and ${all(feedback)})`]),
      ...(filter.hasFeedback === undefined
        ? []
        : [
            sql`${sql.raw(filter.hasFeedback ? '' : 'not')} exists (select 1 from gateway_feedback as given where ${SAME_REQUEST})`,
          ]),
    ],
    sql` and `,
  )}`;
}

const all = (conditions: readonly RawBuilder<unknown>[]) => sql.join(conditions, sql` and `);

/** Clients choose request IDs, so feedback with the same ID can be on another user's request. */
const SAME_REQUEST = sql`given.request_id = gateway_prompts.request_id and coalesce(given.user_id, '') = coalesce(gateway_prompts.user_id, '')`;

/** A status, or all statuses with the same first digit. */
const statusCondition = (code: number): RawBuilder<unknown> =>
  code < 10
    ? sql`status_code >= ${code * 100} and status_code < ${code * 100 + 100}`
    : sql`status_code = ${code}`;

/** Tags contain no quotation marks, so one tag's text is never part of another's. */
function tagCondition(tag: string): RawBuilder<unknown> {
  const quoted = `%${JSON.stringify(tag).replaceAll(/[_%!]/g, '!$&')}%`;
  return isTag(tag) ? sql`tags like ${quoted} escape '!'` : sql`1 = 0`;
}

function feedbackConditions({ thumb, label, minScore, maxScore }: PromptFilter): RawBuilder<unknown>[] {
  return [
    ...(thumb === undefined ? [] : [sql`given.thumb = ${thumb}`]),
    ...(label === undefined ? [] : [isStorable(label) ? sql`given.label = ${label}` : sql`1 = 0`]),
    ...(minScore === undefined ? [] : [sql`given.score >= ${minScore}`]),
    ...(maxScore === undefined ? [] : [sql`given.score <= ${maxScore}`]),
  ];
}
