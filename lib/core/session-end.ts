/** The code of an `error` event about a tool that failed: the session goes on after it. */
export const TOOL_ERROR = 'TOOL_ERROR'

const LAST = ['complete', 'message_saved', 'error']

/** Whether an event of an agent session is one of its last. */
export const endsSession = ({ type, data }: { readonly type: string; readonly data: object }): boolean =>
  LAST.includes(type) && !('code' in data && data.code === TOOL_ERROR)
