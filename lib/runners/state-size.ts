/** The most bytes that a body may have in a function, which gets and gives 6 MB, headers and compression included. */
export const FUNCTION_BODY_BYTES = 5_500_000

/** The bytes of a value in a body as a function counts them: the body is a text in the JSON of an event. */
export const bodyBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(value)))

/** A comma, a colon and the quotes of a name, which are escaped. */
const BESIDE_MEMBER = 6

type State = Record<string, unknown>

/** The state of an agent as far as it fits: without its largest members. Undefined where nothing of it fits. */
export const fittingState = (state: State, mostBytes: number): State | undefined => {
  if (bodyBytes(state) <= mostBytes) return state
  const members = Object.entries(state)
    .map(([name, value]) => ({ name, value, bytes: bodyBytes(value) + bodyBytes(name) + BESIDE_MEMBER }))
    .sort((a, b) => a.bytes - b.bytes)
  let bytes = 0
  const kept = members.filter((member) => {
    bytes += member.bytes
    return bytes <= mostBytes
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept.map(({ name, value }) => [name, value]))
}
