import { type Commands, isGroup } from '#serve/cli/command.ts';

/** The words of every command and group. */
export const commandWords = (commands: Commands): string[][] =>
  Object.entries(commands).flatMap(([name, entry]) => [
    [name],
    ...(isGroup(entry) ? commandWords(entry.commands).map((words) => [name, ...words]) : []),
  ]);
