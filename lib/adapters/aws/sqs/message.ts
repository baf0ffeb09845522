import type { Outgoing } from '../../../ports/queue.ts'

/** The schema of a message; a zod schema fits. */
export type BodySchema<Body> = {
  safeParse(value: unknown): { success: true; data: Body } | { success: false }
}

type Priority = Outgoing<unknown>['priority']

type Unreadable = 'not_json' | 'unknown_shape'

/** The version of the envelope; it changes with its fields. */
const VERSION = 1

/** `{"v":1,"priority":3,"body":…}` in ASCII, since SQS refuses some characters: its length is its size in bytes. */
export const encode = ({ body, priority }: Pick<Outgoing<unknown>, 'body' | 'priority'>): string =>
  JSON.stringify({ v: VERSION, priority, body }).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Parses a text to a message, or to the reason why it is invalid. */
export const decode = <Body>(
  text: string,
  schema: BodySchema<Body>,
): { body: Body; priority: Priority } | { reason: Unreadable } => {
  const envelope = parsed(text)
  if (envelope === undefined) return { reason: 'not_json' }
  if (!isEnvelope(envelope)) return { reason: 'unknown_shape' }
  const parsedBody = schema.safeParse(envelope.body)
  return parsedBody.success
    ? { body: parsedBody.data, priority: envelope.priority }
    : { reason: 'unknown_shape' }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isEnvelope = (value: unknown): value is { priority: Priority; body: unknown } => {
  if (typeof value !== 'object' || value === null) return false
  const { v, priority } = value as { v?: unknown; priority?: unknown }
  return v === VERSION && [1, 2, 3, 4].includes(priority as number)
}
