/** As the log writes it: the manager's own members come first, and what servers say is text inside of later ones. */
const SERVER = /^\{"level":\d+,"time":"[^"]*","server":"([^"\\]*)"/;

/** The server that a line of the manager's log is about. */
export const serverOfLine = (line: string): string | undefined => SERVER.exec(line)?.[1];
