import { definedFields } from '../../../core/defined-fields.ts'

type Optional<Value> = Value | null | undefined

/** What is read of a call, which an agent tells in parts. */
export type OpenCall = {
  toolCallId: string
  name?: Optional<string>
  title?: Optional<string>
  kind?: Optional<string>
  status?: Optional<string>
  locations?: Optional<readonly { path: string }[]>
  rawInput?: unknown
  content?: Optional<readonly { type: string; path?: Optional<string> }[]>
}

const MOST_OPEN_CALLS = 100

/** Agents announce a call while its input is still on its way, as `{}`, or, as OpenCode does, with its folder alone. */
export const isEmpty = (input: unknown): boolean => Object.keys(Object(input)).every((key) => key === 'cwd')

const mergeCall = <Call extends OpenCall>(before: OpenCall | undefined, call: Call): Call => {
  const { rawInput, ...given } = call
  const fields = Object.entries({ ...given, ...(!isEmpty(rawInput) && { rawInput }) })
  const changed = fields.filter(([, value]) => value !== undefined && value !== null)
  return { ...call, ...definedFields({ ...before }), ...Object.fromEntries(changed) }
}

/** The calls of an agent that have not ended. Each message about one says only what is new (ACP, `ToolCallUpdate`). */
export const createOpenCalls = () => {
  const calls = new Map<string, OpenCall>()
  return {
    /** Whether what is told of a call is kept: beyond a number it is not. */
    has: (id: string): boolean => calls.has(id),
    /** The call with all that was told of it, this message included. Of its content, changes of files are kept. */
    update: <Call extends OpenCall>(call: Call): Call => {
      const { toolCallId: id } = call
      const merged = mergeCall(calls.get(id), call)
      const content = merged.content?.filter(({ type }) => type === 'diff') ?? null
      if (calls.has(id) || calls.size < MOST_OPEN_CALLS) calls.set(id, { ...merged, content })
      return merged
    },
    /** A call that a permission names, with what was told of it before. */
    whole: <Call extends OpenCall>(call: Call): Call => mergeCall(calls.get(call.toolCallId), call),
    end: (id: string): void => void calls.delete(id),
  }
}
