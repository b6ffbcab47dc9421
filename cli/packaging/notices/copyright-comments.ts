import { trimEndOf } from '#core/text/trim-text.ts';

// oxlint-disable-next-line encoderfile/linear-regexp -- It searches packages with pinned hashes while a base runtime is built.
const COMMENT = /\/\*[^]*?\*\/|(?:^[ \t]*\/\/.*(?:\r?\n|$))+/gm;
const IS_NOTICE = /copyright|\blicensed?\b|SPDX-License-Identifier/i;

/**
 * Returns a source file's comments that contain notices. Minification removes comments, and
 * packages contain third-party code.
 */
export function copyrightComments(source: string): string[] {
  return (source.match(COMMENT) ?? []).filter((comment) => IS_NOTICE.test(comment)).map(textOf);
}

/** The text of a comment without its markers. */
const textOf = (comment: string): string =>
  (comment.endsWith('*/') ? trimEndOf(comment.slice(0, -1), '*') : comment)
    .replace(/^\/\*+!?/, '')
    .split(/\r?\n/)
    .map((line) => line.replace(/^[ \t]*(?:\/\/+!?|\*+)?[ \t]?/, '').trimEnd())
    .join('\n')
    .trim();
