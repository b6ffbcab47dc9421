/** The start of a log line about a server. Text of servers is in later members only, so it cannot imitate this. */
const SERVER = /^\{"level":\d+,"time":"[^"]*","server":"([^"\\]*)"/;

/** Returns the name of the server that a line of the manager's log is about. */
export const serverOfLine = (line: string): string | undefined => SERVER.exec(line)?.[1];
