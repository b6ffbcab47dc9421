/** The end of the name of an executable file, for every platform. */
export const EXECUTABLE_NAME = /\.encoder(?:\.exe)?$/;
