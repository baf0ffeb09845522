/** The most characters of the title of a tool call. */
export const LONGEST_CALL_TITLE = 200
/** The most characters of the result of a tool call that are kept for people. */
export const LONGEST_CALL_RESULT = 100_000
